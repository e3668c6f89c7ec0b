#include <set>

#include "xhpl_fixture.h"

namespace hpl::test {
namespace {

using NetlibExample = XhplTest;

TEST_F(NetlibExample, All864RunsPassOnFourRanks) {
  write_dat({.device_out = 6,
             .orders = {29, 30, 34, 35},
             .block_sizes = {1, 2, 3, 4},
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
  const Outcome outcome = mpirun(4, {}, 280);
  ASSERT_TRUE(all_passed(outcome, 864));

  // Grid varies slowest, then N, NB, RFACT, PFACT, NBMIN.
  const std::vector<RunLine> runs = parse_report(outcome.output).runs;
  EXPECT_EQ(runs[0].code, "WR00L2L2");
  EXPECT_EQ(runs[1].code, "WR00L2L4");
  EXPECT_EQ(runs[2].code, "WR00L2C2");
  EXPECT_EQ(runs[6].code, "WR00C2L2");
  EXPECT_EQ(runs[18].block_size, 2);
  EXPECT_EQ(runs[72].order, 30);
  EXPECT_EQ(runs[288].grid_rows, 1);
  EXPECT_EQ(runs[288].grid_columns, 4);
}

}  // namespace
}  // namespace hpl::test
