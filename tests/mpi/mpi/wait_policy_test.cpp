#include "hpl/comm/mpi/wait_policy.h"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include <gtest/gtest.h>

namespace hpl::mpi {
namespace {

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
  // 500 sleeps of 200 us on an idle machine; ten times fewer on a crowded one. A machine may keep
  // the thread waiting for a while: the best of a few tries counts.
  int most_polls = 0;
  for (int attempt = 0; attempt < 10 && most_polls < 50; ++attempt) {
    int polls = 0;
    const auto end = Clock::now() + 100ms;
    wait_until(WaitPolicy::sleeping(), [&] {
      ++polls;
      return Clock::now() >= end;
    });
    most_polls = std::max(most_polls, polls);
  }
  EXPECT_GE(most_polls, 50);
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
