#include "cpu/scheduler.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <thread>

#include <sys/resource.h>

#include <gtest/gtest.h>

namespace hpcx::cpu {
namespace {

/// A panel's loops beside products, with threads that come from loops to tasks and back, fall
/// asleep in between and give their place to one that joins.
TEST(Scheduler, RunsLoopsOfTasksBesideOtherQueues) {
  constexpr int kRounds = 200, kLoops = 50, kCount = 20, kBlocks = 7;
  for (const int threads : {1, 2, 3, 5}) {
    Scheduler scheduler(threads, {});
    OperationQueue& panels = scheduler.add_queue(Priority::High);
    OperationQueue& products = scheduler.add_queue(Priority::Normal);
    std::atomic<std::int64_t> sum = 0, blocks = 0;
    for (int round = 0; round < kRounds; ++round) {
      scheduler.enqueue(panels, {.blocks = 1, .body = [&](std::int64_t) {
                                   for (int k = 0; k < kLoops; ++k)
                                     scheduler.parallel_for(kCount,
                                                            [&](std::int64_t i) { sum += i; });
                                 }});
      scheduler.enqueue(products, {.blocks = kBlocks, .body = [&](std::int64_t) { ++blocks; }});
      if (round % 3 == 0) scheduler.wait_until_done(*scheduler.record(panels));
      if (round % 50 != 10) continue;
      scheduler.join();
      scheduler.wait_until_done(*scheduler.record(panels));
      scheduler.wait_until_done(*scheduler.record(products));
      scheduler.leave();
    }
    scheduler.wait_until_idle();
    EXPECT_EQ(sum, std::int64_t{kRounds} * kLoops * kCount * (kCount - 1) / 2) << threads;
    EXPECT_EQ(blocks, kRounds * kBlocks) << threads;
    scheduler.remove_queue(panels);
    scheduler.remove_queue(products);
  }
}

/// Each iteration waits for the other to be under way, so that one thread cannot make both.
TEST(Scheduler, HasIdleThreadsHelpWithALoop) {
  using Clock = std::chrono::steady_clock;
  Scheduler scheduler(2, {});
  std::atomic<bool> together = false;
  for (const auto end = Clock::now() + std::chrono::seconds(20); !together && Clock::now() < end;) {
    std::atomic<int> under_way = 0;
    scheduler.parallel_for(2, [&](std::int64_t) {
      ++under_way;
      const auto patience = Clock::now() + std::chrono::milliseconds(100);
      while (!together && Clock::now() < patience) {
        if (under_way == 2) together = true;
        std::this_thread::yield();
      }
      --under_way;
    });
  }
  EXPECT_TRUE(together);
}

/// All of them look out for another loop when the task comes.
TEST(Scheduler, RunsATaskThatFollowsALoop) {
  for (int k = 0; k < 500; ++k) {
    Scheduler scheduler(2, {});
    OperationQueue& queue = scheduler.add_queue(Priority::Normal);
    for (int i = 0; i < 5; ++i) {
      std::atomic<int> made = 0;
      scheduler.parallel_for(64, [&](std::int64_t) { ++made; });
      scheduler.enqueue(queue, {.blocks = 1, .body = [&](std::int64_t) { ++made; }});
      scheduler.wait_until_done(*scheduler.record(queue));
      ASSERT_EQ(made, 65);
    }
    scheduler.remove_queue(queue);
  }
}

/// Other streams have nothing to do meanwhile.
TEST(Scheduler, LetsWhoWaitsSleepWhileATaskRunsLoops) {
  using Clock = std::chrono::steady_clock;
  constexpr int kLoops = 1000;
  Scheduler scheduler(3, {});
  OperationQueue& queue = scheduler.add_queue(Priority::High);
  OperationQueue& without_work = scheduler.add_queue(Priority::Normal);
  scheduler.enqueue(queue, {.blocks = 1, .body = [&](std::int64_t) {
                              for (int k = 0; k < kLoops; ++k)
                                scheduler.parallel_for(6, [](std::int64_t) {
                                  const auto end = Clock::now() + std::chrono::microseconds(20);
                                  while (Clock::now() < end) {
                                  }
                                });
                            }});
  const auto event = scheduler.record(queue);
  const auto sleeps = [] {
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nvcsw;
  };
  const auto before = sleeps();
  scheduler.wait_until_done(*event);
  EXPECT_LT(sleeps() - before, kLoops / 50);
  scheduler.remove_queue(queue);
  scheduler.remove_queue(without_work);
}

}  // namespace
}  // namespace hpcx::cpu
