#include "hpl/lu/grid/node_tiles.h"

#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hpl/base/error/error.h"
#include "support/message_of.h"

namespace hpl {
namespace {

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
