#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "device_fixture.h"

namespace hpcx::conformance {
namespace {

using namespace std::chrono_literals;

/// A thread that computes for a device. Devices on which the host does not compute are left out.
class LeaseTest : public DeviceTest {
 protected:
  void SetUp() override {
    if (!device_->compute_here()) GTEST_SKIP() << "the host does not compute for this device";
  }

  /// The thread that runs a task of `stream`.
  static std::thread::id runner_of(StreamRef stream) {
    std::thread::id runner;
    stream.host_task([&] { runner = std::this_thread::get_id(); });
    stream.synchronize();
    return runner;
  }
};
HPCX_INSTANTIATE_FOR_ALL_DEVICES(LeaseTest);

TEST_P(LeaseTest, TheThreadThatWaitsRunsWhatIsEnqueued) {
  const auto device = open(1);
  const Stream stream = device->create_stream(Priority::Normal);
  EXPECT_NE(runner_of(stream), std::this_thread::get_id());
  {
    const auto lease = device->compute_here();
    for (int round = 0; round < 50; ++round)
      ASSERT_EQ(runner_of(stream), std::this_thread::get_id());
  }
  EXPECT_NE(runner_of(stream), std::this_thread::get_id());
}

TEST_P(LeaseTest, TheThreadOfTheDeviceRests) {
  const auto device = open(1);
  const Stream stream = device->create_stream(Priority::Normal);
  const auto lease = device->compute_here();
  std::atomic<bool> ran = false;
  stream.ref().host_task([&] { ran = true; });
  const Event after = stream.ref().record();
  std::this_thread::sleep_for(20ms);
  EXPECT_FALSE(ran);
  after.synchronize();
  EXPECT_TRUE(ran);
}

TEST_P(LeaseTest, WhatIsLeftAtItsEndIsRunByTheDevice) {
  const auto device = open(1);
  const Stream stream = device->create_stream(Priority::Normal);
  auto lease = device->compute_here();
  std::thread::id runner;
  stream.ref().host_task([&] { runner = std::this_thread::get_id(); });
  const Event after = stream.ref().record();
  lease.reset();
  while (!after.done())
    std::this_thread::sleep_for(1ms);
  EXPECT_NE(runner, std::this_thread::get_id());
}

TEST_P(LeaseTest, AsManyThreadsComputeAsBefore) {
  // Every task waits until all have begun: it takes as many threads as there are tasks.
  constexpr int kThreads = 3;
  const auto device = open(kThreads);
  for (int round = 0; round < 20; ++round) {
    const auto lease = device->compute_here();
    std::vector<Stream> streams;
    std::atomic<int> begun = 0;
    for (int t = 0; t < kThreads; ++t) {
      streams.push_back(device->create_stream(Priority::Normal));
      streams.back().ref().host_task([&] {
        ++begun;
        while (begun < kThreads)
          std::this_thread::yield();
      });
    }
    device->synchronize();
    EXPECT_EQ(begun, kThreads);
  }
}

TEST_P(LeaseTest, TheOtherThreadsWakeTheOneThatWaitsForThem) {
  const auto device = open(2);
  const Stream slow = device->create_stream(Priority::Normal);
  const Stream quick = device->create_stream(Priority::Normal);
  const auto lease = device->compute_here();
  std::atomic<bool> begun = false;
  slow.ref().host_task([&] {  // in the other thread: this one is not waiting yet
    begun = true;
    std::this_thread::sleep_for(30ms);
  });
  while (!begun)
    std::this_thread::yield();
  quick.ref().wait(slow.ref().record());
  EXPECT_NE(runner_of(quick), std::thread::id{});
}

TEST_P(LeaseTest, WorkThatArrivesWakesTheThreadThatWaits) {
  // The device's other thread is held; this one waits for it and has nothing to do at first.
  const auto device = open(2);
  const Stream held = device->create_stream(Priority::Normal);
  const auto lease = device->compute_here();
  std::atomic<bool> begun = false, released = false, ran = false;
  held.ref().host_task([&] {
    begun = true;
    while (!released)
      std::this_thread::sleep_for(1ms);
  });
  const Event after = held.ref().record();
  while (!begun)
    std::this_thread::yield();
  bool ran_in_time = false;
  std::jthread other([&] {
    std::this_thread::sleep_for(20ms);
    const Stream own = device->create_stream(Priority::Normal);
    own.ref().host_task([&] { ran = true; });
    for (int tries = 0; tries < 10000 && !ran; ++tries)
      std::this_thread::sleep_for(1ms);
    ran_in_time = ran;
    released = true;
  });
  after.synchronize();
  other.join();
  EXPECT_TRUE(ran_in_time);
}

TEST_P(LeaseTest, StreamsKeepTheirOrder) {
  const auto device = open(1);
  const Stream first = device->create_stream(Priority::Normal);
  const Stream second = device->create_stream(Priority::High);
  const auto lease = device->compute_here();
  std::vector<int> order;
  for (int k = 0; k < 50; ++k) {
    second.ref().wait(first.ref().record());
    second.ref().host_task([&order, k] { order.push_back(2 * k); });
    first.ref().wait(second.ref().record());
    first.ref().host_task([&order, k] { order.push_back(2 * k + 1); });
  }
  first.ref().synchronize();
  ASSERT_EQ(order.size(), 100u);
  for (int k = 0; k < 100; ++k)
    EXPECT_EQ(order[static_cast<std::size_t>(k)], k);
}

TEST_P(LeaseTest, ATaskMayStillRunALoopInAllThreads) {
  for (const int threads : {1, 3}) {
    const auto device = open(threads);
    const Stream stream = device->create_stream(Priority::Normal);
    const auto lease = device->compute_here();
    std::vector<int> done(1000, 0);
    for (int round = 0; round < 20; ++round)
      stream.ref().host_task([&] {
        device->parallel_for(1000, [&](std::int64_t i) { ++done[static_cast<std::size_t>(i)]; });
      });
    stream.ref().synchronize();
    EXPECT_EQ(done, std::vector<int>(1000, 20)) << threads << " threads";
  }
}

TEST_P(LeaseTest, WhatATaskThrowsSurfacesInTheThreadThatRanIt) {
  const auto device = open(1);
  const Stream stream = device->create_stream(Priority::Normal);
  const auto lease = device->compute_here();
  bool ran = false;
  stream.ref().host_task([] { throw std::runtime_error("the task failed"); });
  stream.ref().host_task([&] { ran = true; });
  EXPECT_THROW(stream.ref().synchronize(), std::runtime_error);
  EXPECT_FALSE(ran);
}

TEST_P(LeaseTest, AnotherThreadMayWaitMeanwhile) {
  const auto device = open(2);
  const Stream mine = device->create_stream(Priority::Normal);
  const auto lease = device->compute_here();
  std::atomic<int> finished = 0;
  std::jthread other([&] {
    const Stream own = device->create_stream(Priority::Normal);
    for (int k = 0; k < 100; ++k)
      own.ref().host_task([&] { ++finished; });
    own.ref().synchronize();
  });
  for (int k = 0; k < 100; ++k) {
    mine.ref().host_task([&] { ++finished; });
    mine.ref().synchronize();
  }
  other.join();
  EXPECT_EQ(finished, 200);
}

}  // namespace
}  // namespace hpcx::conformance
