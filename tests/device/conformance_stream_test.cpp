#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "device_fixture.h"
#include "hpcx/error.h"
#include "support/message_of.h"

namespace hpcx::conformance {
namespace {

using namespace std::chrono_literals;

class StreamTest : public DeviceTest {};
HPCX_INSTANTIATE_FOR_ALL_DEVICES(StreamTest);

TEST_P(StreamTest, RunsHostTasksInTheirOrder) {
  std::vector<int> order;
  for (int k = 0; k < 200; ++k)
    stream_.ref().host_task([&order, k] { order.push_back(k); });
  stream_.ref().synchronize();
  ASSERT_EQ(order.size(), 200u);
  for (int k = 0; k < 200; ++k)
    EXPECT_EQ(order[static_cast<std::size_t>(k)], k);
}

TEST_P(StreamTest, RunsDeviceWorkAndHostTasksInOneOrder) {
  constexpr std::int64_t kSize = 1 << 20;
  const Buffer device = device_->allocate(kSize * sizeof(double));
  const Buffer pinned = device_->allocate_pinned(kSize * sizeof(double));
  const MatrixView all{device.as<double>(), kSize, 1, kSize, Layout::ColumnMajor};
  std::vector<double> seen;
  for (int round = 1; round <= 5; ++round) {
    device_->kernels().fill(stream_, round, all);
    stream_.ref().copy(pinned.as<void>(), device.as<void>(), pinned.bytes());
    stream_.ref().host_task([&] { seen.push_back(pinned.as<double>()[kSize - 1]); });
  }
  stream_.ref().synchronize();
  EXPECT_EQ(seen, (std::vector<double>{1, 2, 3, 4, 5}));
}

TEST_P(StreamTest, AWaitHoldsAStreamUntilTheOtherReachedTheEvent) {
  Stream other = device_->create_stream(Priority::High);
  int value = 0;
  int seen = -1;
  stream_.ref().host_task([&] {
    std::this_thread::sleep_for(50ms);
    value = 7;
  });
  other.ref().wait(stream_.ref().record());
  other.ref().host_task([&] { seen = value; });
  other.ref().synchronize();
  EXPECT_EQ(seen, 7);
  stream_.ref().synchronize();
}

TEST_P(StreamTest, AnEventBehindAWaitAloneFreesAStreamMadeEarlier) {
  // A chain without work of its own: `first` waits for a point of `middle` that waits for `last`.
  // One compute thread, so that no other one comes to look again.
  const auto device = open(1);
  Stream first = device->create_stream(Priority::Normal);
  Stream middle = device->create_stream(Priority::Normal);
  Stream last = device->create_stream(Priority::Normal);
  std::atomic<bool> released = false;
  last.ref().host_task([&] {
    while (!released)
      std::this_thread::sleep_for(1ms);
  });
  middle.ref().wait(last.ref().record());
  first.ref().wait(middle.ref().record());
  bool ran = false;
  first.ref().host_task([&] { ran = true; });
  released = true;
  first.ref().synchronize();
  EXPECT_TRUE(ran);
}

TEST_P(StreamTest, AnEventOrdersDeviceMemoryBetweenStreams) {
  constexpr std::int64_t kSize = 1 << 22;
  Stream other = device_->create_stream(Priority::Normal);
  const Buffer device = device_->allocate(kSize * sizeof(double));
  const Buffer pinned = device_->allocate_pinned(kSize * sizeof(double));
  const MatrixView all{device.as<double>(), kSize, 1, kSize, Layout::ColumnMajor};
  for (int round = 0; round < 20; ++round)
    device_->kernels().fill(stream_, round, all);
  other.ref().wait(stream_.ref().record());
  other.ref().copy(pinned.as<void>(), device.as<void>(), pinned.bytes());
  other.ref().synchronize();
  for (std::int64_t k = 0; k < kSize; k += 4097)
    ASSERT_EQ(pinned.as<double>()[k], 19.0);
}

TEST_P(StreamTest, AnEventNamesItsPointForEver) {
  std::vector<Event> events;
  std::atomic<int> reached = 0;
  for (int k = 0; k < 50; ++k) {
    stream_.ref().host_task([&reached] { ++reached; });
    events.push_back(stream_.ref().record());
  }
  events[19].synchronize();
  EXPECT_GE(reached, 20);
  const Event copy = events[49];
  events.clear();
  copy.synchronize();
  EXPECT_TRUE(copy.done());
  EXPECT_EQ(reached, 50);
}

TEST_P(StreamTest, AnEventIsNotDoneBeforeItsWork) {
  std::atomic<bool> release = false;
  stream_.ref().host_task([&] {
    while (!release)
      std::this_thread::sleep_for(1ms);
  });
  const Event after = stream_.ref().record();
  EXPECT_FALSE(after.done());
  release = true;
  after.synchronize();
  EXPECT_TRUE(after.done());
}

TEST_P(StreamTest, AnEmptyEventHasHappened) {
  const Event empty;
  EXPECT_TRUE(empty.done());
  empty.synchronize();
  stream_.ref().wait(empty);
  stream_.ref().synchronize();
}

TEST_P(StreamTest, EventsMeasureTheTimeBetweenThem) {
  const Event start = stream_.ref().record();
  stream_.ref().host_task([] { std::this_thread::sleep_for(30ms); });
  const Event end = stream_.ref().record();
  end.synchronize();
  EXPECT_GE(end.seconds_since(start), 0.025);
  EXPECT_LT(end.seconds_since(start), 5.0);
  EXPECT_EQ(start.seconds_since(end), -end.seconds_since(start));
}

TEST_P(StreamTest, ManyThreadsUseStreamsOfTheirOwn) {
  constexpr int kThreads = 4;
  std::vector<double> sums(kThreads);
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        const Stream own = device_->create_stream(t % 2 ? Priority::High : Priority::Normal);
        const Buffer values = device_->allocate(1000 * sizeof(double));
        const Buffer back = device_->allocate_pinned(1000 * sizeof(double));
        device_->kernels().fill(own, t + 1, {values.as<double>(), 1000, 1, 1000});
        own.ref().copy(back.as<void>(), values.as<void>(), 1000 * sizeof(double));
        own.ref().synchronize();
        for (int k = 0; k < 1000; ++k)
          sums[static_cast<std::size_t>(t)] += back.as<double>()[k];
      });
    }
  }
  EXPECT_EQ(sums, (std::vector<double>{1000, 2000, 3000, 4000}));
}

TEST_P(StreamTest, WhatAHostTaskThrowsSurfacesWhereTheHostWaits) {
  stream_.ref().host_task([] { throw std::runtime_error("the task failed"); });
  const Event after = stream_.ref().record();
  const auto expect_failure = [](auto wait) {
    EXPECT_EQ(hpl::test::message_of<std::runtime_error>([&] { wait(); }), "the task failed");
  };
  expect_failure([&] { stream_.ref().synchronize(); });
  expect_failure([&] { after.synchronize(); });
  expect_failure([&] { device_->synchronize(); });
}

TEST_P(StreamTest, DropsHostTasksBehindAFailure) {
  bool ran = false;
  stream_.ref().host_task([] { throw std::runtime_error("the task failed"); });
  stream_.ref().host_task([&] { ran = true; });
  EXPECT_THROW(stream_.ref().synchronize(), std::runtime_error);
  EXPECT_FALSE(ran);
}

TEST_P(StreamTest, TheDeviceWaitsForAllItsStreams) {
  Stream other = device_->create_stream(Priority::High);
  std::atomic<int> finished = 0;
  for (const StreamRef stream : {stream_.ref(), other.ref()}) {
    stream.host_task([&] {
      std::this_thread::sleep_for(20ms);
      ++finished;
    });
  }
  device_->synchronize();
  EXPECT_EQ(finished, 2);
}

}  // namespace
}  // namespace hpcx::conformance
