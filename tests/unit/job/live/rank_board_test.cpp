#include "hpl/job/live/rank_board.h"

#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "hpl/base/number/benchmark_formulas.h"
#include "hpl/job/live/progress.h"

namespace hpl {
namespace {

std::string text_of(const RankBoard& board) {
  return fmt::format("{}", fmt::join(board.fields(), "; "));
}

RankBoard three_ranks() {
  return RankBoard({"rank 0 on a", "rank 1 on a", "rank 2 on b"});
}

TEST(RankBoard, IsEmptyAtFirst) {
  EXPECT_EQ(text_of(three_ranks()), "");
}

TEST(RankBoard, NamesWhoStandsOut) {
  RankBoard board = three_ranks();
  board.put({.rank = 0, .gflops = 50, .celsius = 60, .watts = 700});
  board.put({.rank = 1, .gflops = 48, .celsius = 61, .watts = 650});
  board.put({.rank = 2, .gflops = 52, .celsius = 81.4, .watts = 500});
  EXPECT_EQ(text_of(board),
            "slowest rank 1 on a 48.0 GFLOP/s; fastest rank 2 on b 52.0 GFLOP/s; "
            "hottest rank 2 on b 81 C; most power rank 0 on a 700 W");
}

TEST(RankBoard, LeavesOutWhatNobodyTells) {
  RankBoard board = three_ranks();
  board.put({.rank = 1, .gflops = 48});
  EXPECT_EQ(text_of(board), "");  // the only one is neither slow nor fast
  board.put({.rank = 2, .gflops = 0, .celsius = 50});
  EXPECT_EQ(text_of(board), "hottest rank 2 on b 50 C");
}

TEST(RankBoard, GoesByTheLastPulse) {
  RankBoard board = three_ranks();
  board.put({.rank = 0, .gflops = 50});
  board.put({.rank = 1, .gflops = 40});
  board.put({.rank = 1, .gflops = 60});
  EXPECT_EQ(text_of(board), "slowest rank 0 on a 50.0 GFLOP/s; fastest rank 1 on a 60.0 GFLOP/s");
}

TEST(RankBoard, KeepsTheRateOfARankThatHadNoProductsSince) {
  RankBoard board = three_ranks();
  board.put({.rank = 0, .gflops = 50});
  board.put({.rank = 1, .gflops = 40});
  board.put({.rank = 1, .gflops = 0});
  EXPECT_EQ(text_of(board), "slowest rank 1 on a 40.0 GFLOP/s; fastest rank 0 on a 50.0 GFLOP/s");
}

TEST(RankBoard, IgnoresRanksItDoesNotKnow) {
  RankBoard board = three_ranks();
  board.put({.rank = 3, .gflops = 50});
  board.put({.rank = -1, .gflops = 50});
  EXPECT_EQ(text_of(board), "");
}

TEST(Projection, ExpectsTheRestAtTheRateOfThePart) {
  const std::vector<StepRecord> steps{{.step = 0, .columns_done = 250, .seconds = 5},
                                      {.step = 1, .columns_done = 500, .seconds = 7}};
  const EarlyStop stop = project(1000, steps, 7);
  EXPECT_EQ(stop.columns_done, 500);
  EXPECT_DOUBLE_EQ(stop.fraction, 0.875);
  EXPECT_DOUBLE_EQ(stop.projected_seconds, 8);
  EXPECT_DOUBLE_EQ(stop.projected_gflops, benchmark_gflops(1000, 8));
  EXPECT_DOUBLE_EQ(stop.gflops, factorization_flops(1000, 500) / 7 / 1e9);
}

}  // namespace
}  // namespace hpl
