#include "xhpl_fixture.h"

namespace hpl::test {
namespace {

using Orders = XhplTest;

TEST_F(Orders, NothingToSolveIsNoError) {
  write_dat({.orders = {0}, .grid_rows = {1}, .grid_columns = {2}});
  const Outcome outcome = mpirun(2);
  EXPECT_EQ(outcome.exit_code, 0) << describe(outcome);
  const Report report = parse_report(outcome.output);
  ASSERT_EQ(report.runs.size(), 1U) << describe(outcome);
  EXPECT_EQ(report.runs[0].order, 0);
  EXPECT_EQ(report.failed, 0);
}

TEST_F(Orders, OneUnknownOnOneRank) {
  write_dat({.orders = {1}});
  EXPECT_TRUE(all_passed(mpirun(1), 1));
}

TEST_F(Orders, OneUnknownLeavesMostRanksEmpty) {
  write_dat({.orders = {1, 2, 3}, .grid_rows = {2}, .grid_columns = {2}});
  EXPECT_TRUE(all_passed(mpirun(4), 3));
}

TEST_F(Orders, SmallerThanABlock) {
  write_dat(
      {.orders = {5, 31}, .block_sizes = {32, 1000}, .grid_rows = {1, 2}, .grid_columns = {2, 1}});
  EXPECT_TRUE(all_passed(mpirun(2), 8));
}

TEST_F(Orders, NoMultipleOfTheBlock) {
  write_dat(
      {.orders = {97, 161}, .block_sizes = {7, 32, 96}, .grid_rows = {2}, .grid_columns = {2}});
  EXPECT_TRUE(all_passed(mpirun(4), 6));
}

TEST_F(Orders, BlocksOfOneColumn) {
  write_dat({.orders = {19}, .block_sizes = {1}, .grid_rows = {1, 2}, .grid_columns = {2, 2}});
  EXPECT_TRUE(all_passed(mpirun(4), 2));
}

TEST_F(Orders, ManyStepsOnOneRank) {
  write_dat({.orders = {600}, .block_sizes = {24}});
  EXPECT_TRUE(all_passed(mpirun(1), 1));
}

}  // namespace
}  // namespace hpl::test
