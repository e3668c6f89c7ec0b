#include "cpu/shared_loops.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace hpcx::cpu {
namespace {

const auto kNobodyToTell = [] {};

/// Threads that help until they go.
class Helpers {
 public:
  Helpers(SharedLoops& loops, int count) {
    for (int number = 1; number <= count; ++number)
      threads_.emplace_back([&loops, number](const std::stop_token& stop) {
        SharedLoops::set_own_number(number);
        while (!stop.stop_requested())
          if (!loops.help()) std::this_thread::yield();
      });
  }

 private:
  std::vector<std::jthread> threads_;
};

TEST(SharedLoops, MakeEveryIterationOnceWhateverTheirNumber) {
  SharedLoops loops(4);
  const Helpers helpers(loops, 3);
  for (const std::int64_t count : {0, 1, 2, 3, 5, 63, 64, 65, 100, 129, 512, 513, 1000}) {
    std::vector<std::atomic<int>> made(static_cast<std::size_t>(count));
    loops.run(
        count, [&](std::int64_t i) { ++made[static_cast<std::size_t>(i)]; }, kNobodyToTell);
    for (const std::atomic<int>& times : made)
      ASSERT_EQ(times, 1) << "of " << count;
  }
  EXPECT_FALSE(loops.open());
}

TEST(SharedLoops, OfMoreThreadsThanThereIsRoomForAllEnd) {
  SharedLoops loops(2);
  const Helpers helpers(loops, 1);
  constexpr int kThreads = 7, kLoops = 300, kCount = 20;
  std::atomic<std::int64_t> sum = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t)
      threads.emplace_back([&] {
        for (int k = 0; k < kLoops; ++k)
          loops.run(
              kCount, [&](std::int64_t i) { sum += i; }, kNobodyToTell);
      });
  }
  EXPECT_EQ(sum, std::int64_t{kThreads} * kLoops * kCount * (kCount - 1) / 2);
}

TEST(SharedLoops, OneThreadBeginsWithThePartOfItsNumber) {
  SharedLoops loops(4);
  const auto order_of = [&](int number) {
    std::vector<std::int64_t> order;
    SharedLoops::set_own_number(number);
    loops.run(
        8, [&](std::int64_t i) { order.push_back(i); }, kNobodyToTell);
    return order;
  };
  EXPECT_EQ(order_of(0), (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(order_of(3), (std::vector<std::int64_t>{6, 7, 0, 1, 2, 3, 4, 5}));
  SharedLoops::set_own_number(0);
}

TEST(SharedLoops, OccupyAsManyThreadsAsAMachineHas) {
  constexpr int kThreads = 144;
  SharedLoops loops(kThreads);
  std::vector<std::int64_t> order;
  SharedLoops::set_own_number(100);
  loops.run(
      2 * kThreads, [&](std::int64_t i) { order.push_back(i); }, kNobodyToTell);
  SharedLoops::set_own_number(0);
  ASSERT_EQ(order.size(), 2 * kThreads);
  EXPECT_EQ(order[0], 200);
  EXPECT_EQ(order[1], 201);
}

TEST(SharedLoops, EndWhenTheIterationsOfOthersAreDone) {
  SharedLoops loops(4);
  const Helpers helpers(loops, 3);
  constexpr int kCount = 4;
  for (int k = 0; k < 20; ++k) {
    std::atomic<int> made = 0;
    loops.run(
        kCount,
        [&](std::int64_t i) {
          std::this_thread::sleep_for(std::chrono::milliseconds(i));
          ++made;
        },
        kNobodyToTell);
    ASSERT_EQ(made, kCount);
  }
}

TEST(SharedLoops, AreSeenWhenTheyAreToldOf) {
  SharedLoops loops(2);
  bool open = false;
  loops.run(
      2, [](std::int64_t) {}, [&] { open = loops.open(); });
  EXPECT_TRUE(open);
  EXPECT_FALSE(loops.open());
}

TEST(SharedLoops, ThrowTheFirstExceptionAndGoOnWithTheNextLoop) {
  SharedLoops loops(3);
  const Helpers helpers(loops, 2);
  for (int k = 0; k < 100; ++k) {
    EXPECT_THROW(loops.run(
                     50,
                     [&](std::int64_t i) {
                       if (i == k % 50) throw std::runtime_error("an iteration");
                     },
                     kNobodyToTell),
                 std::runtime_error);
    std::atomic<int> made = 0;
    loops.run(
        50, [&](std::int64_t) { ++made; }, kNobodyToTell);
    EXPECT_EQ(made, 50);
  }
}

}  // namespace
}  // namespace hpcx::cpu
