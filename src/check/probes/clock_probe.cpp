#include <ctime>

#include <algorithm>
#include <vector>

#include "clock_offset.h"
#include "hpl/base/error/error.h"
#include "hpl/check/probes/probe.h"
#include "hpl/comm/mpi/request.h"

namespace hpl {
namespace {

/// The calendar clock, which log files and file servers go by.
std::int64_t calendar_nanoseconds() {
  std::timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

constexpr int kTrips = 10;
constexpr int kTag = 0;

void answer(const mpi::Communicator& comm, int peer) {
  for (int trip = 0; trip < kTrips; ++trip) {
    std::int64_t time = 0;
    const auto bytes = std::as_writable_bytes(std::span(&time, 1));
    mpi::irecv(comm, bytes, peer, kTag).wait(mpi::WaitPolicy::spinning());
    time = calendar_nanoseconds();
    mpi::isend(comm, bytes, peer, kTag).wait(mpi::WaitPolicy::spinning());
  }
}

std::vector<ClockTrip> ask(const mpi::Communicator& comm, int peer) {
  std::vector<ClockTrip> trips(kTrips);
  for (ClockTrip& trip : trips) {
    const auto bytes = std::as_writable_bytes(std::span(&trip.remote, 1));
    trip.sent = calendar_nanoseconds();
    mpi::isend(comm, bytes, peer, kTag).wait(mpi::WaitPolicy::spinning());
    mpi::irecv(comm, bytes, peer, kTag).wait(mpi::WaitPolicy::spinning());
    trip.received = calendar_nanoseconds();
  }
  return trips;
}

}  // namespace

double clock_offset(std::span<const ClockTrip> trips) {
  HPL_ASSERT(!trips.empty());
  const ClockTrip& best = *std::ranges::min_element(
      trips, {}, [](const ClockTrip& trip) { return trip.received - trip.sent; });
  // Differences first: a double does not hold the times themselves to the nanosecond.
  return 1e-9 *
         (static_cast<double>(best.sent - best.remote) +
          static_cast<double>(best.received - best.remote)) /
         2;
}

void probe_clocks(const CheckContext& context, RankRecord& record) {
  if (context.leader_ranks.size() < 2) return skip(record, "clocks of nodes", "there is one node");
  if (!context.leaders) return;  // another rank of the node measures
  // The first node answers one node after another; a first trip that waited for its turn is not
  // the fastest one.
  const mpi::Communicator& leaders = *context.leaders;
  if (leaders.rank() == 0) {
    for (int peer = 1; peer < leaders.size(); ++peer)
      answer(leaders, peer);
    record.measurements.push_back({Figure::ClockOffset, kNoPeer, 0});
  } else {
    record.measurements.push_back({Figure::ClockOffset, kNoPeer, clock_offset(ask(leaders, 0))});
  }
}

}  // namespace hpl
