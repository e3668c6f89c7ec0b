#include "hpl/lu/broadcast/broadcast.h"

#include <cstddef>
#include <cstdint>
#include <random>
#include <thread>
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

// What a rank holds at the start: the message on the root, something else elsewhere.
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

TEST_P(RealBroadcast, BringsTheRootsBytesToEveryRankByWaiting) {
  for (int root = 0; root < comm_.size(); ++root) {
    for (const std::int64_t count : {0, 1, 8, 1001, 123457}) {
      const Bytes message = random_bytes(count, static_cast<unsigned>(root + count));
      Bytes buffer = initial(message, comm_.rank() == root);

      make_run(root, buffer, root).wait(WaitPolicy::sleeping());

      EXPECT_EQ(buffer, message) << "root " << root << " bytes " << count;
    }
  }
}

TEST_P(RealBroadcast, BringsTheRootsBytesToEveryRankByProgress) {
  for (int root = 0; root < comm_.size(); ++root) {
    const Bytes message = random_bytes(54321, static_cast<unsigned>(root));
    Bytes buffer = initial(message, comm_.rank() == root);
    ScheduleRun run = make_run(root, buffer, 0);

    run.start();
    mpi::wait_until(WaitPolicy::sleeping(), [&] { return run.progress(); });

    EXPECT_TRUE(run.done());
    EXPECT_EQ(buffer, message) << "root " << root;
  }
}

TEST_P(RealBroadcast, KeepsSeveralInFlightApartByTheirTags) {
  constexpr int kFlights = 5;
  std::vector<Bytes> messages, buffers;
  for (int flight = 0; flight < kFlights; ++flight) {
    messages.push_back(random_bytes(20000 + 777 * flight, static_cast<unsigned>(flight)));
    buffers.push_back(initial(messages.back(), comm_.rank() == flight % comm_.size()));
  }
  std::vector<ScheduleRun> runs;
  for (int flight = 0; flight < kFlights; ++flight)
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

TEST(BroadcastThreads, EachWithADuplicateDoNotDisturbEachOther) {
  const mpi::Communicator world = mpi::Communicator::world();
  constexpr int kThreads = 3;
  std::vector<mpi::Communicator> comms;
  for (int i = 0; i < kThreads; ++i)
    comms.push_back(world.dup());
  std::vector<int> wrong(kThreads, 0);

  const auto broadcast_often = [&](int thread) {
    mpi::prepare_waiting_thread();
    const mpi::Communicator& comm = comms[static_cast<std::size_t>(thread)];
    for (int turn = 0; turn < 10; ++turn) {
      const int root = turn % comm.size();
      const Bytes message = random_bytes(30000, static_cast<unsigned>(100 * thread + turn));
      Bytes buffer = initial(message, comm.rank() == root);
      const BroadcastShape shape{.rank = comm.rank(),
                                 .root = root,
                                 .size = comm.size(),
                                 .bytes = std::ssize(buffer),
                                 .segment_bytes = 8000};
      ScheduleRun(comm, broadcast_schedule(BroadcastVariant::Ring2M, shape), buffer, comm.tag(turn))
          .wait(WaitPolicy::sleeping());
      if (buffer != message) ++wrong[static_cast<std::size_t>(thread)];
    }
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back(broadcast_often, i);
  for (std::thread& thread : threads)
    thread.join();

  EXPECT_EQ(wrong, std::vector<int>(kThreads, 0));
}

INSTANTIATE_TEST_SUITE_P(Broadcast, RealBroadcast,
                         testing::ValuesIn(choice_values(kBroadcastVariants)));

}  // namespace
}  // namespace hpl
