#include "hpl/plan/automatic_plan.h"

#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hpl/machine/host/sizing.h"
#include "unit/machine/decide/facts.h"

namespace hpl {
namespace {

using test::cpu_facts;
using test::gpu_facts;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

constexpr std::int64_t kGibi = std::int64_t{1} << 30;

TEST(AutomaticRun, TakesASixthOfTheTimeOfAFleetAtMost) {
  Options options;
  EXPECT_EQ(wanted_seconds(options), 40);
  options.fleet.for_seconds = 24;
  EXPECT_EQ(wanted_seconds(options), 4);
  options.fleet.for_seconds = 3600;
  EXPECT_EQ(wanted_seconds(options), 40);
}

/// The ranks have a node each.
HplDat with_grid_for(int ranks, const GridChoice& choice) {
  std::vector<int> first_rank(static_cast<std::size_t>(ranks));
  std::iota(first_rank.begin(), first_rank.end(), 0);
  RankLayout layout{.nodes = NodeMap(first_rank)};
  HplDat dat;
  dat.grid_rows.clear();
  dat.grid_columns.clear();
  return complete_grid(std::move(dat), layout, ProcessorKind::Gpu, choice);
}

TEST(RankLayout, NamesTheRanksOfAGridByTheirNumberThere) {
  RunSpec spec;
  spec.grid_rows = spec.grid_columns = 2;
  const NodeMap nodes({0, 0, 2, 2, 4});
  EXPECT_THAT(RankLayout{.nodes = nodes}.ranks_of(spec), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT((RankLayout{.nodes = nodes, .tile = GridShape{2, 1}}.ranks_of(spec)),
              ElementsAre(0, 2, 1, 3));
}

TEST(CompleteGrid, SaysHowManyRanksHaveNoPart) {
  const GridChoice where_faster{.idle = IdleRanks::WhereFaster};
  const HplDat most = with_grid_for(251, where_faster);
  ASSERT_EQ(most.chosen.size(), 1u);
  EXPECT_EQ(most.chosen[0].value, "10 x 25");
  EXPECT_EQ(most.chosen[0].reason,
            "250 of 251 ranks: faster than the flatter grids of all; 1 rank without a part");
  EXPECT_EQ(with_grid_for(251, {}).chosen[0].value, "1 x 251");
  EXPECT_EQ(
      with_grid_for(512, where_faster).chosen[0].reason,
      "all 512 ranks on 512 nodes, as square as possible; 1 x 1 of them on each node, for the "
      "least traffic between nodes");
}

TEST(CompleteGrid, TakesTheGridOfTheModelAndSaysWhichItSurpasses) {
  const auto chosen = [](int ranks, GridShape grid) {
    return with_grid_for(ranks, {.idle = IdleRanks::WhereFaster,
                                 .by_model = ModelGrid{grid, "the data sheet of NVIDIA H200"}})
        .chosen[0];
  };
  EXPECT_EQ(chosen(1024, {16, 64}).value, "16 x 64");
  EXPECT_EQ(chosen(1024, {16, 64}).reason,
            "all 1024 ranks; faster than 32 x 32 by the performance model and the data sheet of "
            "NVIDIA H200; 1 x 1 of them on each node, for the least traffic between nodes");
  EXPECT_THAT(chosen(251, {13, 19}).reason,
              HasSubstr("247 of 251 ranks: faster than the flatter grids of all; 4 ranks without a "
                        "part; faster than 10 x 25 by the performance model"));
  EXPECT_EQ(chosen(1024, {32, 32}).reason,
            with_grid_for(1024, {.idle = IdleRanks::WhereFaster}).chosen[0].reason);
}

OrderWish wish_for(const Facts& facts, GridShape grid, std::int64_t block_size,
                   std::int64_t bytes) {
  return {
      .runs = {{.block_size = block_size, .grid_rows = grid.rows, .grid_columns = grid.columns}},
      .facts = test::with_memory(facts, bytes, bytes),
      .block_size = block_size};
}

/// The first run with this order.
RunSpec with_order(const OrderWish& wish, std::int64_t order) {
  RunSpec spec = wish.runs.front();
  spec.order = order;
  return spec;
}
void check(const OrderWish& wish, const RunSpec& spec) {
  check_memory(spec, decide(spec, wish.facts, wish.wishes), wish.facts, wish.wishes);
}

std::int64_t needed(const OrderWish& wish, std::int64_t order) {
  std::int64_t most = 0;
  for (RunSpec spec : wish.runs) {
    spec.order = order;
    most = std::max(most, decide(spec, wish.facts, wish.wishes).memory.total().device);
  }
  return most;
}

TEST(ChooseOrder, ChoosesForTwoGpusInAColumnWhatTheyCanHold) {
  // Two H200. With three buffers of 4096 columns in mind 188416 seemed to fit: there are 32768, and
  // messages beside them.
  OrderWish wish = wish_for(gpu_facts(), {2, 1}, 2048, 149'550'000'000);
  wish.memory_fraction = 0.98;
  const OrderChoice choice = choose_order(wish);
  EXPECT_GT(choice.order, 176'000);
  EXPECT_LT(choice.order, 188'416);
  EXPECT_NO_THROW(check(wish, with_order(wish, choice.order)));
}

TEST(ChooseOrder, LeavesRoomForWhatLinksHaveTaken) {
  OrderWish wish = wish_for(gpu_facts(), {1, 4}, 2048, 140 * kGibi);
  wish.memory_fraction = 0.95;
  const std::int64_t by_estimate = choose_order(wish).order;
  wish.facts.link_bytes = kGibi;  // the estimate for a communicator along the row
  EXPECT_EQ(choose_order(wish).order, by_estimate);
  wish.facts.link_bytes = 12 * kGibi;
  const std::int64_t beside_links = choose_order(wish).order;
  EXPECT_LT(beside_links, by_estimate);
  EXPECT_NO_THROW(check(wish, with_order(wish, beside_links)));
  EXPECT_THROW(check(wish, with_order(wish, by_estimate + 8192)), ConfigError);
}

TEST(ChooseOrder, TakesTheLargestMultipleThatFitsAndIsNeverRefused) {
  for (const Facts& facts : {gpu_facts(), cpu_facts()})
    for (const GridShape grid :
         {GridShape{1, 1}, GridShape{2, 1}, GridShape{1, 2}, GridShape{3, 5}, GridShape{8, 8}})
      for (const std::int64_t block_size : {7, 192, 1024, 2048})
        for (const double fraction : {0.5, 0.95, 0.98})
          for (const std::int64_t bytes : {12 * kGibi, 80 * kGibi, 141 * kGibi}) {
            OrderWish wish = wish_for(facts, grid, block_size, bytes);
            wish.memory_fraction = fraction;
            const std::int64_t order = choose_order(wish).order;
            const double budget = fraction * static_cast<double>(bytes);
            ASSERT_GT(order, 0);
            EXPECT_EQ(order % block_size, 0);
            EXPECT_LE(static_cast<double>(needed(wish, order)), budget);
            EXPECT_GT(static_cast<double>(needed(wish, order + block_size)), budget)
                << grid.rows << " x " << grid.columns << ", NB = " << block_size;
            EXPECT_NO_THROW(check(wish, with_order(wish, order)));
          }
}

TEST(ChooseOrder, SuitsAllRunsThatAreToHaveIt) {
  OrderWish wish = wish_for(gpu_facts(), {1, 2}, 512, 80 * kGibi);
  wish.memory_fraction = 0.98;
  const std::int64_t alone = choose_order(wish).order;
  // Another grid, and wider panels.
  wish.runs.push_back({.block_size = 2048, .grid_rows = 2, .grid_columns = 1});
  const std::int64_t order = choose_order(wish).order;
  EXPECT_LT(order, alone);
  EXPECT_EQ(order % 512, 0);
  const double budget = 0.98 * static_cast<double>(80 * kGibi);
  EXPECT_LE(static_cast<double>(needed(wish, order)), budget);
  EXPECT_GT(static_cast<double>(needed(wish, order + 512)), budget);
}

TEST(ChooseOrder, IsZeroWhenNothingFits) {
  for (const double fraction : {0.8, 1e-9}) {
    OrderWish wish = wish_for(cpu_facts(), {1, 1}, 192, 1000);
    wish.memory_fraction = fraction;
    EXPECT_EQ(choose_order(wish).order, 0);
  }
}

TEST(ChooseOrder, HoldsBeyondTwoToTheThirtyOneLocalElements) {
  OrderWish wish = wish_for(cpu_facts(), {200, 200}, 192, 1024 * kGibi);
  wish.memory_fraction = 0.9;
  EXPECT_GT(choose_order(wish).order, 60'000'000);
}

TEST(ChooseOrder, TakesTheSmallerOfMemoryAndTimeAndSaysWhich) {
  OrderWish wish = wish_for(cpu_facts(), {1, 2}, 192, 12 * kGibi);
  wish.estimate.attainable_gflops = 200;
  const OrderChoice by_time = choose_order(wish);
  EXPECT_EQ(by_time.order, order_for_seconds(kUsualEfficiency * 200, wish.seconds, 192));
  EXPECT_THAT(by_time.why, HasSubstr(" s at 85 % of the attainable rate"));
  EXPECT_THAT(by_time.why, HasSubstr("--mem-fraction 0.8 fills the memory"));

  wish.facts.memory.device.bytes = kGibi / 2;
  const OrderChoice by_memory = choose_order(wish);
  EXPECT_LT(by_memory.order, by_time.order);
  EXPECT_LE(static_cast<double>(needed(wish, by_memory.order)),
            kDefaultMemoryFraction * static_cast<double>(kGibi / 2));
  EXPECT_THAT(by_memory.why, HasSubstr("80 % of 537 MB a rank (free memory of the device)"));
  EXPECT_THAT(by_memory.why, Not(HasSubstr("fills the memory")));
}

TEST(ChooseOrder, AFractionFromTheUserOutweighsTheTime) {
  OrderWish wish = wish_for(cpu_facts(), {1, 2}, 192, 12 * kGibi);
  wish.estimate.attainable_gflops = 200;
  const std::int64_t in_time = choose_order(wish).order;
  wish.memory_fraction = 0.9;
  EXPECT_GT(choose_order(wish).order, in_time);
}

TEST(ChooseOrder, SaysWhereTheMemoryGoes) {
  OrderWish wish = wish_for(gpu_facts(), {2, 1}, 2048, 149'550'000'000);
  wish.memory_fraction = 0.98;
  const OrderChoice choice = choose_order(wish);
  const MemoryAccount account =
      decide(with_order(wish, choice.order), wish.facts, wish.wishes).memory;
  EXPECT_THAT(choice.why, HasSubstr("98 % of 149.55 GB a rank (free memory of the device)"));
  EXPECT_THAT(choice.why, HasSubstr(bytes_text(account.total().device) + ": " + describe(account)));
}

}  // namespace
}  // namespace hpl
