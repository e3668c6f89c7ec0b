#include "hpl/grid/column_map.h"

#include <algorithm>
#include <numeric>

#include <gtest/gtest.h>

namespace hpl {
namespace {

std::vector<ColumnMap> maps(std::int64_t extent, std::int64_t block,
                            const std::vector<double>& weights) {
  std::vector<ColumnMap> result;
  const auto processes = static_cast<int>(weights.size());
  for (int rank = 0; rank < processes; ++rank)
    result.emplace_back(BlockCyclic<Axis::Column>{extent, block, processes, rank}, weights);
  return result;
}

TEST(DealtBlocks, LeaveEveryProcessItsShareOfWhatIsLeft) {
  const std::vector<double> weights{54.0, 52.0, 55.5, 53.0};
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  const std::vector<int> owners = deal_blocks(400, weights);
  std::vector<double> left(weights.size(), 0);
  for (std::int64_t k = std::ssize(owners) - 1; k >= 0; --k) {
    ++left[static_cast<std::size_t>(owners[static_cast<std::size_t>(k)])];
    const auto blocks = static_cast<double>(std::ssize(owners) - k);
    for (std::size_t q = 0; q < weights.size(); ++q)
      EXPECT_LE(std::abs(left[q] - blocks * weights[q] / all), 1.0) << "block " << k;
  }
}

TEST(DealtBlocks, GoInTurnWhereAllAreAlike) {
  const std::vector<int> owners = deal_blocks(30, {2.0, 2.0, 2.0});
  for (std::size_t k = 3; k < owners.size(); ++k)
    EXPECT_EQ(owners[k], owners[k - 3]);
  EXPECT_NE(owners[0], owners[1]);
  EXPECT_NE(owners[1], owners[2]);
}

TEST(DealtBlocks, MayLeaveAProcessWithoutAny) {
  EXPECT_EQ(deal_blocks(2, {1.0, 1000.0}), (std::vector<int>{1, 1}));
  EXPECT_TRUE(deal_blocks(0, {1.0, 2.0}).empty());
}

TEST(ColumnMap, DealsOutEveryColumnOnceAndInOrder) {
  for (const std::int64_t extent : {1, 7, 64, 101}) {
    const std::vector<ColumnMap> all = maps(extent, 7, {1.0, 1.3, 0.8});
    std::int64_t sum = 0;
    for (const ColumnMap& map : all) {
      std::int64_t next = 0;
      for (std::int64_t global = 0; global < extent; ++global) {
        EXPECT_EQ(map.lower_bound({global}).value, next);
        EXPECT_EQ(map.owner({global}), all[0].owner({global}));
        if (!map.mine({global})) continue;
        EXPECT_EQ(map.to_local({global}).value, next);
        EXPECT_EQ(map.to_global({next}).value, global);
        ++next;
      }
      EXPECT_EQ(map.local_extent(), next);
      sum += next;
    }
    EXPECT_EQ(sum, extent);
  }
}

TEST(ColumnMap, HasRunsThatNameTheGlobalColumns) {
  for (const std::vector<double>& weights :
       {std::vector<double>{1.0, 1.3, 0.8}, std::vector<double>{}}) {
    for (int rank = 0; rank < 3; ++rank) {
      const ColumnMap map({101, 7, 3, rank}, weights);
      std::int64_t next = 0;
      for (const ColumnMap::Run& run : map.runs()) {
        EXPECT_EQ(run.begin.value, next);
        for (std::int64_t i = 0; i < run.count; ++i, ++next) {
          const GlobalColumn global{run.map(i)};
          EXPECT_TRUE(map.mine(global));
          EXPECT_EQ(map.to_local(global).value, next);
        }
      }
      EXPECT_EQ(next, map.local_extent());
    }
  }
}

}  // namespace
}  // namespace hpl
