#include "gemm/run/work_split.h"

#include <map>
#include <thread>

#include <gtest/gtest.h>

namespace hpl::gemm {
namespace {

std::vector<WorkSplit::Block> blocks() {
  return {{100, 2}, {50, 3}, {100, 2}};
}

TEST(WorkSplit, GivesBlocksFromTheFrontAndColumnsFromTheBack) {
  WorkSplit split(blocks());
  EXPECT_EQ(split.flops_left(), 550);
  const auto last = split.claim_back(30);
  ASSERT_TRUE(last);
  EXPECT_EQ(last->block, 2);
  EXPECT_EQ(last->first_col, 70);
  EXPECT_EQ(last->cols, 30);
  EXPECT_EQ(split.claim_front()->block, 0);
  EXPECT_EQ(split.flops_left(), 290);
  EXPECT_EQ(split.claim_back(500)->cols, 70);  // not beyond the block
  EXPECT_EQ(split.last_block()->cols, 50);
  EXPECT_EQ(split.claim_back(20)->first_col, 30);
  const auto middle = split.claim_front();
  EXPECT_EQ(middle->block, 1);
  EXPECT_EQ(middle->cols, 30);
  EXPECT_FALSE(split.claim_front());
  EXPECT_FALSE(split.claim_back(1));
  EXPECT_FALSE(split.last_block());
  EXPECT_EQ(split.flops_left(), 0);
}

TEST(WorkSplit, KeepsTheFirstBlocksForTheDevice) {
  WorkSplit split(blocks(), 2);
  EXPECT_EQ(split.claim_back(500)->block, 2);
  EXPECT_FALSE(split.claim_back(1));
  EXPECT_FALSE(split.last_block());
  EXPECT_EQ(split.claim_front()->block, 0);
  EXPECT_EQ(split.claim_front()->block, 1);
  EXPECT_FALSE(split.claim_front());
}

TEST(WorkSplit, GivesEveryColumnOnceWhoeverAsks) {
  WorkSplit split(std::vector<WorkSplit::Block>(200, {64, 1}));
  std::map<std::int64_t, std::int64_t> taken[2];
  {
    const std::jthread device([&] {
      while (const auto claim = split.claim_front())
        taken[0][claim->block] += claim->cols;
    });
    const std::jthread host([&] {
      while (const auto claim = split.claim_back(7))
        taken[1][claim->block] += claim->cols;
    });
  }
  for (std::int64_t block = 0; block < 200; ++block)
    EXPECT_EQ(taken[0][block] + taken[1][block], 64) << block;
}

TEST(HostColumns, AreFewerThanTheDeviceNeedsForTheRest) {
  // The device needs 10 s for the rest, the host computes 5 columns a second: half of it is 25.
  EXPECT_EQ(host_columns(1000, 100, 50, 10, 1, 1000), 25);
  EXPECT_EQ(host_columns(1000, 100, 50, 10, 16, 1000), 16);
  EXPECT_EQ(host_columns(1000, 100, 50, 10, 1, 20), 20);
  EXPECT_EQ(host_columns(1000, 100, 50, 10, 32, 1000), 0) << "not worth a slice";
  EXPECT_EQ(host_columns(1000, 100, 0, 10, 1, 1000), 0);
  EXPECT_EQ(host_columns(0, 100, 50, 10, 1, 1000), 0);
}

}  // namespace
}  // namespace hpl::gemm
