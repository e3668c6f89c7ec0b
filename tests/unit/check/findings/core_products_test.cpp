#include "hpl/check/findings/core_products.h"

#include <vector>

#include <gtest/gtest.h>

namespace hpl {
namespace {

TEST(CoreProducts, AreThoseOfTheBestTenthOfTheStretchesButForBothEnds) {
  std::vector<CoreProducts> stretches(100, {40, 0.8, 8});
  for (const int i : {0, 1, 98, 99})  // other cores are idle
    stretches[i] = {99, 1.1, 11};
  for (const int i : {20, 21, 22, 23, 50, 51})
    stretches[i] = {76, 0.8, 10.9};
  stretches[70] = {80, 0.7, 4};  // an interrupt fell into each look at the clock
  EXPECT_EQ(of_best_stretches(stretches), (CoreProducts{76, 0.8, 10.9}));
}

TEST(CoreProducts, OfOneStretchAreItsOwn) {
  const CoreProducts one{76, 0.8, 10.9};
  EXPECT_EQ(of_best_stretches(std::vector{one}), one);
}

TEST(CoreProducts, KeepTheBestRateWithItsWidthAndTheHighestClock) {
  CoreProducts products{40, 0.8, 8};
  EXPECT_DOUBLE_EQ(keep_better(products, {60, 0.7, 11}), 0.5);
  EXPECT_EQ(products, (CoreProducts{60, 0.8, 11}));
  EXPECT_DOUBLE_EQ(keep_better(products, {50, 1, 12}), 0.25);
  EXPECT_EQ(products, (CoreProducts{60, 1, 11}));
}

RankRecord rank_of(std::vector<CoreProducts> products) {
  return {.processor = "Xeon",
          .cores = {4, 6},
          .measurements = {{Figure::HostDgemm, kNoPeer, 1}, {Figure::DeviceMemory, kNoPeer, 55}},
          .core_products = std::move(products)};
}

TEST(CoreProducts, OfARankAreTheMeanOfTheCoresThatHadAMomentToThemselves) {
  std::vector<RankRecord> ranks{rank_of({{76, 1, 10.9}, {74, 1, 10.8}}),
                                rank_of({{76, 1, 10.9}, {40, 1, 8}}),
                                rank_of({{40, 1, 8}, {60, 1, 10}}), rank_of({{70, 1}, {72, 1}})};
  // Another model adds less in a tick, undisturbed.
  ranks[3].processor = "EPYC";
  settle_host_dgemm(ranks);
  const std::vector<std::vector<int>> crowded{{}, {6}, {4, 6}, {}};
  const std::vector<double> values{75, 76, 50, 71};
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    EXPECT_EQ(ranks[i].crowded_cores, crowded[i]) << i;
    EXPECT_DOUBLE_EQ(ranks[i].measurements[0].value, values[i]) << i;
    EXPECT_EQ(ranks[i].measurements[0].crowded, i == 2) << i;
    EXPECT_EQ(ranks[i].measurements[1], (Measurement{Figure::DeviceMemory, kNoPeer, 55})) << i;
  }
  EXPECT_EQ(ranks[1].core_gflops, (std::vector<double>{76, 40}));
}

TEST(CoreProducts, OfCrowdedRanksAreNotHeldAgainstTwoThatHadACoreToThemselves) {
  std::vector<RankRecord> ranks(4);
  for (RankRecord& rank : ranks) {
    rank = rank_of(std::vector<CoreProducts>(16, {44, 1, 8}));
    rank.cores.resize(16);
  }
  ranks[0].core_products[4] = ranks[1].core_products[3] = {53, 1, 10.9};
  settle_host_dgemm(ranks);
  EXPECT_EQ(ranks[0].crowded_cores.size(), 15U);
  for (std::size_t i = 0; i < ranks.size(); ++i)
    EXPECT_EQ(ranks[i].measurements[0].crowded, i >= 2) << i;
}

TEST(CoreProducts, OfAllRanksAreCrowdedButOfTheOneThatHadItsCoresToItself) {
  std::vector<RankRecord> ranks(4, rank_of({{44, 1, 8}, {44, 1, 8}}));
  ranks[0].core_products = {{61, 1, 10.9}, {61, 1, 10.9}};
  settle_host_dgemm(ranks);
  for (std::size_t i = 0; i < ranks.size(); ++i)
    EXPECT_EQ(ranks[i].measurements[0].crowded, i > 0) << i;
}

TEST(CoreProducts, OfThreadsThatAreBoundToNoCoreAreNotCrowded) {
  std::vector<RankRecord> ranks{rank_of({{76, 1, 10.9}}), rank_of({{70, 1}})};
  ranks[1].cores.clear();
  settle_host_dgemm(ranks);
  EXPECT_FALSE(ranks[1].measurements[0].crowded);
}

TEST(CoreProducts, OfThousandsAreNotCrowdedByOneWidthThatWasMeasuredWrong) {
  std::vector<RankRecord> ranks(1000, rank_of({{76, 1, 10.9}, {76, 1, 10.8}}));
  ranks[7].core_products[0].width = 20;
  ranks[8].core_products[0].width = 8;
  settle_host_dgemm(ranks);
  for (std::size_t i = 0; i < ranks.size(); ++i)
    EXPECT_EQ(ranks[i].crowded_cores.size(), i == 8 ? 1U : 0U) << i;
}

}  // namespace
}  // namespace hpl
