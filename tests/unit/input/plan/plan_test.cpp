#include "hpl/input/plan/plan.h"

#include <set>

#include <gtest/gtest.h>

#include "hpl/base/error/error.h"
#include "support/message_of.h"
#include "unit/input/hpl_dat/sample_hpl_dat.h"

namespace hpl {
namespace {

using test::message_of;

HplDat netlib_example() {
  return parse_hpl_dat(test::join(test::kNetlibExample), "HPL.dat");
}

/// A label that distinguishes one run of netlib's example from the others, as the nested loops
/// would visit it.
std::string label(const RunSpec& run) {
  return std::to_string(run.grid_rows) + "x" + std::to_string(run.grid_columns) + " " +
         std::to_string(run.order) + " " + std::to_string(run.block_size) + " " + variant_code(run);
}

TEST(Plan, HasNetlibs864RunsAllDifferent) {
  const auto runs = plan_runs(netlib_example());
  std::set<std::string> labels;
  for (const auto& run : runs)
    labels.insert(label(run));
  EXPECT_EQ(runs.size(), 864u);
  EXPECT_EQ(labels.size(), 864u);
}

TEST(Plan, TurnsTheListsInNetlibsOrder) {
  auto dat = default_hpl_dat();
  dat.grid_rows = {1, 2};
  dat.grid_columns = {3, 4};
  dat.orders = {10, 20};
  dat.block_sizes = {5, 6};
  dat.depths = {0, 1};
  dat.broadcasts = {BroadcastVariant::Ring1, BroadcastVariant::Long};
  dat.recursive_variants = {PanelVariant::Left, PanelVariant::Crout};
  dat.panel_variants = {PanelVariant::Right, PanelVariant::Left};
  dat.recursion_stops = {2, 4};
  dat.recursion_divisors = {2, 3};
  std::vector<std::string> expected;
  for (const auto* grid : {"1x3 ", "2x4 "})
    for (const auto* order : {"10 ", "20 "})
      for (const auto* block : {"5 ", "6 "})
        for (const auto* depth : {"WR0", "WR1"})
          for (const auto* broadcast : {"0", "4"})
            for (const auto* rfact : {"L", "C"})
              for (const auto* pfact : {"R", "L"})
                for (const auto* nbmin : {"2", "4"})
                  for (const auto* ndiv : {"2", "3"})
                    expected.push_back(std::string(grid) + order + block + depth + broadcast +
                                       rfact + ndiv + pfact + nbmin);
  std::vector<std::string> found;
  for (const auto& run : plan_runs(dat))
    found.push_back(label(run));
  EXPECT_EQ(found, expected);
}

TEST(Plan, CarriesTheScalarsIntoEveryRun) {
  auto dat = netlib_example();
  dat.rank_order = RankOrder::ColumnMajor;
  dat.swap_threshold = 17;
  dat.transposed_u = false;
  dat.equilibrate = false;
  dat.alignment = 24;
  dat.threshold = -1;
  for (const auto& run : plan_runs(dat)) {
    ASSERT_EQ(run.rank_order, RankOrder::ColumnMajor);
    ASSERT_EQ(run.swap, SwapVariant::Mix);
    ASSERT_EQ(run.swap_threshold, 17);
    ASSERT_TRUE(run.transposed_l1);
    ASSERT_FALSE(run.transposed_u);
    ASSERT_FALSE(run.equilibrate);
    ASSERT_EQ(run.alignment, 24);
    ASSERT_EQ(run.threshold, -1);
  }
}

TEST(Plan, NamesTheListThatHasNoValue) {
  auto dat = default_hpl_dat();
  dat.grid_rows = dat.grid_columns = {1};
  EXPECT_EQ(message_of<ConfigError>([&] { plan_runs(dat); }),
            "no value for N: give it on the command line or in HPL.dat, or use --auto");
}

TEST(Plan, RefusesListsWhoseProductIsAbsurd) {
  auto dat = netlib_example();
  dat.orders.assign(100'000, 1);
  dat.block_sizes.assign(100'000, 1);
  dat.depths.assign(100'000, 0);
  dat.recursion_stops.assign(100'000, 1);
  const auto message = message_of<ConfigError>([&] { plan_runs(dat); });
  EXPECT_NE(message.find("too many runs"), std::string::npos) << message;
}

TEST(Overrides, ReplaceOnlyWhatIsGiven) {
  Options options;
  EXPECT_EQ(apply_overrides(netlib_example(), options), netlib_example());

  options.fields.orders = {1000};
  options.fields.threshold = 0;
  options.fields.swap = SwapVariant::SpreadRoll;
  options.fields.transposed_l1 = false;
  auto expected = netlib_example();
  expected.orders = {1000};
  expected.threshold = 0;
  expected.swap = SwapVariant::SpreadRoll;
  expected.transposed_l1 = false;
  EXPECT_EQ(apply_overrides(netlib_example(), options), expected);
}

TEST(Overrides, ReachEveryField) {
  const char* const arguments[] = {
      "xhpl",    "-N",      "7",        "--NB",     "3",           "-P",      "1",
      "-Q",      "2",       "--pmap",   "column",   "--threshold", "2.5",     "--pfact",
      "left",    "--rfact", "crout",    "--nbmin",  "5",           "--ndiv",  "6",
      "--bcast", "longM",   "--depth",  "2",        "--swap",      "binary",  "--swap-threshold",
      "9",       "--l1",    "plain",    "--u",      "plain",       "--equil", "no",
      "--align", "32",      "--output", "my report"};
  const auto dat =
      apply_overrides(netlib_example(), parse_command_line(std::size(arguments), arguments));
  HplDat expected;
  expected.output_file = "my report";
  expected.output_device = OutputDevice::File;
  expected.orders = {7};
  expected.block_sizes = {3};
  expected.rank_order = RankOrder::ColumnMajor;
  expected.grid_rows = {1};
  expected.grid_columns = {2};
  expected.threshold = 2.5;
  expected.panel_variants = {PanelVariant::Left};
  expected.recursion_stops = {5};
  expected.recursion_divisors = {6};
  expected.recursive_variants = {PanelVariant::Crout};
  expected.broadcasts = {BroadcastVariant::LongM};
  expected.depths = {2};
  expected.swap = SwapVariant::BinaryExchange;
  expected.swap_threshold = 9;
  expected.transposed_l1 = expected.transposed_u = expected.equilibrate = false;
  expected.alignment = 32;
  EXPECT_EQ(dat, expected);
}

TEST(Overrides, PairASingleGridValueWithEveryOther) {
  Options options;
  options.fields.grid_rows = {2};
  auto dat = apply_overrides(netlib_example(), options);
  EXPECT_EQ(dat.grid_rows, (std::vector<int>{2, 2, 2}));
  EXPECT_EQ(dat.grid_columns, (std::vector<int>{2, 4, 1}));
  EXPECT_EQ(dat.grid_origin, "-P with Q of HPL.dat lines 11 and 12");

  options.fields.grid_rows = {1, 2};
  options.fields.grid_columns = {3};
  dat = apply_overrides(netlib_example(), options);
  EXPECT_EQ(dat.grid_columns, (std::vector<int>{3, 3}));
  EXPECT_EQ(dat.grid_origin, "-P and -Q");
}

TEST(Overrides, RefuseGridListsOfDifferentLengths) {
  Options options;
  options.fields.grid_rows = {1, 2};
  options.fields.grid_columns = {3, 4, 5};
  EXPECT_EQ(message_of<ConfigError>([&] { apply_overrides(netlib_example(), options); }),
            "-P and -Q: P and Q must have the same number of values, or one of them a single "
            "value, found 2 and 3");
}

/// The grids 2 x 2, 1 x 4 and 4 x 1, whose file nobody has named.
HplDat fitted(const Options& options, int ranks) {
  return fit_to_ranks(netlib_example(), options, ranks);
}

TEST(FitToRanks, RunsOfTheFileKeepItsGrids) {
  EXPECT_EQ(fitted({}, 1), netlib_example());
  Options other_block;
  other_block.fields.block_sizes = {64};
  EXPECT_EQ(fitted(other_block, 1), netlib_example());
}

TEST(FitToRanks, GridsThatSuitAreKept) {
  Options options;
  options.fields.orders = {800};
  EXPECT_EQ(fitted(options, 4), netlib_example());
  EXPECT_EQ(fitted(options, 9), netlib_example());
}

TEST(FitToRanks, AnOrderThatIsGivenLeavesGridsOpenThatDoNotSuit) {
  Options by_order, by_memory;
  by_order.fields.orders = {800};
  by_memory.runs.mem_fraction = 0.5;
  for (const Options& options : {by_order, by_memory}) {
    const HplDat dat = fitted(options, 3);
    EXPECT_TRUE(dat.grid_rows.empty() && dat.grid_columns.empty());
    EXPECT_EQ(dat.block_sizes, netlib_example().block_sizes);
    EXPECT_EQ(dat.remarks,
              (std::vector<Remark>{warning("P x Q",
                                           "HPL.dat lines 11 and 12: P and Q do not suit 3 ranks "
                                           "and are chosen, since N is given by a flag")}));
  }
}

TEST(FitToRanks, WhatLooksAtTheMachineLeavesRunsOfOtherRanksOut) {
  const Options check{.command = Command::Check}, rates{.command = Command::Rates};
  for (const Options& options : {check, rates}) {
    const HplDat dat = fitted(options, 2);
    EXPECT_TRUE(dat.grid_rows.empty() && dat.orders.empty());
  }
  EXPECT_EQ(fitted(check, 4), netlib_example());
}

TEST(FitToRanks, WhereAllRanksTakePartAGridHasToTakeThemAll) {
  HplDat dat = netlib_example();
  dat.grid_rows = {1};
  dat.grid_columns = {2};
  Options fleet{.command = Command::Fleet};
  fleet.fields.orders = {800};
  for (const Options& options : {Options{.command = Command::Rates}, fleet}) {
    EXPECT_EQ(fit_to_ranks(dat, options, 2), dat);
    EXPECT_TRUE(fit_to_ranks(dat, options, 3).grid_rows.empty());
    EXPECT_TRUE(fit_to_ranks(dat, options, 1).grid_rows.empty());
  }
}

TEST(FitToRanks, WhatIsAskedForByNameIsLeftToBeRefused) {
  Options named, with_rows;
  named.fields.orders = with_rows.fields.orders = {800};
  named.runs.dat_file = "HPL.dat";
  with_rows.fields.grid_rows = {2};
  EXPECT_EQ(fitted(named, 1), netlib_example());
  EXPECT_EQ(fitted(with_rows, 1), netlib_example());
}

TEST(ValidateGrid, NamesPlaceGridAndRanks) {
  EXPECT_NO_THROW(validate_grid(netlib_example(), 4));
  EXPECT_NO_THROW(validate_grid(netlib_example(), 100));
  auto dat = netlib_example();
  dat.grid_columns = {2, 5, 1};
  EXPECT_EQ(message_of<ConfigError>([&] { validate_grid(dat, 4); }),
            "HPL.dat lines 11 and 12: P x Q must be at most the number of ranks, 4, found 1 x 5 = "
            "5; start mpirun with more ranks, or give smaller grids (-P, -Q) or --grid auto");
}

TEST(ValidateGrid, CountsProcessesIn64Bits) {
  auto dat = netlib_example();
  dat.grid_rows = {65536};
  dat.grid_columns = {65536};
  EXPECT_THROW(validate_grid(dat, 4), ConfigError);
}

TEST(WithoutPivoting, NamesFieldsThatHaveNoEffectOnHplMxp) {
  HplDat file = netlib_example();
  const HplDat plain = without_pivoting(file, {}, true);
  EXPECT_EQ(plain.panel_variants.size(), 1U);
  EXPECT_EQ(plain.recursion_stops.size(), 1U);
  ASSERT_FALSE(plain.remarks.empty());
  EXPECT_NE(plain.remarks.back().text.find("PFACT, NBMIN, NDIV, RFACT"), std::string::npos);
  Options options;
  EXPECT_TRUE(without_pivoting(default_hpl_dat(), options, false).remarks.empty());
  options.given = {{"--NB", "64", ""}, {"--swap", "mix", ""}, {"--panel", "host", ""}};
  EXPECT_EQ(without_pivoting(default_hpl_dat(), options, false).remarks.front().text,
            "without effect on HPL-MxP, whose panels have no pivots: --swap, --panel");
}

}  // namespace
}  // namespace hpl
