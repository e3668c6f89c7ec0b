#include "hpl/plan/balance.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hpl {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::HasSubstr;

RunSpec spec(int rows, int columns) {
  return {.order = 1600, .block_size = 10, .grid_rows = rows, .grid_columns = columns};
}

TEST(DistributeByRates, GivesAColumnTheRateOfItsSlowestRank) {
  RunSpec run = spec(2, 2);
  distribute_by_rates(run, std::vector<double>{50, 54, 52, 51});
  EXPECT_THAT(run.column_weights, ElementsAre(50, 51));
  EXPECT_THAT(run.row_weights, ElementsAre(DoubleEq(1), DoubleEq(1)));
}

TEST(DistributeByRates, GivesARowWhatItsColumnsLeave) {
  RunSpec run = spec(2, 2);
  distribute_by_rates(run, std::vector<double>{50, 60, 55, 66});
  EXPECT_THAT(run.column_weights, ElementsAre(50, 60));
  EXPECT_THAT(run.row_weights, ElementsAre(DoubleEq(1), DoubleEq(1.1)));
}

TEST(DistributeByRates, FollowsTheOrderOfTheRanks) {
  RunSpec run = spec(2, 3);
  run.rank_order = RankOrder::ColumnMajor;
  distribute_by_rates(run, std::vector<double>{1, 1, 2, 2, 3, 3});
  EXPECT_THAT(run.column_weights, ElementsAre(1, 2, 3));
}

TEST(DescribeDistribution, TellsWhatEveryProcessHasAndWhatItBrings) {
  const std::vector<double> rates{100, 100, 100, 60};
  RunSpec run = spec(1, 4);
  distribute_by_rates(run, rates);
  const std::string text = describe_distribution(run, rates);
  EXPECT_THAT(text, HasSubstr(" to the process columns, 160 to the process rows"));
  // Round-robin, the slowest has a quarter of the work and 60 of 360 parts of the rate.
  EXPECT_THAT(text, testing::ContainsRegex("take (49|5[0-3])\\.[0-9] % longer"));
}

TEST(DescribeDistribution, OfManyProcessesNamesTheLeastAndTheMost) {
  const std::vector<double> rates(40, 50.0);
  RunSpec run = spec(1, 40);
  distribute_by_rates(run, rates);
  EXPECT_THAT(describe_distribution(run, rates),
              HasSubstr(": 4 to 4 each to the process columns, 160 to"));
}

TEST(DescribeDistribution, FindsNothingToGainOnOneRank) {
  RunSpec run = spec(1, 1);
  distribute_evenly(run);
  EXPECT_THAT(describe_distribution(run, std::vector<double>{50}), HasSubstr("take 0.0 % longer"));
}

}  // namespace
}  // namespace hpl
