#include "hpl/lu/pipeline/recorder.h"

#include <algorithm>
#include <chrono>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "support/cpu_device.h"

namespace hpl {
namespace {

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
  // On a crowded machine a try may take longer than that.
  for (int attempt = 0; attempt < 10 && (thread >= before || stream >= before); ++attempt) {
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
