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

#include "support/holds.h"

namespace hpl {
namespace {

constexpr LiveView kLines{.form = LiveForm::FewLines};

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
  const auto lines = lines_of(report_of({.order = 100000, .view = kLines}, 1000, 60.0));
  EXPECT_GE(lines, 15);
  EXPECT_LE(lines, 25);
}

TEST(Progress, WaitsTenSecondsForTheFirstLineAndThirtyForAnother) {
  // 100 s in all: after 10, 40 and 70 s, and the end.
  EXPECT_EQ(lines_of(report_of({.order = 10000, .view = kLines}, 100, 1.0)), 4);
}

TEST(Progress, IsSilentForARunOfSeconds) {
  EXPECT_EQ(report_of({.order = 1000, .view = kLines}, 10, 0.1), "");
  EXPECT_EQ(report_of({.order = 1000}, 10, 60.0), "") << "never";
}

TEST(Progress, BeginsAtOnceWhereLinesAreAskedFor) {
  EXPECT_EQ(lines_of(report_of({.order = 1000, .view = {LiveForm::Lines}}, 10, 0.1)), 2);
}

TEST(Progress, EndsWithTheLastRecord) {
  const std::string text =
      report_of({.order = 10000, .label = "run 1 of 2", .view = kLines}, 10, 60.0);
  EXPECT_NE(text.find("# run 1 of 2 100.0 %  0:10:00  left 0:00:00"), std::string::npos) << text;
}

TEST(Progress, ShowsTheRateOfTheIntervalBesideTheRateOfTheRun) {
  std::ostringstream out;
  Progress progress(out,
                    {.order = 1000, .view = kLines, .first_line_seconds = 1, .line_seconds = 1});
  progress.update({.step = 0, .columns_done = 500, .seconds = 1});  // 7/8 of 0.667 Gflop in 1 s
  progress.update({.step = 1, .columns_done = 1000, .seconds = 2});
  progress.finish();
  EXPECT_TRUE(test::holds(out.str(), {"583 MFLOP/s (now 583 MFLOP/s)  500 columns left\n",
                                      "333 MFLOP/s (now 83.3 MFLOP/s)  0 columns left\n"}));
}

TEST(Progress, EndsItsLinesWithWhatTheRanksTell) {
  std::ostringstream out;
  Progress progress(
      out, {.order = 1000, .ranks = 4, .view = kLines, .first_line_seconds = 1, .line_seconds = 1});
  progress.update({.step = 0, .columns_done = 500, .seconds = 1});
  progress.show_ranks({"slowest rank 3", "fastest rank 1"});
  progress.update({.step = 1, .columns_done = 1000, .seconds = 2});
  progress.finish();
  EXPECT_TRUE(test::holds(out.str(), {"500 columns left  146 MFLOP/s a rank\n",
                                      "20.8 MFLOP/s a rank  slowest rank 3; fastest rank 1\n"}));
}

/// A second after half of the columns.
std::vector<std::string> drawn(std::size_t width) {
  return drawn_lines(
      {.order = 1000,
       .ranks = 4,
       .label = "run 1 of 3",
       .view = {LiveForm::Drawn, width},
       .attainable_gflops = 1},
      {.step = 0, .columns_done = 500, .seconds = 1}, 1.0,
      {"slowest rank 3 0.10 GFLOP/s", "fastest rank 1 0.20 GFLOP/s", "hottest rank 2 81 C"});
}

TEST(Progress, DrawsALineABarAndTheRanks) {
  EXPECT_EQ(
      drawn(79),
      (std::vector<std::string>{
          "87.5 %  left 0:00:00  583 MFLOP/s  58 % of attainable  0:00:02  run 1 of 3",
          "[" + std::string(67, '#') + std::string(10, ' ') + "]",
          "slowest rank 3 0.10 GFLOP/s  fastest rank 1 0.20 GFLOP/s", "hottest rank 2 81 C"}));
}

TEST(Progress, LeavesWholeFieldsOutOfANarrowTerminal) {
  EXPECT_EQ(drawn(40),
            (std::vector<std::string>{"87.5 %  left 0:00:00  583 MFLOP/s",
                                      "[" + std::string(33, '#') + std::string(5, ' ') + "]",
                                      "slowest rank 3 0.10 GFLOP/s", "hottest rank 2 81 C"}));
}

/// Output that tells when something was drawn.
class DrawnBuffer : public std::stringbuf {
 public:
  std::counting_semaphore<> drawn{0};

 protected:
  int sync() override {
    drawn.release();
    return std::stringbuf::sync();
  }
};

TEST(Progress, ClearsWhatItHasDrawn) {
  DrawnBuffer buffer;
  std::ostream out(&buffer);
  {
    Progress progress(out, {.order = 1000, .view = {LiveForm::Drawn, 79}});
    progress.show_ranks({"slowest rank 3", "fastest rank 1", "hottest rank 2"});
    buffer.drawn.acquire();
    buffer.drawn.acquire();  // the ranks were known before this
  }
  EXPECT_TRUE(buffer.str().ends_with("hottest rank 2\r\x1b[3A\x1b[J")) << buffer.str();
}

TEST(Fitted, TakesWholeFieldsInTheirOrder) {
  EXPECT_EQ(fitted({"one", "two", "three"}, 8), "one  two");
  EXPECT_EQ(fitted({"one", "seventeen", "", "two"}, 8), "one  two");
  EXPECT_EQ(fitted({"seventeen"}, 8), "");
}

TEST(StatusLine, WritesNothingAtFirstWhereFewLinesAreWanted) {
  std::ostringstream out;
  {
    StatusLine line(out, {LiveForm::FewLines});
    line.show("checks memory");
  }
  EXPECT_EQ(out.str(), "");
}

TEST(StatusLine, IsDrawnAnewAndCleared) {
  std::ostringstream out;
  {
    StatusLine line(out, {LiveForm::Drawn, 9});
    line.show("checks memory");
    line.show("done");
  }
  EXPECT_EQ(out.str(), "checks me\r\x1b[Jdone\r\x1b[J");
}

TEST(Progress, FinishesTwiceWithoutHarmAndIgnoresLateRecords) {
  std::ostringstream out;
  Progress progress(out, {.order = 1000, .view = kLines, .first_line_seconds = 1});
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
  Progress progress(out, {.order = 1000, .view = kLines, .first_line_seconds = 1});
  progress.update({.step = 0, .columns_done = 100, .seconds = 2});
  buffer.entered.acquire();
  // Returns although the writer is stuck; a lock held during output would hang here.
  progress.update({.step = 1, .columns_done = 200, .seconds = 4});
  buffer.released.release();
  progress.finish();
}

TEST(StatusLine, IsALineEachInALog) {
  std::ostringstream out;
  StatusLine line(out, {LiveForm::Lines});
  line.show("checks links");
  line.show("checks it");
  EXPECT_EQ(out.str(), "# checks links\n# checks it\n");
}

TEST(Progress, TakesRecordsFromSeveralThreads) {
  std::ostringstream out;
  Progress progress(
      out, {.order = 100000, .view = {LiveForm::Lines}, .line_seconds = 0, .line_fraction = 0});
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
