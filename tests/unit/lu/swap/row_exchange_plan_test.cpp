#include "hpl/lu/swap/row_exchange_plan.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "support/random_pivots.h"

namespace hpl {
namespace {

constexpr std::int64_t kOrder = 77, kBlock = 9;

struct Step {
  std::int64_t first = 0;
  std::vector<std::int64_t> pivots;
};

/// Every step of a matrix of order 77, with pivots of several kinds.
std::vector<Step> steps() {
  std::vector<Step> result;
  for (std::int64_t first = 0; first < kOrder; first += kBlock)
    for (unsigned seed = 0; seed < 4; ++seed) {
      const std::int64_t width = std::min(kBlock, kOrder - first);
      result.push_back({first, test::random_pivots(kOrder, first, width, seed)});
    }
  std::vector<std::int64_t> in_place, last(kBlock, kOrder - 1);
  for (std::int64_t c = 0; c < kBlock; ++c)
    in_place.push_back(c);
  result.push_back({0, in_place});
  result.push_back({0, last});
  return result;
}

std::vector<RowExchangePlan> plans_of(const Step& step, int processes) {
  std::vector<RowExchangePlan> plans;
  for (int rank = 0; rank < processes; ++rank)
    plans.push_back(plan_row_exchange(permutation_of(step.pivots, step.first),
                                      RowMap({kOrder, kBlock, processes, rank}), step.first));
  return plans;
}

class RowExchangePlans : public testing::TestWithParam<int> {};

TEST_P(RowExchangePlans, CollectEveryRowOfUFromItsOwner) {
  const int processes = GetParam();
  for (const Step& step : steps()) {
    const auto plans = plans_of(step, processes);
    const auto original = test::exchange_one_by_one(kOrder, step.first, step.pivots);
    const std::int64_t width = std::ssize(step.pivots);
    std::vector<std::int64_t> slots;
    for (const RowExchangePlan& plan : plans) {
      const RowMap map({kOrder, kBlock, processes, plan.me});
      EXPECT_EQ(plan.u_parts[plan.me].begin, std::ssize(slots));
      EXPECT_EQ(plan.u_parts[plan.me].count, std::ssize(plan.u_rows));
      for (const std::int64_t row : plan.u_rows)
        slots.push_back(map.to_global({row}).value);
    }
    ASSERT_EQ(std::ssize(slots), width);
    for (const RowExchangePlan& plan : plans)
      for (std::int64_t t = 0; t < width; ++t)
        EXPECT_EQ(slots[plan.slot_of[t]], original[step.first + t]);
  }
}

TEST_P(RowExchangePlans, SendEveryDisplacedRowToItsNewOwner) {
  const int processes = GetParam();
  for (const Step& step : steps()) {
    const auto plans = plans_of(step, processes);
    const auto original = test::exchange_one_by_one(kOrder, step.first, step.pivots);
    const RowExchangePlan& owner = plans[plans[0].owner_row];
    const RowMap owner_map({kOrder, kBlock, processes, owner.me});
    std::vector<std::int64_t> after(kOrder);
    for (std::int64_t r = 0; r < kOrder; ++r)
      after[r] = r;
    for (const RowExchangePlan& plan : plans) {
      const RowMap map({kOrder, kBlock, processes, plan.me});
      const Interval part = owner.displaced_parts[plan.me];
      ASSERT_EQ(part.count, std::ssize(plan.displaced_to));
      for (std::int64_t i = 0; i < part.count; ++i)
        after[map.to_global({plan.displaced_to[i]}).value] =
            owner_map.to_global({owner.displaced_from[part.begin + i]}).value;
    }
    const std::int64_t below = step.first + std::ssize(step.pivots);
    for (std::int64_t r = below; r < kOrder; ++r)
      EXPECT_EQ(after[r], original[r]) << "row " << r;
  }
}

TEST_P(RowExchangePlans, AgreeOnTheSharesOfEveryProcess) {
  for (const Step& step : steps()) {
    const auto plans = plans_of(step, GetParam());
    for (const RowExchangePlan& plan : plans)
      for (int p = 0; p < GetParam(); ++p) {
        EXPECT_EQ(plan.u_parts[p].begin, plans[0].u_parts[p].begin);
        EXPECT_EQ(plan.u_parts[p].count, plans[0].u_parts[p].count);
        EXPECT_EQ(plan.displaced_parts[p].begin, plans[0].displaced_parts[p].begin);
        EXPECT_EQ(plan.displaced_parts[p].count, plans[0].displaced_parts[p].count);
        EXPECT_EQ(plan.slot_of, plans[0].slot_of);
      }
  }
}

TEST_P(RowExchangePlans, NeedNoMoreRoomThanASpaceHas) {
  for (const Step& step : steps())
    for (const RowExchangePlan& plan : plans_of(step, GetParam()))
      for (const SolveSite place : {SolveSite::Everywhere, SolveSite::Divided})
        for (const std::int64_t columns : {1, 7, 64}) {
          const ExchangeBuffer buffer = exchange_buffer(plan, place, columns);
          EXPECT_GE(buffer.size, plan.width * columns);
          EXPECT_LE(buffer.size, exchange_buffer_rows(plan.width) * columns);
        }
}

INSTANTIATE_TEST_SUITE_P(Processes, RowExchangePlans, testing::Range(1, 7));

TEST(RowExchangePlan, NamesRowsOfAHugeMatrix) {
  const std::int64_t order = 6'000'000'000, first = 3'000'000'000;
  const std::vector<std::int64_t> pivots{order - 1, first + 1};
  const RowExchangePlan plan =
      plan_row_exchange(permutation_of(pivots, first), RowMap({order, 500, 1, 0}), first);
  EXPECT_EQ(plan.u_rows, (std::vector<std::int64_t>{order - 1, first + 1}));
  EXPECT_EQ(plan.displaced_from, std::vector<std::int64_t>{first});
  EXPECT_EQ(plan.displaced_to, std::vector<std::int64_t>{order - 1});
}

TEST(ResolveSwap, MixIsBinaryExchangeUpToTheThreshold) {
  EXPECT_EQ(resolve_swap(SwapVariant::Mix, 64, 64), SwapVariant::BinaryExchange);
  EXPECT_EQ(resolve_swap(SwapVariant::Mix, 64, 65), SwapVariant::SpreadRoll);
  EXPECT_EQ(resolve_swap(SwapVariant::SpreadRoll, 64, 1), SwapVariant::SpreadRoll);
  EXPECT_EQ(resolve_swap(SwapVariant::BinaryExchange, 64, 1000), SwapVariant::BinaryExchange);
}

/// The permutation's place for every row of the matrix, in the form of exchange_one_by_one().
std::vector<std::int64_t> apply(const RowPermutation& permutation, std::int64_t order,
                                std::int64_t first) {
  std::vector<std::int64_t> original(static_cast<std::size_t>(order));
  for (std::int64_t r = 0; r < order; ++r)
    original[r] = r;
  for (std::int64_t t = 0; t < std::ssize(permutation.source); ++t)
    original[first + t] = permutation.source[t].value;
  for (std::size_t i = 0; i < permutation.top.size(); ++i)
    original[permutation.to[i].value] = first + permutation.top[i];
  return original;
}

TEST(PermutationOf, RandomPivotsIsWhatSingleExchangesDo) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    const std::int64_t order = 1 + seed % 60;
    const std::int64_t first = seed % 7 * order / 10;
    const std::int64_t width = std::min<std::int64_t>(order - first, 1 + seed % 17);
    const auto pivots = test::random_pivots(order, first, width, seed);
    const RowPermutation permutation = permutation_of(pivots, first);
    ASSERT_EQ(permutation.top.size(), permutation.to.size());
    EXPECT_EQ(apply(permutation, order, first), test::exchange_one_by_one(order, first, pivots))
        << "seed " << seed;
  }
}

TEST(PermutationOf, PivotsInPlaceMovesNothing) {
  const std::vector<std::int64_t> pivots{5, 6, 7};
  const RowPermutation permutation = permutation_of(pivots, 5);
  EXPECT_EQ(permutation.source, (std::vector<GlobalRow>{{5}, {6}, {7}}));
  EXPECT_TRUE(permutation.top.empty());
}

TEST(PermutationOf, ARowUsedTwiceEndsWhereTheLastExchangePutsIt) {
  // Row 9 takes row 0, then gives it to row 1 and takes what stood there.
  const std::vector<std::int64_t> pivots{9, 9};
  const RowPermutation permutation = permutation_of(pivots, 0);
  EXPECT_EQ(permutation.source, (std::vector<GlobalRow>{{9}, {0}}));
  EXPECT_EQ(permutation.top, std::vector<std::int64_t>{1});
  EXPECT_EQ(permutation.to, std::vector<GlobalRow>{{9}});
}

TEST(PermutationOf, NoPivotsIsEmpty) {
  const RowPermutation permutation = permutation_of({}, 3);
  EXPECT_TRUE(permutation.source.empty());
  EXPECT_TRUE(permutation.to.empty());
}

}  // namespace
}  // namespace hpl
