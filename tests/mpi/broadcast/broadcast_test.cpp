#include "hpl/lu/broadcast/broadcast.h"

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "hpl/comm/mpi/communicator.h"
#include "hpl/comm/mpi/schedule.h"
#include "hpl/comm/mpi/wait_policy.h"
#include "hpl/input/run_spec/field_rules.h"

namespace hpl {
namespace {

using mpi::ScheduleRun;
using mpi::WaitPolicy;
using Bytes = std::vector<std::byte>;

Bytes random_bytes(std::int64_t count, unsigned seed) {
  std::mt19937 generator(seed);
  Bytes bytes(static_cast<std::size_t>(count));
  for (std::byte& byte : bytes)
    byte = static_cast<std::byte>(generator());
  return bytes;
}

// The bytes of a rank at the start: the message on the root, something else elsewhere.
Bytes initial(const Bytes& message, bool is_root) {
  return is_root ? message : Bytes(message.size(), std::byte{0x5a});
}

class RealBroadcast : public testing::TestWithParam<BroadcastVariant> {
 protected:
  ScheduleRun make_run(int root, Bytes& buffer, int tag) const {
    const BroadcastShape shape{.rank = comm_.rank(),
                               .root = root,
                               .size = comm_.size(),
                               .bytes = std::ssize(buffer),
                               .segment_bytes = 10000};
    return ScheduleRun(comm_, broadcast_schedule(GetParam(), shape), buffer, tag);
  }

  mpi::Communicator comm_ = mpi::Communicator::world();
};

TEST_P(RealBroadcast, BringsTheRootsBytesToEveryRankWithSeveralInFlight) {
  const std::vector<std::int64_t> lengths{0, 1, 8, 1001, 20777, 123457};
  const auto flights = static_cast<int>(lengths.size());
  std::vector<Bytes> messages, buffers;
  for (int flight = 0; flight < flights; ++flight) {
    messages.push_back(
        random_bytes(lengths[static_cast<std::size_t>(flight)], static_cast<unsigned>(flight)));
    buffers.push_back(initial(messages.back(), comm_.rank() == flight % comm_.size()));
  }
  std::vector<ScheduleRun> runs;
  for (int flight = 0; flight < flights; ++flight)
    runs.push_back(make_run(flight % comm_.size(), buffers[static_cast<std::size_t>(flight)],
                            comm_.tag(flight)));

  // Ranks start and finish them in different orders.
  const auto turn = static_cast<std::size_t>(comm_.rank());
  for (std::size_t i = 0; i < runs.size(); ++i)
    runs[(i + turn) % runs.size()].start();
  mpi::wait_until(WaitPolicy::sleeping(), [&] {
    bool all = true;
    for (std::size_t i = 0; i < runs.size(); ++i)
      all = runs[(i + 2 * turn) % runs.size()].progress() && all;
    return all;
  });

  EXPECT_EQ(buffers, messages);
}

INSTANTIATE_TEST_SUITE_P(Broadcast, RealBroadcast,
                         testing::ValuesIn(choice_values(kBroadcastVariants)));

}  // namespace
}  // namespace hpl
