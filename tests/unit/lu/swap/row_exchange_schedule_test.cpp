#include <algorithm>
#include <bit>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hpl/lu/swap/row_exchange_plan.h"
#include "support/message_simulator.h"
#include "support/random_pivots.h"

namespace hpl {
namespace {

using mpi::Schedule;
using test::MessageSimulator;

constexpr std::int64_t kNothing = MessageSimulator::kNothing;

/// Carries out the schedules of all processes: empty, or what is wrong.
std::string run(const std::vector<Schedule>& schedules, MessageSimulator::Buffers& buffers) {
  return MessageSimulator(schedules, buffers, sizeof(double)).run();
}

class RowExchangeSchedules : public testing::TestWithParam<std::tuple<int, SwapVariant>> {
 protected:
  int processes_ = std::get<0>(GetParam());
  SwapVariant variant_ = std::get<1>(GetParam());

  std::vector<RowExchangePlan> plans(std::int64_t order, std::int64_t block, std::int64_t first,
                                     const std::vector<std::int64_t>& pivots) const {
    std::vector<RowExchangePlan> result;
    for (int rank = 0; rank < processes_; ++rank)
      result.push_back(plan_row_exchange(permutation_of(pivots, first),
                                         RowMap({order, block, processes_, rank}), first));
    return result;
  }

  void expect_every_row_arrives(const std::vector<RowExchangePlan>& plans) const {
    const std::int64_t width = plans[0].width;
    const RowExchangePlan& owner = plans[plans[0].owner_row];
    std::vector<Schedule> schedules;
    std::vector<std::vector<std::int64_t>> buffers;
    for (const RowExchangePlan& plan : plans) {
      const ExchangeBuffer layout = exchange_buffer(plan, SolveSite::Everywhere, 1);
      schedules.push_back(row_exchange_schedule(plan, variant_, 1));
      buffers.emplace_back(static_cast<std::size_t>(layout.size), kNothing);
      const Interval mine = plan.u_parts[plan.me];
      for (std::int64_t slot = mine.begin; slot < mine.begin + mine.count; ++slot)
        buffers.back()[slot] = slot;
      for (std::int64_t i = 0; i < std::ssize(plan.displaced_from); ++i)
        buffers.back()[layout.outgoing + i] = 1000 + i;
    }
    ASSERT_EQ(run(schedules, buffers), "");
    for (const RowExchangePlan& plan : plans) {
      const auto& buffer = buffers[plan.me];
      for (std::int64_t slot = 0; slot < width; ++slot)
        EXPECT_EQ(buffer[slot], slot) << "process " << plan.me;
      if (plan.me == plan.owner_row) continue;
      const Interval arriving = owner.displaced_parts[plan.me];
      for (std::int64_t i = 0; i < arriving.count; ++i)
        EXPECT_EQ(buffer[exchange_buffer(plan, SolveSite::Everywhere, 1).incoming + i],
                  1000 + arriving.begin + i);
    }
  }
};

TEST_P(RowExchangeSchedules, BringEveryRowToEveryProcess) {
  for (unsigned seed = 0; seed < 12; ++seed) {
    const std::int64_t block = 1 + 3 * (seed % 5), order = 90, first = seed % 3 * block;
    expect_every_row_arrives(
        plans(order, block, first, test::random_pivots(order, first, block, seed)));
  }
}

TEST_P(RowExchangeSchedules, ServeRowsThatAllComeFromOneProcess) {
  constexpr std::int64_t kRows = 8;
  for (int from = 0; from < processes_; ++from) {
    std::vector<std::int64_t> pivots;
    for (std::int64_t c = 0; c < kRows; ++c)
      pivots.push_back(from * kRows + c);
    expect_every_row_arrives(plans(9 * kRows, kRows, 0, pivots));
  }
}

TEST_P(RowExchangeSchedules, ServeTheLastPanelOfASmallMatrix) {
  expect_every_row_arrives(plans(5, 4, 4, {4}));
  expect_every_row_arrives(plans(1, 4, 0, {0}));
}

TEST_P(RowExchangeSchedules, CountColumnsInBytes) {
  const auto all = plans(90, 8, 0, test::random_pivots(90, 0, 8, 1));
  constexpr std::int64_t kColumns = 4'000'000'000;
  for (const RowExchangePlan& plan : all) {
    const Schedule one = row_exchange_schedule(plan, variant_, 1);
    const Schedule many = row_exchange_schedule(plan, variant_, kColumns);
    ASSERT_EQ(one.size(), many.size());
    for (std::size_t s = 0; s < one.size(); ++s)
      for (std::size_t m = 0; m < one[s].messages.size(); ++m) {
        EXPECT_EQ(many[s].messages[m].offset, one[s].messages[m].offset * kColumns);
        EXPECT_EQ(many[s].messages[m].bytes, one[s].messages[m].bytes * kColumns);
      }
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, RowExchangeSchedules,
                         testing::Combine(testing::Range(1, 10),
                                          testing::Values(SwapVariant::BinaryExchange,
                                                          SwapVariant::SpreadRoll)));

/// An exchange of which every process solves some columns.
class DividedExchange : public testing::TestWithParam<int> {
 protected:
  static constexpr std::int64_t kWidth = 12, kOrder = 240;
  int processes_ = GetParam();

  std::vector<RowExchangePlan> plans(unsigned seed) const {
    const std::int64_t first = seed % 3 * kWidth;
    std::vector<RowExchangePlan> result;
    for (int rank = 0; rank < processes_; ++rank)
      result.push_back(
          plan_row_exchange(permutation_of(test::random_pivots(kOrder, first, kWidth, seed), first),
                            RowMap({kOrder, kWidth, processes_, rank}), first));
    return result;
  }
  static std::int64_t entry(std::int64_t slot, std::int64_t column) { return 1000 * slot + column; }

  void expect_spread(const std::vector<RowExchangePlan>& plans, std::int64_t columns) const {
    const std::vector<Interval> pieces = column_pieces(columns, processes_);
    std::vector<Schedule> schedules;
    std::vector<std::vector<std::int64_t>> buffers;
    for (const RowExchangePlan& plan : plans) {
      const ExchangeBuffer layout = exchange_buffer(plan, SolveSite::Divided, columns);
      EXPECT_LE(layout.size, exchange_buffer_rows(kWidth) * columns);
      schedules.push_back(spread_schedule(plan, columns));
      auto& buffer = buffers.emplace_back(static_cast<std::size_t>(layout.size), kNothing);
      const Interval mine = plan.u_parts[plan.me];
      for (int to = 0; to < processes_; ++to)
        for (std::int64_t i = 0; i < mine.count; ++i)
          for (std::int64_t j = 0; j < pieces[to].count; ++j) {
            const std::int64_t value = entry(mine.begin + i, pieces[to].begin + j);
            const std::int64_t place = i * pieces[to].count + j;
            if (to == plan.me)
              buffer[layout.piece + mine.begin * pieces[to].count + place] = value;
            else
              buffer[mine.count * pieces[to].begin + place] = value;
          }
      for (std::int64_t i = 0; i < std::ssize(plan.displaced_from) * columns; ++i)
        buffer[layout.outgoing + i] = 1'000'000 + i;
    }
    ASSERT_EQ(run(schedules, buffers), "");
    for (const RowExchangePlan& plan : plans) {
      const ExchangeBuffer layout = exchange_buffer(plan, SolveSite::Divided, columns);
      const auto& buffer = buffers[plan.me];
      const Interval piece = pieces[plan.me];
      for (std::int64_t slot = 0; slot < kWidth; ++slot)
        for (std::int64_t j = 0; j < piece.count; ++j)
          ASSERT_EQ(buffer[layout.piece + slot * piece.count + j], entry(slot, piece.begin + j))
              << "process " << plan.me;
      if (plan.me == plan.owner_row) continue;
      const Interval arriving = plans[plan.owner_row].displaced_parts[plan.me];
      for (std::int64_t i = 0; i < arriving.count * columns; ++i)
        ASSERT_EQ(buffer[layout.incoming + i], 1'000'000 + arriving.begin * columns + i);
    }
  }
};

TEST_P(DividedExchange, SpreadsToEveryProcessItsColumnsOfAllRows) {
  for (unsigned seed = 0; seed < 6; ++seed)
    for (const std::int64_t columns : {1, 16, 40, 200})
      expect_spread(plans(seed), columns);
}

TEST_P(DividedExchange, RollsWhatWasSolvedToEveryProcess) {
  constexpr std::int64_t kColumns = 72;
  const std::vector<Interval> pieces = column_pieces(kColumns, processes_);
  std::vector<Schedule> schedules;
  std::vector<std::vector<std::int64_t>> buffers;
  for (const RowExchangePlan& plan : plans(1)) {
    schedules.push_back(roll_schedule(plan, kColumns));
    auto& buffer = buffers.emplace_back(kWidth * kColumns, kNothing);
    const Interval mine = pieces[plan.me];
    for (std::int64_t i = 0; i < kWidth * mine.count; ++i)
      buffer[kWidth * mine.begin + i] = kWidth * mine.begin + i;
  }
  ASSERT_EQ(run(schedules, buffers), "");
  for (const auto& buffer : buffers)
    for (std::int64_t i = 0; i < kWidth * kColumns; ++i)
      ASSERT_EQ(buffer[i], i);
}

INSTANTIATE_TEST_SUITE_P(Processes, DividedExchange, testing::Range(1, 10));

TEST(ColumnPieces, AreAdjacentAndNearlyEqualInRunsOfSixteen) {
  for (const std::int64_t columns : {0, 5, 16, 100, 4096, 4100})
    for (int processes = 1; processes < 8; ++processes) {
      std::int64_t next = 0;
      for (const Interval piece : column_pieces(columns, processes)) {
        EXPECT_EQ(piece.begin, next);
        EXPECT_LE(piece.count, columns / processes + 16);
        next = piece.begin + piece.count;
        EXPECT_TRUE(next % 16 == 0 || next == columns);
      }
      EXPECT_EQ(next, columns);
    }
}

TEST(RowExchangePeers, AreThoseOfTheMessagesOfAllPanels) {
  constexpr std::int64_t kWidth = 16, kColumns = 16 * 128;
  for (const int size : {1, 2, 3, 6, 64, 128}) {
    const std::int64_t order = kWidth * size * 8;
    const int rank = size / 2;
    std::set<int> met;
    for (int step = 0; step < size; ++step) {
      const std::int64_t first = kWidth * step;
      const auto plan = plan_row_exchange(
          permutation_of(test::random_pivots(order, first, kWidth, 100 * size + step), first),
          RowMap({order, kWidth, size, rank}), first);
      for (const mpi::Schedule& schedule :
           {spread_schedule(plan, kColumns),
            row_exchange_schedule(plan, SwapVariant::BinaryExchange, kColumns)})
        for (const mpi::Stage& stage : schedule)
          for (const mpi::Message& message : stage.messages)
            met.insert(message.peer);
    }
    EXPECT_EQ(row_exchange_peers(rank, size), std::vector<int>(met.begin(), met.end())) << size;
  }
}

TEST(RowExchangeSchedule, OfOneProcessIsEmpty) {
  const auto plan = plan_row_exchange(permutation_of(test::random_pivots(30, 0, 5, 3), 0),
                                      RowMap({30, 5, 1, 0}), 0);
  for (const SwapVariant variant : {SwapVariant::BinaryExchange, SwapVariant::SpreadRoll})
    EXPECT_TRUE(row_exchange_schedule(plan, variant, 8).empty());
}

TEST(RowExchangeSchedule, BinaryExchangeTakesLogarithmicallyManyStages) {
  std::vector<std::int64_t> pivots;
  for (std::int64_t c = 0; c < 8; ++c)
    pivots.push_back(c * 8 + c);  // one from every process
  const auto plan = plan_row_exchange(permutation_of(pivots, 0), RowMap({512, 8, 8, 5}), 0);
  // The displaced rows take at most one more.
  EXPECT_LE(row_exchange_schedule(plan, SwapVariant::BinaryExchange, 1).size(), 4u);
  EXPECT_GE(row_exchange_schedule(plan, SwapVariant::SpreadRoll, 1).size(), 7u);
}

}  // namespace
}  // namespace hpl
