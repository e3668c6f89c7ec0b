#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "hpl/comm/mpi/communicator.h"

namespace hpl {

struct LinkFigures {
  double latency_us = 0;        ///< of a message of 8 bytes, one way
  double bandwidth_gbytes = 0;  ///< each way, both ways at once, GB/s
};

/// The repetitions of an exchange of messages that is timed.
struct ExchangeRounds {
  int rounds = 1;      ///< the best one counts
  int in_a_round = 1;  ///< short ones need several for the clock
};
/// Seconds of one exchange, after one that is not timed: buffers are registered with the network at
/// their first use. Collective over all that exchange. `before_round`: lets them begin together.
double best_exchange_seconds(const ExchangeRounds& rounds, const std::function<void()>& exchange,
                             const std::function<void()>& before_round = {});

/// Measures messages between this rank and another one. The best of several: what the link can do.
class LinkTimer {
 public:
  /// `brief`: fewer and smaller messages, a few milliseconds a link.
  LinkTimer(const mpi::Communicator& comm, bool brief);
  /// Messages out of the first half of `memory` into the second, by any memory that MPI takes.
  LinkTimer(const mpi::Communicator& comm, bool brief, std::span<std::byte> memory);

  /// Collective over this rank and `peer`, a rank of the communicator. The figures are complete on
  /// the lower of the two.
  LinkFigures measure(int peer);

 private:
  double half_round_trip(int peer);
  double exchange_seconds(int peer);
  void exchange(int peer);

  const mpi::Communicator& comm_;
  int trips_;
  double budget_seconds_;
  std::vector<std::byte> own_;
  std::span<std::byte> outgoing_, incoming_;
};

}  // namespace hpl
