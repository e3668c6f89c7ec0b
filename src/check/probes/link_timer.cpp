#include "link_timer.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>

#include "hpl/base/number/stopwatch.h"
#include "hpl/comm/mpi/request.h"

namespace hpl {
namespace {

constexpr int kTag = 0;

template <class T>
void send(const mpi::Communicator& comm, const T& value, int peer) {
  mpi::isend(comm, std::as_bytes(std::span(&value, 1)), peer, kTag)
      .wait(mpi::WaitPolicy::spinning());
}

template <class T>
T receive(const mpi::Communicator& comm, int peer) {
  T value{};
  mpi::irecv(comm, std::as_writable_bytes(std::span(&value, 1)), peer, kTag)
      .wait(mpi::WaitPolicy::spinning());
  return value;
}

}  // namespace

double best_exchange_seconds(const ExchangeRounds& rounds, const std::function<void()>& exchange,
                             const std::function<void()>& before_round) {
  exchange();
  double best = std::numeric_limits<double>::max();
  for (int round = 0; round < rounds.rounds; ++round) {
    if (before_round) before_round();
    const Stopwatch watch;
    for (int i = 0; i < rounds.in_a_round; ++i)
      exchange();
    best = std::min(best, watch.seconds() / rounds.in_a_round);
  }
  return best;
}

LinkTimer::LinkTimer(const mpi::Communicator& comm, bool brief, std::span<std::byte> memory)
    : comm_(comm),
      trips_(brief ? 20 : 100),
      budget_seconds_(brief ? 0.003 : 0.02),
      outgoing_(memory.first(memory.size() / 2)),
      incoming_(memory.last(memory.size() / 2)) {}

LinkTimer::LinkTimer(const mpi::Communicator& comm, bool brief) : LinkTimer(comm, brief, {}) {
  own_.assign(std::size_t{brief ? 2U : 8U} << 20, std::byte{1});
  outgoing_ = std::span(own_).first(own_.size() / 2);
  incoming_ = std::span(own_).last(own_.size() / 2);
}

LinkFigures LinkTimer::measure(int peer) {
  const double latency = half_round_trip(peer);
  return {
      .latency_us = 1e6 * latency,
      .bandwidth_gbytes = 1e-9 * static_cast<double>(outgoing_.size()) / exchange_seconds(peer)};
}

double LinkTimer::half_round_trip(int peer) {
  const auto trip = [&] {
    if (comm_.rank() > peer) {
      send(comm_, receive<std::int64_t>(comm_, peer), peer);
    } else {
      send(comm_, std::int64_t{1}, peer);
      static_cast<void>(receive<std::int64_t>(comm_, peer));
    }
  };
  return best_exchange_seconds({.rounds = trips_}, trip) / 2;
}

double LinkTimer::exchange_seconds(int peer) {
  const auto both_ways = [&] { exchange(peer); };
  const double first = best_exchange_seconds({}, both_ways);
  // The lower rank decides how many more, so that both make as many.
  constexpr int kMost = 15;
  int more = static_cast<int>(std::clamp(budget_seconds_ / first, 1.0, double{kMost}));
  if (comm_.rank() < peer)
    send(comm_, more, peer);
  else
    more = receive<int>(comm_, peer);
  return std::min(first, best_exchange_seconds({.rounds = more}, both_ways));
}

void LinkTimer::exchange(int peer) {
  mpi::RequestSet both;
  both.irecv(comm_, incoming_, peer, kTag);
  both.isend(comm_, outgoing_, peer, kTag);
  both.wait(mpi::WaitPolicy::spinning());
}

}  // namespace hpl
