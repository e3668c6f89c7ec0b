#include "lu/pipeline/bounded_queue.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace hpl {
namespace {

using namespace std::chrono_literals;

/// Long enough for a thread to get stuck where it should, short against the suite.
constexpr auto kMoment = 20ms;

TEST(BoundedQueue, HandsOutItemsInOrder) {
  BoundedQueue<int> queue(3);
  for (const int item : {1, 2, 3})
    EXPECT_TRUE(queue.push(item));
  for (const int item : {1, 2, 3})
    EXPECT_EQ(queue.pop(), item);
}

TEST(BoundedQueue, CarriesItemsThatOnlyMove) {
  BoundedQueue<std::unique_ptr<int>> queue(1);
  queue.push(std::make_unique<int>(5));
  EXPECT_EQ(**queue.pop(), 5);
}

TEST(BoundedQueue, PushWaitsForRoom) {
  BoundedQueue<int> queue(2);
  queue.push(1);
  queue.push(2);
  std::atomic<bool> pushed = false;
  std::jthread producer([&] {
    queue.push(3);
    pushed = true;
  });
  std::this_thread::sleep_for(kMoment);
  EXPECT_FALSE(pushed);
  EXPECT_EQ(queue.pop(), 1);
  producer.join();
  EXPECT_TRUE(pushed);
  EXPECT_EQ(queue.pop(), 2);
  EXPECT_EQ(queue.pop(), 3);
}

TEST(BoundedQueue, PopWaitsForAnItem) {
  BoundedQueue<int> queue(2);
  std::optional<int> received;
  std::atomic<bool> popped = false;
  std::jthread consumer([&] {
    received = queue.pop();
    popped = true;
  });
  std::this_thread::sleep_for(kMoment);
  EXPECT_FALSE(popped);
  queue.push(8);
  consumer.join();
  EXPECT_EQ(received, 8);
}

TEST(BoundedQueue, PopThatLooksFindsWhatComesMeanwhileAndLater) {
  BoundedQueue<int> queue(2);
  std::jthread producer([&] {
    queue.push(1);
    std::this_thread::sleep_for(kMoment);
    queue.push(2);
  });
  EXPECT_EQ(queue.pop(1h), 1);
  EXPECT_EQ(queue.pop(1ns), 2);  // has gone to sleep
}

TEST(BoundedQueue, CloseEndsPopsThatLook) {
  BoundedQueue<int> queue(1);
  queue.push(1);
  std::jthread closer([&] {
    std::this_thread::sleep_for(kMoment);
    queue.close();
  });
  EXPECT_EQ(queue.pop(1h), 1);
  EXPECT_EQ(queue.pop(1h), std::nullopt);
  EXPECT_EQ(queue.pop(1h), std::nullopt);
}

TEST(BoundedQueue, CloseHandsOutTheRestThenEnds) {
  BoundedQueue<int> queue(4);
  queue.push(1);
  queue.push(2);
  queue.close();
  EXPECT_FALSE(queue.push(3));
  EXPECT_EQ(queue.pop(), 1);
  EXPECT_EQ(queue.pop(), 2);
  EXPECT_EQ(queue.pop(), std::nullopt);
  EXPECT_EQ(queue.pop(), std::nullopt);
}

TEST(BoundedQueue, MayBeClosedTwice) {
  BoundedQueue<int> queue(1);
  queue.close();
  queue.close();
  EXPECT_FALSE(queue.push(1));
  EXPECT_FALSE(queue.push(1));
  EXPECT_EQ(queue.pop(), std::nullopt);
}

TEST(BoundedQueue, CloseWakesEverySleepingConsumer) {
  for (int turn = 0; turn < 20; ++turn) {
    BoundedQueue<int> queue(1);
    std::atomic<int> ended = 0;
    std::vector<std::jthread> consumers;
    for (int i = 0; i < 4; ++i)
      consumers.emplace_back([&] {
        while (queue.pop()) {
        }
        ++ended;
      });
    if (turn % 2 == 0) std::this_thread::sleep_for(1ms);
    queue.close();
    consumers.clear();
    EXPECT_EQ(ended, 4);
  }
}

TEST(BoundedQueue, CloseWakesEverySleepingProducer) {
  for (int turn = 0; turn < 20; ++turn) {
    BoundedQueue<int> queue(1);
    queue.push(0);
    std::atomic<int> refused = 0;
    std::vector<std::jthread> producers;
    for (int i = 0; i < 4; ++i)
      producers.emplace_back([&] {
        if (!queue.push(1)) ++refused;
      });
    if (turn % 2 == 0) std::this_thread::sleep_for(1ms);
    queue.close();
    producers.clear();
    EXPECT_EQ(refused, 4);
    EXPECT_EQ(queue.pop(), 0);
  }
}

TEST(BoundedQueue, LosesNothingBetweenManyThreads) {
  constexpr int kThreads = 4, kItems = 2000;
  BoundedQueue<int> queue(3);
  std::vector<std::atomic<int>> received(kThreads * kItems);
  std::vector<std::jthread> consumers;
  for (int i = 0; i < kThreads; ++i)
    consumers.emplace_back([&] {
      std::vector<int> last(kThreads, -1);  // items of one producer come in order
      while (const auto item = queue.pop()) {
        int& previous = last[*item / kItems];
        EXPECT_LT(previous, *item);
        previous = *item;
        ++received[*item];
      }
    });
  std::vector<std::jthread> producers;
  for (int i = 0; i < kThreads; ++i)
    producers.emplace_back([&, i] {
      for (int item = 0; item < kItems; ++item)
        queue.push(i * kItems + item);
    });
  producers.clear();
  queue.close();
  consumers.clear();
  for (const auto& count : received)
    EXPECT_EQ(count, 1);
}

TEST(BoundedQueue, PassesOnWhatTheProducerDidBefore) {
  BoundedQueue<int> queue(2);
  std::vector<int> plain(1000, 0);
  std::jthread producer([&] {
    for (int i = 0; i < 1000; ++i) {
      plain[i] = i + 1;
      queue.push(i);
    }
    queue.close();
  });
  while (const auto item = queue.pop())
    EXPECT_EQ(plain[*item], *item + 1);
}

}  // namespace
}  // namespace hpl
