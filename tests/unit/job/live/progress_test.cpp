#include "hpl/job/live/progress.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <semaphore>
#include <sstream>
#include <streambuf>
#include <string>
#include <thread>

#include <gtest/gtest.h>

namespace hpl {
namespace {

/// Feeds `steps` equal column blocks, every one `step_seconds` after the one before.
std::string report_of(const ProgressOptions& options, int steps, double step_seconds) {
  std::ostringstream out;
  Progress progress(out, options);
  for (int step = 1; step <= steps; ++step) {
    progress.update({.step = step - 1,
                     .columns_done = options.order * step / steps,
                     .seconds = step * step_seconds});
  }
  progress.finish();
  return out.str();
}

std::ptrdiff_t lines_of(const std::string& text) {
  return std::count(text.begin(), text.end(), '\n');
}

TEST(ProgressEstimate, CountsOperationsNotColumns) {
  EXPECT_DOUBLE_EQ(estimate(1000, 500, 7.0).fraction, 0.875);
  EXPECT_DOUBLE_EQ(estimate(1000, 0, 7.0).fraction, 0.0);
  EXPECT_DOUBLE_EQ(estimate(1000, 1000, 7.0).fraction, 1.0);
}

TEST(ProgressEstimate, ExpectsTheRestAtTheRateSoFar) {
  const ProgressEstimate half = estimate(1000, 500, 7.0);
  EXPECT_NEAR(half.seconds_left, 1.0, 1e-12);
  EXPECT_NEAR(half.gflops, 2.0 / 3.0 * 0.875 / 7.0, 1e-12);
}

TEST(ProgressEstimate, LeavesAnInfiniteTimeWhileNothingIsDone) {
  EXPECT_TRUE(std::isinf(estimate(1000, 0, 3.0).seconds_left));
}

TEST(ProgressEstimate, OfAnEmptySystemIsDone) {
  EXPECT_EQ(estimate(0, 0, 0.0).fraction, 1.0);
  EXPECT_EQ(estimate(0, 0, 0.0).seconds_left, 0.0);
}

TEST(ProgressEstimate, StaysFiniteForOrdersOfMillions) {
  const ProgressEstimate some = estimate(20'000'000, 10'000'000, 3600.0);
  EXPECT_NEAR(some.fraction, 0.875, 1e-12);
}

TEST(Progress, WritesAtMostTwentyFiveLinesOfALongRun) {
  const auto lines = lines_of(report_of({.order = 100000}, 1000, 60.0));
  EXPECT_GE(lines, 15);
  EXPECT_LE(lines, 25);
}

TEST(Progress, WaitsThirtySecondsBetweenLines) {
  // 100 s in all: after 30, 60 and 90 s, and the end.
  EXPECT_EQ(lines_of(report_of({.order = 10000}, 100, 1.0)), 4);
}

TEST(Progress, IsSilentForARunOfSeconds) {
  EXPECT_EQ(report_of({.order = 1000}, 10, 0.1), "");
}

TEST(Progress, EndsWithTheLastRecord) {
  const std::string text = report_of({.order = 10000, .label = "run 1 of 2"}, 10, 60.0);
  EXPECT_NE(text.find("# run 1 of 2 100.0 %  0:10:00  left 0:00:00"), std::string::npos) << text;
}

TEST(Progress, ShowsTheRateOfTheIntervalBesideTheRateOfTheRun) {
  std::ostringstream out;
  Progress progress(out, {.order = 1000, .line_seconds = 1});
  progress.update({.step = 0, .columns_done = 500, .seconds = 1});  // 7/8 of 0.667 Gflop in 1 s
  progress.update({.step = 1, .columns_done = 1000, .seconds = 2});
  progress.finish();
  EXPECT_NE(out.str().find("0.58 GFLOP/s (now 0.58 GFLOP/s)  500 columns left\n"),
            std::string::npos)
      << out.str();
  EXPECT_NE(out.str().find("0.33 GFLOP/s (now 0.08 GFLOP/s)  0 columns left\n"), std::string::npos)
      << out.str();
}

TEST(Progress, EndsItsLinesWithWhatTheRanksTell) {
  std::ostringstream out;
  Progress progress(out, {.order = 1000, .ranks = 4, .line_seconds = 1});
  progress.update({.step = 0, .columns_done = 500, .seconds = 1});
  progress.show_ranks("slowest rank 3");
  progress.update({.step = 1, .columns_done = 1000, .seconds = 2});
  progress.finish();
  EXPECT_NE(out.str().find("500 columns left  0.15 GFLOP/s a rank\n"), std::string::npos)
      << out.str();
  EXPECT_NE(out.str().find("0.02 GFLOP/s a rank  slowest rank 3\n"), std::string::npos)
      << out.str();
}

TEST(Progress, FillsAWiderTerminal) {
  const std::string label(150, 'x');
  const std::string text = report_of(
      {.order = 100000, .label = label, .terminal = true, .terminal_width = 160}, 1, 60.0);
  EXPECT_NE(text.find(label + " 100.0"), std::string::npos) << text;
}

TEST(Progress, RewritesOneLineOfATerminalAndClearsIt) {
  const std::string text = report_of({.order = 100000, .terminal = true}, 50, 60.0);
  EXPECT_EQ(lines_of(text), 0);
  EXPECT_EQ(text.front(), '\r');
  EXPECT_EQ(text.back(), '\r');
  const auto blank = text.rfind('\r', text.size() - 2);
  EXPECT_EQ(text.find_first_not_of(" \r", blank), std::string::npos);
  EXPECT_GE(text.size() - blank, 70u);  // as much as was on the screen
}

TEST(Progress, FitsTheLineOfATerminal) {
  const std::string label(200, 'x');
  const std::string text = report_of({.order = 100000, .label = label, .terminal = true}, 1, 60.0);
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, '\r');)
    EXPECT_LT(part.size(), 80u);
}

TEST(Progress, FinishesTwiceWithoutHarmAndIgnoresLateRecords) {
  std::ostringstream out;
  Progress progress(out, {.order = 1000, .line_seconds = 1});
  progress.finish();
  progress.update({.step = 0, .columns_done = 500, .seconds = 100});
  progress.finish();
  EXPECT_EQ(out.str(), "");
}

/// Output that blocks until it is released.
class BlockedBuffer : public std::streambuf {
 public:
  std::binary_semaphore entered{0}, released{0};

 protected:
  std::streamsize xsputn(const char*, std::streamsize count) override {
    block_once();
    return count;
  }
  int_type overflow(int_type c) override {
    block_once();
    return traits_type::not_eof(c);
  }

 private:
  void block_once() {
    if (blocked_) return;
    blocked_ = true;
    entered.release();
    released.acquire();
  }
  bool blocked_ = false;
};

TEST(Progress, DoesNotHoldTheWorkerWhileTheOutputBlocks) {
  BlockedBuffer buffer;
  std::ostream out(&buffer);
  Progress progress(out, {.order = 1000, .line_seconds = 1});
  progress.update({.step = 0, .columns_done = 100, .seconds = 2});
  buffer.entered.acquire();
  // Returns although the writer is stuck; a lock held during output would hang here.
  progress.update({.step = 1, .columns_done = 200, .seconds = 4});
  buffer.released.release();
  progress.finish();
}

TEST(StatusLine, IsRewrittenOnATerminalAndGoneInTheEnd) {
  std::ostringstream out;
  {
    StatusLine line(out, true, 10);
    line.show("checks links");
    line.show("checks it");
  }
  EXPECT_EQ(out.str(), "\rchecks lin\rchecks it \r         \r");
}

TEST(StatusLine, IsALineEachInALog) {
  std::ostringstream out;
  StatusLine(out, false, 10).show("checks links");
  StatusLine(out, false, 10).show("checks it");
  EXPECT_EQ(out.str(), "# checks links\n# checks it\n");
}

TEST(Progress, TakesRecordsFromSeveralThreads) {
  std::ostringstream out;
  Progress progress(out, {.order = 100000, .line_fraction = 0, .line_seconds = 0});
  {
    std::jthread first([&] {
      for (int i = 0; i < 500; ++i)
        progress.update({.step = i, .columns_done = i, .seconds = 1.0 * i});
    });
    std::jthread second([&] {
      for (int i = 0; i < 500; ++i)
        progress.update({.step = i, .columns_done = i, .seconds = 1.0 * i});
    });
  }
  progress.finish();
  EXPECT_GE(lines_of(out.str()), 499);
}

}  // namespace
}  // namespace hpl
