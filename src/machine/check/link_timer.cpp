#include "link_timer.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>

#include "hpl/comm/mpi/request.h"
#include "stopwatch.h"

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
  constexpr int kWarmUp = 3;
  double best = std::numeric_limits<double>::max();
  for (int trip = -kWarmUp; trip < trips_; ++trip) {
    if (comm_.rank() > peer) {
      send(comm_, receive<std::int64_t>(comm_, peer), peer);
      continue;
    }
    const Stopwatch watch;
    send(comm_, std::int64_t{trip}, peer);
    static_cast<void>(receive<std::int64_t>(comm_, peer));
    if (trip >= 0) best = std::min(best, watch.seconds() / 2);
  }
  return best;
}

double LinkTimer::exchange_seconds(int peer) {
  exchange(peer);  // buffers are registered with the network at their first use
  const Stopwatch first;
  exchange(peer);
  double best = first.seconds();
  // The lower rank decides how many more, so that both make as many.
  constexpr int kMost = 15;
  int more = static_cast<int>(std::clamp(budget_seconds_ / best, 1.0, double{kMost}));
  if (comm_.rank() < peer)
    send(comm_, more, peer);
  else
    more = receive<int>(comm_, peer);
  for (; more > 0; --more) {
    const Stopwatch watch;
    exchange(peer);
    best = std::min(best, watch.seconds());
  }
  return best;
}

void LinkTimer::exchange(int peer) {
  mpi::RequestSet both;
  both.irecv(comm_, incoming_, peer, kTag);
  both.isend(comm_, outgoing_, peer, kTag);
  both.wait(mpi::WaitPolicy::spinning());
}

}  // namespace hpl
