#include "hpl/lu/grid/block_map.h"

#include <algorithm>
#include <numeric>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hpl/base/error/error.h"
#include "hpl/lu/grid/node_tiles.h"
#include "support/message_of.h"

namespace hpl {
namespace {

TEST(DistributedBlocks, LeaveEveryProcessItsShareOfWhatIsLeft) {
  const std::vector<double> weights{54.0, 52.0, 55.5, 53.0};
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  const std::vector<int> owners = distribute_blocks(400, 1, weights);
  std::vector<double> left(weights.size(), 0);
  for (std::int64_t k = std::ssize(owners) - 1; k >= 0; --k) {
    ++left[static_cast<std::size_t>(owners[static_cast<std::size_t>(k)])];
    const auto blocks = static_cast<double>(std::ssize(owners) - k);
    for (std::size_t q = 0; q < weights.size(); ++q)
      EXPECT_LE(std::abs(left[q] - blocks * weights[q] / all), 1.3) << "block " << k;
  }
}

TEST(DistributedBlocks, AreNeverMoreThanOneApartWhereAllAreAlike) {
  for (const std::size_t processes : {2, 3, 4, 7}) {
    const std::vector<int> owners = distribute_blocks(100, 1, std::vector<double>(processes, 2.0));
    std::vector<int> left(processes, 0);
    for (std::int64_t k = std::ssize(owners) - 1; k >= 0; --k) {
      ++left[static_cast<std::size_t>(owners[static_cast<std::size_t>(k)])];
      const auto [least, most] = std::ranges::minmax(left);
      EXPECT_LE(most - least, 1) << processes << " processes, block " << k;
    }
  }
}

// A last block of one row is not a block more.
TEST(DistributedBlocks, CountTheRowsOfAShortLastBlock) {
  for (const std::int64_t extent : {100001, 100500, 100999, 100000}) {
    const std::vector<int> owners = distribute_blocks(extent, 1000, {1.0, 1.0});
    std::vector<double> rows(2, 0), time(2, 0);
    for (std::int64_t k = std::ssize(owners) - 1; k >= 0; --k) {
      for (std::size_t q = 0; q < 2; ++q)
        time[q] += rows[q] * static_cast<double>(extent - k * 1000);
      rows[static_cast<std::size_t>(owners[static_cast<std::size_t>(k)])] +=
          static_cast<double>(std::min<std::int64_t>(1000, extent - k * 1000));
    }
    EXPECT_NEAR(time[0] / time[1], 1, 0.005) << extent;
  }
}

/// The time all products of a process take, one block row at a time, over that of an ideal
/// distribution.
double longest(const std::vector<int>& owners, const std::vector<double>& weights) {
  std::vector<double> blocks(weights.size(), 0), time(weights.size(), 0);
  double ideal = 0;
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (std::size_t rows = 0; rows < owners.size(); ++rows) {
    const auto work = static_cast<double>(rows);
    for (std::size_t q = 0; q < weights.size(); ++q)
      time[q] += work * blocks[q] / weights[q];
    ideal += work * work / all;
    ++blocks[static_cast<std::size_t>(owners[owners.size() - 1 - rows])];
  }
  return *std::ranges::max_element(time) / ideal;
}

TEST(DistributedBlocks, KeepAllProcessesBusyForTheSameTime) {
  const std::vector<std::vector<double>> all_weights{
      {1, 1}, {1, 1, 1, 1}, {54.5, 54.1, 52.7, 53.7}, {1, 1.3, 1.1, 1.2, 1}};
  for (const std::vector<double>& weights : all_weights) {
    std::vector<int> in_turn(168);
    for (std::size_t k = 0; k < in_turn.size(); ++k)
      in_turn[k] = static_cast<int>(k % weights.size());
    EXPECT_GT(longest(in_turn, weights), 1.004);
    EXPECT_LT(longest(distribute_blocks(168, 1, weights), weights), 1.001);
  }
}

TEST(DistributedBlocks, AreInTurnWithoutWeights) {
  EXPECT_TRUE(distribute_blocks(10, 1, {}).empty());
  EXPECT_TRUE(distribute_blocks(10, 1, {2.0}).empty());
}

TEST(DistributedBlocks, MayLeaveAProcessWithoutAny) {
  EXPECT_EQ(distribute_blocks(2, 1, {1.0, 1000.0}), (std::vector<int>{1, 1}));
  EXPECT_TRUE(distribute_blocks(0, 1, {1.0, 2.0}).empty());
}

struct Distribution {
  std::int64_t extent, block;
  int processes;
  std::vector<double> weights{};  ///< empty: round-robin
};

void PrintTo(const Distribution& distribution, std::ostream* out) {
  *out << distribution.extent << " in blocks of " << distribution.block << " to "
       << distribution.processes << (distribution.weights.empty() ? "" : " by weights");
}

class BlockMaps : public testing::TestWithParam<Distribution> {
 protected:
  static std::vector<RowMap> maps() {
    const auto& [extent, block, processes, weights] = GetParam();
    std::vector<RowMap> all;
    for (int rank = 0; rank < processes; ++rank)
      all.emplace_back(BlockCyclic<Axis::Row>{extent, block, processes, rank},
                       distribute_blocks(extent, block, weights));
    return all;
  }
};

TEST_P(BlockMaps, GiveEveryIndexOnceAndInOrder) {
  const auto& [extent, block, processes, weights] = GetParam();
  const std::vector<RowMap> all = maps();
  std::int64_t sum = 0;
  for (const RowMap& map : all) {
    std::int64_t next = 0;
    for (std::int64_t global = 0; global < extent; ++global) {
      EXPECT_EQ(map.lower_bound({global}).value, next);
      EXPECT_EQ(map.owner({global}), all[0].owner({global}));
      if (weights.empty()) {
        EXPECT_EQ(map.owner({global}), global / block % processes);
      }
      if (!map.mine({global})) continue;
      EXPECT_EQ(map.to_local({global}).value, next);
      EXPECT_EQ(map.to_global({next}).value, global);
      ++next;
    }
    EXPECT_EQ(map.lower_bound({extent}).value, next);
    EXPECT_EQ(map.local_extent(), next);
    sum += next;
  }
  EXPECT_EQ(sum, extent);
}

TEST_P(BlockMaps, HaveRunsThatNameTheGlobalIndices) {
  for (const RowMap& map : maps()) {
    std::int64_t next = 0;
    for (const RowMap::Run& run : map.runs()) {
      EXPECT_EQ(run.begin.value, next);
      for (std::int64_t i = 0; i < run.count; ++i, ++next) {
        const GlobalRow global{run.map(i)};
        EXPECT_TRUE(map.mine(global));
        EXPECT_EQ(map.to_local(global).value, next);
      }
    }
    EXPECT_EQ(next, map.local_extent());
  }
}

const std::vector<double> kWeights{1.0, 1.3, 0.8};

INSTANTIATE_TEST_SUITE_P(
    Shapes, BlockMaps,
    testing::Values(Distribution{0, 3, 2}, Distribution{1, 1, 1}, Distribution{10, 3, 2},
                    Distribution{10, 16, 4}, Distribution{64, 8, 4}, Distribution{65, 8, 4},
                    Distribution{63, 1, 6}, Distribution{100, 7, 3}, Distribution{30, 7, 6},
                    Distribution{1, 7, 3, kWeights}, Distribution{7, 7, 3, kWeights},
                    Distribution{63, 7, 3, kWeights}, Distribution{64, 7, 3, kWeights},
                    Distribution{101, 7, 3, kWeights}));

using test::message_of;

/// `per_node` ranks on each of `nodes` nodes, one node after the other.
NodeMap in_blocks(int nodes, int per_node) {
  std::vector<int> first;
  for (int rank = 0; rank < nodes * per_node; ++rank)
    first.push_back(rank / per_node * per_node);
  return NodeMap(first);
}

/// Ranks distributed to the nodes round-robin.
NodeMap in_turn(int nodes, int per_node) {
  std::vector<int> first;
  for (int rank = 0; rank < nodes * per_node; ++rank)
    first.push_back(rank % nodes);
  return NodeMap(first);
}

GridPosition place(const NodeMap& nodes, int rank, GridShape grid, GridShape tile,
                   RankOrder order) {
  return grid_position(tiled_number(nodes, rank, grid, tile, order).value(), grid.rows,
                       grid.columns, order);
}

TEST(NodeMap, NumbersNodesAndTheirRanksInOrder) {
  const NodeMap map = in_turn(3, 2);
  EXPECT_EQ(map.nodes(), 3);
  EXPECT_EQ(map.node_of(4), 1);
  EXPECT_EQ(map.local_rank(4), 1);
  EXPECT_EQ(map.ranks_per_node(), 2);
  EXPECT_FALSE(NodeMap({0, 0, 2}).ranks_per_node());
}

TEST(NodeTiles, TheRanksOfANodeAreNeighboursInTheGrid) {
  const GridShape grid{4, 6}, tile{2, 3};
  for (const RankOrder order : {RankOrder::RowMajor, RankOrder::ColumnMajor})
    for (const NodeMap& nodes : {in_blocks(4, 6), in_turn(4, 6)})
      for (int rank = 0; rank < 24; ++rank)
        for (int other = 0; other < 24; ++other) {
          const GridPosition a = place(nodes, rank, grid, tile, order);
          const GridPosition b = place(nodes, other, grid, tile, order);
          const bool same_tile = a.row / 2 == b.row / 2 && a.column / 3 == b.column / 3;
          EXPECT_EQ(same_tile, nodes.node_of(rank) == nodes.node_of(other));
        }
}

TEST(NodeTiles, LayNodesAndRanksAlongRowsOrColumns) {
  const NodeMap nodes = in_blocks(4, 4);
  for (const RankOrder order : {RankOrder::RowMajor, RankOrder::ColumnMajor}) {
    const bool by_rows = order == RankOrder::RowMajor;
    const GridPosition second = place(nodes, 1, {4, 4}, {2, 2}, order);
    EXPECT_EQ(by_rows ? second.row : second.column, 0);
    EXPECT_EQ(by_rows ? second.column : second.row, 1);
    const GridPosition second_node = place(nodes, 4, {4, 4}, {2, 2}, order);
    EXPECT_EQ(by_rows ? second_node.row : second_node.column, 0);
    EXPECT_EQ(by_rows ? second_node.column : second_node.row, 2);
  }
}

TEST(NodeTiles, GiveEveryProcessOfTheGridOneRank) {
  for (const RankOrder order : {RankOrder::RowMajor, RankOrder::ColumnMajor})
    for (const GridShape tile : {GridShape{1, 8}, GridShape{2, 4}, GridShape{4, 2}}) {
      std::set<int> numbers;
      for (int rank = 0; rank < 32; ++rank)
        numbers.insert(tiled_number(in_turn(4, 8), rank, {4, 8}, tile, order).value());
      EXPECT_EQ(numbers.size(), 32u);
      EXPECT_EQ(tiled_number(in_turn(4, 8), 0, {4, 8}, tile, order), 0);
      EXPECT_EQ(*numbers.rbegin(), 31);
    }
}

TEST(NodeTiles, RanksAndNodesBeyondTheGridHaveNoPart) {
  const NodeMap nodes = in_blocks(3, 4);
  EXPECT_TRUE(tiled_number(nodes, 1, {2, 2}, {1, 2}, RankOrder::RowMajor));
  EXPECT_FALSE(tiled_number(nodes, 2, {2, 2}, {1, 2}, RankOrder::RowMajor));
  EXPECT_FALSE(tiled_number(nodes, 8, {2, 2}, {1, 2}, RankOrder::RowMajor));
}

TEST(CompleteTile, TakesTheOtherExtentFromTheRanksOfANode) {
  EXPECT_EQ(complete_tile({2, 0}, in_blocks(2, 8)), (GridShape{2, 4}));
  EXPECT_EQ(complete_tile({0, 2}, in_blocks(2, 8)), (GridShape{4, 2}));
  EXPECT_EQ(complete_tile({1, 3}, in_blocks(2, 8)), (GridShape{1, 3}));
  EXPECT_EQ(message_of<ConfigError>([] {
              complete_tile({3, 0}, in_blocks(2, 8));
            }),
            "--node-rows must divide the ranks of a node, 8, found 3");
}

TEST(CheckTile, RefusesInWordsWhatDoesNotFit) {
  EXPECT_EQ(message_of<ConfigError>([] {
              check_tile({4, 4}, {2, 2}, in_blocks(4, 4));
            }),
            "no error");
  EXPECT_EQ(message_of<ConfigError>([] {
              check_tile({4, 4}, {3, 2}, in_blocks(4, 6));
            }),
            "P must be a multiple of --node-rows, the rows of the processes of a node in the grid, "
            "found P "
            "= 4 and --node-rows = 3");
  EXPECT_EQ(message_of<ConfigError>([] {
              check_tile({4, 4}, {2, 3}, in_blocks(4, 6));
            }),
            "Q must be a multiple of --node-columns, the columns of the processes of a node in the "
            "grid, found "
            "Q = 4 and --node-columns = 3");
  EXPECT_EQ(message_of<ConfigError>([] {
              check_tile({4, 4}, {2, 2}, in_blocks(3, 8));
            }),
            "a 4 x 4 grid of 2 x 2 node-local grids needs 4 nodes, the job has 3");
  EXPECT_EQ(message_of<ConfigError>([] {
              check_tile({2, 4}, {2, 2}, NodeMap({0, 0, 0, 0, 4, 4}));
            }),
            "--node-rows 2 and --node-columns 2 need 4 ranks on every node, node 1 (counted from "
            "0) has 2");
}

}  // namespace
}  // namespace hpl
