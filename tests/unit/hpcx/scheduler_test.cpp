#include "cpu/scheduler.h"

#include <atomic>
#include <cstdint>

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

}  // namespace
}  // namespace hpcx::cpu
