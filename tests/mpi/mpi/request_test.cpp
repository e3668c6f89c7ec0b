#include "hpl/comm/mpi/request.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <numeric>
#include <span>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

#include "hpl/comm/mpi/wait_policy.h"

namespace hpl::mpi {
namespace {

std::span<std::byte> bytes_of(std::vector<double>& values) {
  return std::as_writable_bytes(std::span(values));
}

class RequestTest : public testing::Test {
 protected:
  Communicator comm_ = Communicator::world();
  int next_ = (comm_.rank() + 1) % comm_.size();
  int previous_ = (comm_.rank() + comm_.size() - 1) % comm_.size();
};

TEST(MessagePieces, CoverAMessageOfAnyLength) {
  for (const std::int64_t bytes : {std::int64_t{0}, std::int64_t{1}, kLargestPiece - 1,
                                   kLargestPiece, kLargestPiece + 1, 5 * kLargestPiece + 3}) {
    const std::vector<int> pieces = message_pieces(bytes);
    EXPECT_EQ(std::accumulate(pieces.begin(), pieces.end(), std::int64_t{0}), bytes);
    EXPECT_EQ(std::ssize(pieces), std::max(std::int64_t{1}, (bytes - 1) / kLargestPiece + 1));
  }
}

TEST_F(RequestTest, PassesDataRoundTheRing) {
  // Short enough to be buffered by MPI, and long enough not to be.
  for (const std::size_t count : {0u, 3u, 100000u}) {
    std::vector<double> mine(count, 1.0 + comm_.rank()), received(count, 0.0);

    Request receive = irecv(comm_, bytes_of(received), previous_, 1);
    Request send = isend(comm_, bytes_of(mine), next_, 1);
    receive.wait(WaitPolicy::spinning());
    send.wait(WaitPolicy::sleeping());

    EXPECT_EQ(received, std::vector<double>(count, 1.0 + previous_));
  }
}

TEST_F(RequestTest, ASetIsThroughWhenAllItsMessagesAre) {
  const auto ranks = static_cast<std::size_t>(comm_.size());
  std::vector<std::vector<double>> received(ranks, std::vector<double>(2000));
  std::vector<double> mine(2000, comm_.rank());
  RequestSet set;
  for (int peer = 0; peer < comm_.size(); ++peer) {
    set.irecv(comm_, bytes_of(received[static_cast<std::size_t>(peer)]), peer, 2);
    set.isend(comm_, bytes_of(mine), peer, 2);
  }

  set.wait(WaitPolicy::sleeping());

  for (std::size_t peer = 0; peer < ranks; ++peer)
    EXPECT_EQ(received[peer], std::vector<double>(2000, static_cast<double>(peer)));
  EXPECT_TRUE(set.test()) << "an empty set is through";
}

TEST_F(RequestTest, TestIsFalseUntilTheMessageComes) {
  std::vector<double> mine(1, 4.0), received(1, 0.0);
  Request receive = irecv(comm_, bytes_of(received), previous_, 3);
  EXPECT_FALSE(receive.test());
  comm_.barrier();

  Request send = isend(comm_, bytes_of(mine), next_, 3);
  receive.wait(WaitPolicy::sleeping());
  send.wait(WaitPolicy::sleeping());
  EXPECT_EQ(received[0], 4.0);
}

TEST_F(RequestTest, AStopFlagEndsAWaitForAMessageThatNeverComes) {
  std::atomic<bool> stop = false;
  std::vector<double> received(1);
  std::thread failing([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    stop = true;
  });
  {
    Request never = irecv(comm_, bytes_of(received), previous_, 4);
    EXPECT_THROW(never.wait(WaitPolicy::sleeping(&stop)), Stopped);
  }
  failing.join();
  comm_.barrier();
}

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// Processor time that this thread uses while it waits for `duration`, as a share of it.
double busy_share(const WaitPolicy& policy, Clock::duration duration) {
  const auto seconds_used = [] {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  };
  const double before = seconds_used();
  const auto end = Clock::now() + duration;
  wait_until(policy, [&] { return Clock::now() >= end; });
  return (seconds_used() - before) / std::chrono::duration<double>(duration).count();
}

TEST(WaitPolicy, SleepingLeavesTheCoreToOthers) {
  prepare_waiting_thread();
  double least = 1;
  for (int attempt = 0; attempt < 10 && least >= 0.25; ++attempt)
    least = std::min(least, busy_share(WaitPolicy::sleeping(), 100ms));
  EXPECT_LT(least, 0.25);
}

TEST(WaitPolicy, SleepsNoLongerThanItsLongestSleepAllows) {
  prepare_waiting_thread();
  WaitPolicy policy = WaitPolicy::sleeping();
  policy.spin = {};
  Waiter waiter(policy);
  // Sleeps double: without a limit these would be of 20 ms to 0.6 s. A crowded machine makes some
  // of those of 0.2 ms as long, but not all.
  auto shortest = Clock::duration::max();
  for (int sleep = 0; sleep < 18; ++sleep) {
    const auto begin = Clock::now();
    waiter.pause();
    if (sleep >= 12) shortest = std::min(shortest, Clock::now() - begin);
  }
  EXPECT_LT(shortest, 15ms);
}

TEST(WaitPolicy, SpinningNeverSleeps) {
  const auto sleeps_so_far = [] {
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nvcsw;
  };
  const long before = sleeps_so_far();
  int polls = 0;

  wait_until(WaitPolicy::spinning(), [&] { return ++polls >= 2000; });

  EXPECT_LT(sleeps_so_far() - before, 100);
}

TEST(WaitPolicy, SpinningKeepsItsCoreWhileTheWaitIsShort) {
  // Beside a thread that would take the core whenever it is given up, and gets next to nothing
  // otherwise. A crowded machine may interrupt both: the best of many tries counts.
  double most = 0;
  std::thread([&] {
    cpu_set_t here;
    CPU_ZERO(&here);
    CPU_SET(sched_getcpu(), &here);
    ASSERT_EQ(sched_setaffinity(0, sizeof here, &here), 0);
    std::atomic<bool> over = false;
    std::thread idler([&] {
      const sched_param none{};
      sched_setscheduler(0, SCHED_IDLE, &none);
      while (!over) {
      }
    });
    for (int attempt = 0; attempt < 500 && most < 0.9; ++attempt) {
      std::this_thread::sleep_for(1ms);  // for a new time slice
      most = std::max(most, busy_share(WaitPolicy::spinning(), 1ms));
    }
    over = true;
    idler.join();
  }).join();
  EXPECT_GE(most, 0.9);
}

TEST(WaitPolicy, ReturnsAtOnceWhenReadyEvenIfStopped) {
  const std::atomic<bool> stop = true;
  EXPECT_NO_THROW(wait_until(WaitPolicy::sleeping(&stop), [] { return true; }));
}

TEST(WaitPolicy, BothPresetsObeyTheStopFlag) {
  const std::atomic<bool> stop = true;
  EXPECT_THROW(wait_until(WaitPolicy::sleeping(&stop), [] { return false; }), Stopped);
  EXPECT_THROW(wait_until(WaitPolicy::spinning(&stop), [] { return false; }), Stopped);
}

TEST(PrepareWaitingThread, ShortensTheTimerSlackOfTheCallingThreadOnly) {
  int inside = 0, outside = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
  std::thread([&] {
    prepare_waiting_thread();
    inside = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
  }).join();
  EXPECT_EQ(inside, 1000);
  EXPECT_EQ(prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0), outside);
}

}  // namespace
}  // namespace hpl::mpi
