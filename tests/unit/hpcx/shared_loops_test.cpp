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

/// The iterations, in order, that a helper of a number makes while the owner is in its first one.
std::vector<std::int64_t> order_of(SharedLoops& loops, int owner, int helper, std::int64_t count) {
  std::vector<std::int64_t> order;
  std::jthread thread;
  std::atomic<bool> owner_has_begun = false;
  SharedLoops::set_own_number(owner);
  loops.run(
      count,
      [&, owner_id = std::this_thread::get_id()](std::int64_t i) {
        if (std::this_thread::get_id() != owner_id) {
          order.push_back(i);
        } else if (thread.joinable()) {
          owner_has_begun = true;
          thread.join();
        }
      },
      [&] {
        thread = std::jthread([&, helper] {
          SharedLoops::set_own_number(helper);
          while (!owner_has_begun)
            std::this_thread::yield();
          loops.help();
        });
      });
  SharedLoops::set_own_number(0);
  return order;
}

TEST(SharedLoops, ThreadsBeginWithPartsInTheOrderThatFollowsTheOwner) {
  SharedLoops loops(4);
  using Order = std::vector<std::int64_t>;
  EXPECT_EQ(order_of(loops, 0, 3, 8), (Order{6, 7, 1, 2, 3, 4, 5}));
  EXPECT_EQ(order_of(loops, 2, 3, 8), (Order{2, 3, 4, 5, 6, 7, 1}));
  EXPECT_EQ(order_of(loops, 3, 1, 8), (Order{4, 5, 6, 7, 1, 2, 3}));
  EXPECT_EQ(order_of(loops, 0, 2, 3), (Order{2, 1}));  // fewer parts than threads
}

TEST(SharedLoops, OccupyAsManyThreadsAsAMachineHas) {
  constexpr int kThreads = 144;
  SharedLoops loops(kThreads);
  const std::vector<std::int64_t> order = order_of(loops, 10, 110, 2 * kThreads);
  ASSERT_GE(order.size(), 2 * kThreads - 1);
  EXPECT_EQ(order[0], 200);
  EXPECT_EQ(order[1], 201);
}

TEST(SharedLoops, HavePartsForAsManyThreadsAsIterations) {
  SharedLoops loops(4);
  SharedLoops::set_own_number(3);
  EXPECT_TRUE(loops.has_part(3, 2));
  EXPECT_TRUE(loops.has_part(0, 2));
  EXPECT_FALSE(loops.has_part(1, 2));
  EXPECT_TRUE(loops.has_part(1, 3));
  for (int number = 0; number < 4; ++number)
    EXPECT_TRUE(loops.has_part(number, 1000)) << number;
  bool to_the_next = false, to_others = true, helped = true;
  loops.run(
      2, [](std::int64_t) {},
      [&] {
        SharedLoops::set_own_number(1);
        to_others = loops.open();
        helped = loops.help();
        SharedLoops::set_own_number(0);
        to_the_next = loops.open();
        SharedLoops::set_own_number(3);
      });
  EXPECT_TRUE(to_the_next);
  EXPECT_FALSE(to_others);
  EXPECT_FALSE(helped);
  SharedLoops::set_own_number(0);
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
