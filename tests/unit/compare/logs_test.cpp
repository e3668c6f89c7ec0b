#include <fmt/format.h>
#include <gtest/gtest.h>

#include "hpl/base/error/error.h"
#include "hpl/base/number/benchmark_formulas.h"
#include "hpl/compare/compare.h"
#include "hpl/run/report/json_report.h"
#include "sample_sides.h"
#include "unit/report/fixed_results.h"

namespace hpl {
namespace {

constexpr const char* kNetlib =
    "HPLinpack 2.3  --  High-Performance Linpack benchmark  --   December 2, 2018\n"
    "T/V                N    NB     P     Q               Time                 Gflops\n"
    "WR11C2R4       20000   192     2     4              13.34             4.0000e+02\n"
    "WR11C2R4       20000   192     2     4              13.00             4.1046e+02\n"
    "WARNING: this line is no row of results and has 9 words\n";

TEST(Logs, HaveTheRowsOfEveryProgramOfTheField) {
  const struct {
    const char* row;
    std::int64_t order, block_size;
    int rows, columns;
    double gflops;
  } cases[]{
      {"WR11C2R4 20000 192 2 4 13.34 4.0000e+02", 20000, 192, 2, 4, 400},
      {"WC03R2R2 528384 1024 8 4 73.32 1.341e+06 ( 4.192e+04)", 528384, 1024, 8, 4, 1.341e6},
      {"WRC07R8C48c 211 523008 384 1 2 12788.60 7.4578e+03", 523008, 384, 1, 2, 7457.8},
      {"W00L2L4 100 16 1 1 0.00 2.5e-01", 100, 16, 1, 1, 0.25},
  };
  for (const auto& one : cases) {
    const auto log = snapshot_of_log(one.row, "vendor.log");
    ASSERT_TRUE(log) << one.row;
    const RunResult& run = log->trials.at(0).members.at(0).runs.at(0);
    EXPECT_EQ(run.spec.order, one.order);
    EXPECT_EQ(run.spec.block_size, one.block_size);
    EXPECT_EQ(run.spec.grid_rows, one.rows);
    EXPECT_EQ(run.spec.grid_columns, one.columns);
    EXPECT_EQ(run.gflops, one.gflops);
  }
}

TEST(Logs, NameTheirProgramAndCountARowAgainAsARepetition) {
  const auto log = snapshot_of_log(kNetlib, "vendor.log");
  ASSERT_TRUE(log);
  EXPECT_EQ(log->side.program.version, "2.3");
  ASSERT_EQ(log->trials.size(), 1U);
  EXPECT_EQ(log->trials[0].members.at(0).runs.size(), 2U);
}

TEST(Logs, WithoutARowAreNone) {
  for (const std::string text :
       {"", "hello\n", "WR11C2R4\n", "WR11C2R4 1 2 3\n", "WR 1 1 1 1 x 1\n",
        "WR -1 1 1 1 1.0 1.0\n", "WR 1e300 1 1 1 1.0 1.0\n", "WR 100 1 99999999999 1 1.0 1.0\n",
        "WR 100 1 1 1 nan inf\n", "WR 100 1 1 1 1.0 0\n", "(\n", "W (1) 2 3 4 5 6 7\n"})
    EXPECT_FALSE(snapshot_of_log(text, "none.log")) << text;
}

TEST(Logs, WhoseRateIsNotThatOfTheTimeAreRefusedWithTheLine) {
  try {
    snapshot_of_log("\nWR11C2R4 20000 192 2 4 13.34 4.4000e+02\n", "vendor.log");
    FAIL() << "taken";
  } catch (const ConfigError& error) {
    EXPECT_EQ(std::string(error.what()),
              "vendor.log, line 2: time and rate of a row must belong to its N = 20000, found "
              "13.34 s and 440 Gflops");
  }
}

TEST(Logs, AreComparedByTheRateWithoutAVerdict) {
  JobReport job{.header = test::fixed_header(), .exit_code = ExitCode::Passed};
  job.plan = {test::passing_run().spec};
  job.runs = {test::passing_run()};
  const RunSpec& spec = job.plan[0];
  const double seconds = 100;
  const std::string row =
      fmt::format("WR11C2R4 {} {} {} {} {} {}", spec.order, spec.block_size, spec.grid_rows,
                  spec.grid_columns, seconds, benchmark_flops(spec.order) / seconds / 1e9);
  std::vector<Snapshot> sides;
  sides.push_back(*snapshot_of(parse_json("run.json", to_json(job), "the test"), "run.json"));
  sides.push_back(*snapshot_of_log(row, "vendor.log"));
  const Comparison comparison = compare_sides(std::move(sides), -2);
  ASSERT_EQ(comparison.runs.size(), 1U);
  ASSERT_EQ(comparison.runs[0].members.size(), 1U);
  const ComparedPoint& last = comparison.runs[0].members[0].points.at(1);
  ASSERT_EQ(last.changes.size(), 1U);
  EXPECT_EQ(last.changes[0].verdict, ChangeVerdict::Changed);
  EXPECT_LT(last.changes[0].change, 0);
  EXPECT_EQ(comparison.exit_code, ExitCode::Passed) << "not slow, and not unchecked";
  EXPECT_EQ(comparison.undecided, "not decided: no rate is comparable");
  EXPECT_EQ(comparison_tally(comparison),
            "Rates of 1 member: 0 worse, 0 better, 0 within the noise, 1 without a verdict");
}

}  // namespace
}  // namespace hpl
