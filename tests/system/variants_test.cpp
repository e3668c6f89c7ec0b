#include <algorithm>
#include <set>
#include <vector>

#include <nlohmann/json.hpp>

#include "xhpl_fixture.h"

namespace hpl::test {
namespace {

using Variants = XhplTest;

/// 2 x 3 with a cut last block: every variant has to cope with odd numbers of processes.
HplDat six_ranks() {
  return {.orders = {75}, .block_sizes = {8}, .grid_rows = {2}, .grid_columns = {3}};
}

TEST_F(Variants, EveryBroadcastWithAndWithoutLookAhead) {
  HplDat dat = six_ranks();
  dat.bcasts = {0, 1, 2, 3, 4, 5};
  dat.depths = {0, 1, 3};
  write_dat(dat);
  const Outcome outcome = mpirun(6);
  ASSERT_TRUE(all_passed(outcome, 18));
  std::set<std::string> codes;
  for (const RunLine& line : parse_report(outcome.output).runs)
    codes.insert(line.code);
  EXPECT_EQ(codes.size(), 18U);
}

TEST_F(Variants, EveryBroadcastOnAWideGrid) {
  HplDat dat = six_ranks();
  dat.grid_rows = {1};
  dat.grid_columns = {5};
  dat.bcasts = {0, 1, 2, 3, 4, 5};
  write_dat(dat);
  EXPECT_TRUE(all_passed(mpirun(5), 6));
}

TEST_F(Variants, EveryDistributionOfBlocks) {
  write_dat(six_ranks());
  for (const std::string choice : {"off", "even", "rates"}) {
    const Outcome outcome = mpirun(6, {"--balance", choice, "--json", "run.json"});
    EXPECT_TRUE(all_passed(outcome, 1)) << choice;
    const auto run = json_file("run.json").at("runs").at(0);
    const std::vector<double> rows = run.at("row_weights"), columns = run.at("column_weights");
    EXPECT_EQ(rows.size(), choice == "off" ? 0U : 2U) << choice;
    EXPECT_EQ(columns.size(), choice == "off" ? 0U : 3U) << choice;
    if (choice == "even") {
      EXPECT_EQ(rows, std::vector<double>(2, 1.0));
      EXPECT_EQ(columns, std::vector<double>(3, 1.0));
    }
    // Rates may turn out equal: what follows from them is the affair of DistributeByRates. Here
    // they are GFLOP/s of the process columns, and of the rows one is the slowest of its column.
    if (choice == "rates") {
      EXPECT_EQ(*std::ranges::min_element(rows), 1.0);
      EXPECT_GT(*std::ranges::min_element(columns), 0.0);
    }
    EXPECT_EQ(outcome.output.find("blocks distributed by the ranks' rates") != std::string::npos,
              choice == "rates")
        << outcome.output;
  }
}

TEST_F(Variants, EveryPanelFactorization) {
  HplDat dat = six_ranks();
  dat.pfacts = {0, 1, 2};
  dat.rfacts = {0, 1, 2};
  dat.nbmins = {1, 3};
  dat.ndivs = {2, 3};
  write_dat(dat);
  EXPECT_TRUE(all_passed(mpirun(6), 36));
}

struct Storage {
  int swap, swap_threshold, l1, u, equilibration, alignment;
};

void PrintTo(const Storage& storage, std::ostream* out) {
  *out << "SWAP " << storage.swap << " threshold " << storage.swap_threshold << " L1 " << storage.l1
       << " U " << storage.u << " EQUIL " << storage.equilibration << " ALIGN "
       << storage.alignment;
}

class StorageVariants : public XhplTest, public testing::WithParamInterface<Storage> {};

TEST_P(StorageVariants, PassOnTallAndFlatGrids) {
  const Storage& storage = GetParam();
  HplDat dat = six_ranks();
  dat.grid_rows = {3, 4, 1};
  dat.grid_columns = {1, 1, 3};
  dat.swap = storage.swap;
  dat.swap_threshold = storage.swap_threshold;
  dat.l1 = storage.l1;
  dat.u = storage.u;
  dat.equilibration = storage.equilibration;
  dat.alignment = storage.alignment;
  write_dat(dat);
  EXPECT_TRUE(all_passed(mpirun(4), 3));
}

INSTANTIATE_TEST_SUITE_P(All, StorageVariants,
                         testing::Values(Storage{0, 64, 0, 0, 1, 8},   //
                                         Storage{1, 64, 0, 0, 1, 8},   //
                                         Storage{2, 64, 0, 0, 1, 8},   //
                                         Storage{2, 8, 0, 1, 0, 1},    //
                                         Storage{2, -5, 1, 0, 0, 16},  //
                                         Storage{0, 64, 1, 1, 0, 4},   //
                                         Storage{1, 64, 1, 1, 1, 0}));

TEST_F(Variants, LookAheadAsDeepAsAskedAndNoDeeperThanIsOfUse) {
  HplDat dat = six_ranks();
  for (const int depth : {2, 5, 40}) {
    dat.depths = {depth};
    write_dat(dat);
    const Outcome outcome = mpirun(6);
    ASSERT_TRUE(all_passed(outcome, 1));
    EXPECT_EQ(outcome.output.find("# remark: DEPTH 40") != std::string::npos, depth == 40)
        << describe(outcome);
  }
}

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

class NetlibExample : public XhplTest {
 protected:
  /// netlib's example with these orders and block sizes, on four ranks.
  Outcome run_with(const std::vector<int>& orders, const std::vector<int>& block_sizes) {
    write_dat({.device_out = 6,
               .orders = orders,
               .block_sizes = block_sizes,
               .pmap = 0,
               .grid_rows = {2, 1, 4},
               .grid_columns = {2, 4, 1},
               .threshold = "16.0",
               .pfacts = {0, 1, 2},
               .nbmins = {2, 4},
               .ndivs = {2},
               .rfacts = {0, 1, 2},
               .bcasts = {0},
               .depths = {0},
               .swap = 2,
               .swap_threshold = 64,
               .l1 = 0,
               .u = 0,
               .equilibration = 1,
               .alignment = 8});
    return mpirun(4, {}, 280);
  }
};

TEST_F(NetlibExample, HasNetlibsOrderOfRuns) {
  const Outcome outcome = run_with({29}, {1, 4});
  ASSERT_TRUE(all_passed(outcome, 108));

  // Grid varies slowest, then N, NB, RFACT, PFACT, NBMIN.
  const std::vector<RunLine> runs = parse_report(outcome.output).runs;
  EXPECT_EQ(runs[0].code, "WR00L2L2");
  EXPECT_EQ(runs[1].code, "WR00L2L4");
  EXPECT_EQ(runs[2].code, "WR00L2C2");
  EXPECT_EQ(runs[6].code, "WR00C2L2");
  EXPECT_EQ(runs[18].block_size, 4);
  EXPECT_EQ(runs[36].grid_rows, 1);
  EXPECT_EQ(runs[36].grid_columns, 4);
}

TEST_F(NetlibExample, All864RunsPassOnFourRanks) {
  const Outcome outcome = run_with({29, 30, 34, 35}, {1, 2, 3, 4});
  ASSERT_TRUE(all_passed(outcome, 864));
  EXPECT_EQ(parse_report(outcome.output).runs[72].order, 30);
}

}  // namespace
}  // namespace hpl::test
