#include "hpl/lu/grid/block_map.h"

#include <algorithm>
#include <numeric>
#include <ostream>

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace hpl
