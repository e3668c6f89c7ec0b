#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "hpcx/device.h"
#include "hpl/comm/mpi/communicator.h"
#include "hpl/comm/transport/transport_choice.h"

namespace hpl {

/// Messages of device memory among the ranks of a line, by the transport of a run. Collective.
class LineExchange {
 public:
  /// `line` has two ranks or more and must outlive this. `kind`: the one asked for; empty: the
  /// fastest. `ways`: apart from messages to both neighbours.
  LineExchange(const mpi::Communicator& line, hpcx::Device& device,
               std::optional<TransportKind> kind = {}, MessageWays ways = {});

  Transport& transport() const { return *chosen_.transport; }
  /// Bytes of the longest message.
  std::int64_t longest() const;
  /// Each rank sends to the next and receives from the one before, in a ring.
  void operator()(std::int64_t bytes) const;
  /// Seconds of that exchange on the slowest rank, the best of a few.
  double seconds(std::int64_t bytes) const;
  /// Seconds of a message from each rank but the last to the next, as those of a broadcast; the
  /// best of a few. They go down the line and back in turn, so a link carries one at a time. If the
  /// transport has a broadcast of its own, which `ways` must have then, and it is faster: of that.
  double seconds_one_way(std::int64_t bytes) const;
  /// Begins an exchange in the ring.
  std::unique_ptr<Transfer> begin(std::int64_t bytes) const;
  /// Begins messages down the line or `back`; a broadcast from its end if the transport has its
  /// own.
  std::unique_ptr<Transfer> begin_one_way(std::int64_t bytes, bool back) const;
  hpcx::StreamRef stream() const { return stream_; }
  const mpi::WaitPolicy& wait() const { return wait_; }
  /// GB/s each way between this rank and `partner`, both ways at once, with the longest messages,
  /// the best of a few. Pairs are disjoint; a rank without a partner takes part and gets 0.
  double pair_gbytes(std::optional<int> partner) const;

 private:
  double seconds_of(std::int64_t bytes, const std::function<void()>& exchange) const;
  std::unique_ptr<Transfer> begin(mpi::Schedule schedule, std::int64_t bytes) const;
  std::unique_ptr<Transfer> begin_messages(std::int64_t bytes, bool back) const;
  std::unique_ptr<Transfer> begin_broadcast(std::int64_t bytes, bool back) const;
  void carry_out(std::unique_ptr<Transfer> transfer) const;

  const mpi::Communicator& line_;
  ChosenTransport chosen_;
  mpi::WaitPolicy wait_;  // as workers wait in a run: asleep where the cores compute
  hpcx::Buffer memory_;
  std::unique_ptr<Exposure> exposure_;
  hpcx::Stream stream_;
};

}  // namespace hpl
