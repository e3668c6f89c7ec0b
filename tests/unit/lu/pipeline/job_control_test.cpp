#include "hpl/lu/pipeline/job_control.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "hpl/comm/mpi/wait_policy.h"
#include "hpl/lu/pipeline/recorder.h"
#include "support/cpu_device.h"
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

class RecorderTest : public testing::Test {
 protected:
  std::unique_ptr<hpcx::Device> device_ = test::open_cpu(1);
  hpcx::Stream stream_ = device_->create_stream(hpcx::Priority::Normal);
  Recorder recorder_{stream_};

  void sleep_in_stream() {
    stream_.ref().host_task([] { std::this_thread::sleep_for(std::chrono::milliseconds(5)); });
  }
};

TEST_F(RecorderTest, GivesBackTheSpansOfThreads) {
  recorder_.add({Track::SwapWorker, Phase::RowSwap, 3, 2, 0.5, 0.75});
  const std::vector<Span> spans = recorder_.take_spans();
  ASSERT_EQ(spans.size(), 1u);
  EXPECT_EQ(spans[0].track, Track::SwapWorker);
  EXPECT_EQ(spans[0].step, 3);
  EXPECT_EQ(spans[0].chunk, 2);
  EXPECT_EQ(spans[0].end - spans[0].begin, 0.25);
}

TEST_F(RecorderTest, CountsFromItsRestart) {
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const double before = recorder_.now();
  double thread = before, stream = before;
  // On a crowded machine a try may take longer than that. Only a clock that goes on takes a minute.
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while ((thread >= before || stream >= before) && std::chrono::steady_clock::now() < end) {
    recorder_.restart(stream_);
    const hpcx::Event point = stream_.ref().record();
    point.synchronize();
    recorder_.add({Track::UpdateStream, Phase::Multiply, 1, 0}, point, point);
    const std::vector<Span> spans = recorder_.take_spans();
    ASSERT_EQ(spans.size(), 1u);
    stream = spans[0].end;
    thread = recorder_.now();
  }
  EXPECT_LT(thread, before);
  EXPECT_LT(stream, before);
}

TEST_F(RecorderTest, GivesNothingTwice) {
  recorder_.add({Track::SwapWorker, Phase::RowSwap, 0, 0, 0, 1});
  EXPECT_EQ(recorder_.take_spans().size(), 1u);
  EXPECT_TRUE(recorder_.take_spans().empty());
}

TEST_F(RecorderTest, TimesAScope) {
  const double before = recorder_.now();
  {
    const ScopedSpan span(recorder_, Track::UpdateWorker, Phase::BackSubstitution, 7);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  const std::vector<Span> spans = recorder_.take_spans();
  ASSERT_EQ(spans.size(), 1u);
  EXPECT_GE(spans[0].begin, before);
  EXPECT_GE(spans[0].end - spans[0].begin, 0.005);
  EXPECT_LE(spans[0].end, recorder_.now());
}

TEST_F(RecorderTest, TimesWorkOfAStreamThatLiesInTheFuture) {
  // The largest distance of the stream's time zero behind the host's, however crowded the machine
  // is.
  const auto start = Recorder::Clock::now();
  recorder_.restart(stream_);
  const double apart = std::chrono::duration<double>(Recorder::Clock::now() - start).count();
  const double before = recorder_.now();
  const hpcx::Event begin = stream_.ref().record();
  sleep_in_stream();
  const hpcx::Event end = stream_.ref().record();
  recorder_.add({Track::UpdateStream, Phase::Multiply, 1, 0}, begin, end);
  stream_.ref().synchronize();
  const std::vector<Span> spans = recorder_.take_spans();
  ASSERT_EQ(spans.size(), 1u);
  EXPECT_GE(spans[0].end - spans[0].begin, 0.005);
  // Clocks of threads and streams start together, the streams' never ahead.
  EXPECT_GE(spans[0].begin, before - apart);
  EXPECT_LE(spans[0].end, recorder_.now());
}

TEST_F(RecorderTest, KeepsEverySpanOfALongRun) {
  for (int step = 0; step < 300; ++step) {
    const hpcx::Event begin = stream_.ref().record();
    recorder_.add({Track::UpdateStream, Phase::Solve, step, 0}, begin, stream_.ref().record());
  }
  stream_.ref().synchronize();
  std::vector<Span> spans = recorder_.take_spans();
  ASSERT_EQ(spans.size(), 300u);
  std::ranges::sort(spans, {}, &Span::step);
  for (int step = 0; step < 300; ++step)
    EXPECT_EQ(spans[step].step, step);
}

/// A point of a stream at a time of its own, measured as a GPU's runtime measures it.
class TimedEvent final : public hpcx::EventState {
 public:
  explicit TimedEvent(double seconds) : seconds_(seconds) {}
  bool done() const override { return true; }
  void synchronize() override {}
  double seconds_since(const EventState& earlier) const override {
    const double apart = seconds_ - dynamic_cast<const TimedEvent&>(earlier).seconds_;
    return static_cast<double>(static_cast<float>(apart * 1e3)) * 1e-3;
  }

 private:
  double seconds_;
};

/// A stream whose every point lies at the start of its time.
class StreamOfTimedEvents final : public hpcx::StreamState {
 public:
  explicit StreamOfTimedEvents(hpcx::Device& device) : device_(device) {}
  hpcx::Device& device() const override { return device_; }
  hpcx::Event record() override { return at(0); }
  void wait(const hpcx::Event&) override {}
  void synchronize() override {}
  void copy_2d(const hpcx::StridedCopy&) override {}
  void host_task(std::function<void()>) override {}

  static hpcx::Event at(double seconds) {
    return hpcx::Event(std::make_shared<TimedEvent>(seconds));
  }

 private:
  hpcx::Device& device_;
};

TEST_F(RecorderTest, TimesWorkOfADayToTheMicrosecondThoughEventsCountInFloats) {
  StreamOfTimedEvents stream(*device_);
  Recorder recorder{hpcx::StreamRef(stream)};
  // Two streams, one some seconds behind the other, whose pieces of work take 0.7 ms every 0.9 s.
  constexpr std::int64_t kPieces = 96000;
  const auto begin = [](std::int64_t piece) {
    return 0.9 * static_cast<double>(piece) - (piece % 2 == 0 || piece < 10 ? 0.0 : 3.1);
  };
  for (std::int64_t piece = 0; piece < kPieces; ++piece)
    recorder.add({Track::UpdateStream, Phase::Multiply, piece, 0},
                 StreamOfTimedEvents::at(begin(piece)),
                 StreamOfTimedEvents::at(begin(piece) + 0.0007));
  double farthest = 0, longest = 0;
  for (const Span& span : recorder.take_spans()) {
    farthest = std::max(farthest, std::abs(span.begin - begin(span.step)));
    longest = std::max(longest, std::abs(span.end - span.begin - 0.0007));
  }
  EXPECT_LT(farthest, 50e-6);
  EXPECT_LT(longest, 1e-6);
}

TEST_F(RecorderTest, TakesSpansFromManyThreads) {
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      for (int k = 0; k < 250; ++k)
        const ScopedSpan span(recorder_, Track::PanelWorker, Phase::PanelBroadcast, k);
    });
  threads.clear();
  EXPECT_EQ(recorder_.take_spans().size(), 1000u);
}

TEST_F(RecorderTest, KnowsTheProductsThatAreDone) {
  EXPECT_EQ(recorder_.products_so_far().gflops(), 0);
  recorder_.add({Track::UpdateStream, Phase::Multiply, 0, 0, 1.0, 3.0, 8e9});
  recorder_.add({Track::SwapStream, Phase::RowSwap, 0, 0, 0.0, 100.0});
  EXPECT_EQ(recorder_.products_so_far().gflops(), 4);
  EXPECT_EQ(Recorder::products(recorder_.take_spans()).gflops(), 4);
}

TEST(RecorderTotals, AddUpTheSecondsOfEachPhase) {
  const PhaseTimes times = Recorder::totals({{Track::UpdateStream, Phase::Solve, 0, 0, 1.0, 1.5},
                                             {Track::UpdateStream, Phase::Solve, 1, 0, 2.0, 2.25},
                                             {Track::SwapStream, Phase::RowSwap, 0, 0, 0.0, 4.0}});
  EXPECT_EQ(times[Phase::Solve], 0.75);
  EXPECT_EQ(times[Phase::RowSwap], 4.0);
  EXPECT_EQ(times[Phase::Multiply], 0.0);
}

TEST(PhaseTotals, CountWorkOnceThoughAWorkerStartsItAndAStreamDoesIt) {
  const PhaseTimes times =
      Recorder::totals({{Track::UpdateWorker, Phase::Multiply, 0, 0, 0.0, 0.25},
                        {Track::UpdateStream, Phase::Multiply, 0, 0, 0.25, 1.25},
                        {Track::PanelWorker, Phase::PanelBroadcast, 0, 0, 0.0, 0.5},
                        {Track::UpdateWorker, Phase::BackSubstitution, 0, 0, 1.0, 1.125}});
  EXPECT_EQ(times[Phase::Multiply], 1.0);
  EXPECT_EQ(times[Phase::PanelBroadcast], 0.5);
  EXPECT_EQ(times[Phase::BackSubstitution], 0.125);
}

}  // namespace
}  // namespace hpl
