#include "hpl/lu/pipeline/job_control.h"

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "hpl/comm/mpi/wait_policy.h"
#include "support/message_of.h"

namespace hpl {
namespace {

std::exception_ptr failure(const std::string& text) {
  return std::make_exception_ptr(std::runtime_error(text));
}

std::string rethrown(JobControl& control) {
  return test::message_of([&] { control.rethrow_failure(); });
}

TEST(JobControl, HasNoFailureAtFirst) {
  JobControl control;
  EXPECT_FALSE(control.stopped());
  EXPECT_FALSE(control.stop_flag());
  EXPECT_NO_THROW(control.rethrow_failure());
}

TEST(JobControl, KeepsTheFirstFailure) {
  JobControl control;
  control.fail(failure("the cause"));
  control.fail(failure("a consequence"));
  EXPECT_TRUE(control.stopped());
  EXPECT_TRUE(control.stop_flag());
  EXPECT_EQ(rethrown(control), "the cause");
}

TEST(JobControl, DoesNotTakeTheEchoOfAStopForACause) {
  JobControl control;
  control.fail(failure("the cause"));
  control.fail(std::make_exception_ptr(mpi::Stopped()));
  EXPECT_EQ(rethrown(control), "the cause");
}

TEST(JobControl, CallsTheStopActionOnce) {
  JobControl control;
  int calls = 0;
  control.on_stop([&] { ++calls; });
  control.fail(failure("one"));
  control.fail(failure("two"));
  EXPECT_EQ(calls, 1);
}

TEST(JobControl, ForgetsAStopActionThatWasTakenBack) {
  JobControl control;
  int calls = 0;
  control.on_stop([&] { ++calls; });
  control.on_stop(nullptr);
  control.fail(failure("late"));
  EXPECT_EQ(calls, 0);
}

TEST(JobControl, LetsTheStopActionUseTheControl) {
  JobControl control;
  bool stopped = false;
  control.on_stop([&] { stopped = control.stopped(); });
  control.fail(failure("cause"));
  EXPECT_TRUE(stopped);
}

TEST(JobControl, AgreesOnOneFailureOfManyThreads) {
  JobControl control;
  std::atomic<int> calls = 0;
  control.on_stop([&] { ++calls; });
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i)
    threads.emplace_back([&, i] { control.fail(failure(std::to_string(i))); });
  threads.clear();
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(rethrown(control), rethrown(control));
  EXPECT_EQ(rethrown(control).size(), 1u);
}

TEST(JobControl, TellsWhatEveryWorkerDoes) {
  JobControl control;
  control.set_status(Worker::Panel, "waits for rain", 12, Peers::Row);
  control.set_status(Worker::Update, "counts sheep", 11, Peers::None, 3);
  const std::vector<WorkerState> workers = control.workers();
  ASSERT_EQ(workers.size(), 4u);
  EXPECT_EQ(workers[0].what, "waits for rain");
  EXPECT_EQ(workers[0].step, 12);
  EXPECT_EQ(workers[0].peers, Peers::Row);
  EXPECT_EQ(workers[1].what, "not started");
  EXPECT_EQ(workers[3].what, "counts sheep");
  EXPECT_EQ(workers[3].chunk, 3);
}

TEST(JobControl, TellsOnlyTheLastThingThatASingleThreadDid) {
  JobControl control;
  control.one_thread();
  control.set_status(Worker::Panel, "waits for rain", 12);
  control.set_status(Worker::Swap, "counts sheep", 11);
  const std::vector<WorkerState> workers = control.workers();
  ASSERT_EQ(workers.size(), 1u);
  EXPECT_EQ(workers[0].worker, Worker::Swap);
  EXPECT_EQ(workers[0].what, "counts sheep");
}

TEST(JobControl, MeasuresTheTimeSinceTheLastBeat) {
  using namespace std::chrono_literals;
  JobControl control;
  std::this_thread::sleep_for(10ms);
  EXPECT_GE(control.since_last_beat(), 10ms);
  const auto before = std::chrono::steady_clock::now();
  control.beat();
  const auto since = control.since_last_beat();
  EXPECT_LE(since, std::chrono::steady_clock::now() - before);
}

}  // namespace
}  // namespace hpl
