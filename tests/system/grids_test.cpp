#include "xhpl_fixture.h"

namespace hpl::test {
namespace {

struct Grid {
  int rows, columns, ranks;
};

void PrintTo(const Grid& grid, std::ostream* out) {
  *out << grid.rows << " x " << grid.columns << " on " << grid.ranks << " ranks";
}

class Grids : public XhplTest, public testing::WithParamInterface<Grid> {
 protected:
  HplDat dat() const {
    // 8 blocks of 16 and one of 9: the last block is cut, and no grid divides the blocks evenly.
    return {.orders = {137},
            .block_sizes = {16},
            .grid_rows = {GetParam().rows},
            .grid_columns = {GetParam().columns}};
  }
};

std::string name_of(const testing::TestParamInfo<Grid>& info) {
  return std::to_string(info.param.rows) + "x" + std::to_string(info.param.columns) + "on" +
         std::to_string(info.param.ranks);
}

TEST_P(Grids, PassWithBothRankOrders) {
  for (const int pmap : {0, 1}) {
    HplDat input = dat();
    input.pmap = pmap;
    write_dat(input);
    const Outcome outcome = mpirun(GetParam().ranks);
    ASSERT_TRUE(all_passed(outcome, 1)) << "PMAP " << pmap;
    const RunLine line = parse_report(outcome.output).runs.at(0);
    EXPECT_EQ(line.grid_rows, GetParam().rows);
    EXPECT_EQ(line.grid_columns, GetParam().columns);
    EXPECT_EQ(line.code.substr(0, 2), pmap == 0 ? "WR" : "WC");
  }
}

TEST_P(Grids, PassWithBothPipelines) {
  write_dat(dat());
  EXPECT_TRUE(all_passed(mpirun(GetParam().ranks, {"--pipeline", "fine"}), 1));
  EXPECT_TRUE(all_passed(mpirun(GetParam().ranks, {"--pipeline", "coarse"}), 1));
}

INSTANTIATE_TEST_SUITE_P(Shapes, Grids,
                         testing::Values(Grid{1, 1, 1}, Grid{1, 2, 2}, Grid{2, 1, 2}, Grid{3, 1, 3},
                                         Grid{1, 3, 3}, Grid{2, 2, 4}, Grid{2, 3, 6},
                                         Grid{3, 2, 6}),
                         name_of);
INSTANTIATE_TEST_SUITE_P(MoreRanksThanTheGridHolds, Grids,
                         testing::Values(Grid{1, 1, 2}, Grid{1, 2, 4}, Grid{2, 2, 5}), name_of);

using GridList = XhplTest;

TEST_F(GridList, OneJobGoesThroughGridsOfDifferentSize) {
  write_dat({.orders = {64}, .grid_rows = {1, 2, 1, 4}, .grid_columns = {1, 2, 3, 1}});
  const Outcome outcome = mpirun(4);
  ASSERT_TRUE(all_passed(outcome, 4));
  const Report report = parse_report(outcome.output);
  EXPECT_EQ(report.runs.at(1).grid_rows, 2);
  EXPECT_EQ(report.runs.at(2).grid_columns, 3);
}

TEST_F(Grids, RanksOfANodeFormATile) {
  EXPECT_TRUE(all_passed(mpirun(6, "-N 90 --NB 8 -P 2 -Q 3 --node-rows 2 --node-columns 3"), 1));
  EXPECT_TRUE(all_passed(
      mpirun(6, "-N 90 --NB 8 -P 2 -Q 2 --node-rows 2 --node-columns 2 --pmap column"), 1));
}

TEST_F(Grids, ATileThatDoesNotDivideTheGridIsRefused) {
  EXPECT_TRUE(refused(mpirun(4, "-N 90 --NB 8 -P 1 -Q 4 --node-rows 2"),
                      "P must be a multiple of --node-rows"));
  EXPECT_TRUE(refused(mpirun(4, "-N 90 --NB 8 -P 2 -Q 2 --node-rows 3"),
                      "--node-rows must divide the ranks of a node, 4,"));
}

TEST_F(Grids, AreLinkedBeforeNIsChosen) {
  const std::string words = "-P 1 -Q 2 --transport nccl --device cpu --threads 1 ";
  for (const int ranks : {2, 3}) {
    const Outcome chosen = mpirun(ranks, words + "--mem-fraction 0.1%");
    EXPECT_TRUE(refused(chosen, "--transport nccl is not available here"));
    EXPECT_EQ(chosen.output.find("HPLinpack"), std::string::npos) << "no plan was made";
  }
  EXPECT_NE(mpirun(2, words + "-N 90").output.find("HPLinpack"), std::string::npos);
}

TEST_F(Grids, AreChosenInPlaceOfTheFilesOnRequest) {
  write_dat({.grid_rows = {3}, .grid_columns = {1}});
  const Outcome outcome = mpirun(2, "--grid auto");
  ASSERT_TRUE(all_passed(outcome, 1));
  EXPECT_EQ(parse_report(outcome.output).runs.at(0).grid_columns, 2);
}

}  // namespace
}  // namespace hpl::test
