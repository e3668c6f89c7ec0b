#include <algorithm>
#include <bit>
#include <cstdint>
#include <deque>
#include <map>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "hpl/swap/row_exchange_plan.h"
#include "support/random_pivots.h"

namespace hpl {
namespace {

using mpi::Message;
using mpi::Schedule;

constexpr std::int64_t kNothing = -1;

/// Carries out the schedules of all processes on buffers whose rows are single numbers. A message
/// takes its row when both sides have posted it; receives are posted as late as the stages allow.
class Exchange {
 public:
  Exchange(std::vector<Schedule> schedules, std::vector<std::vector<std::int64_t>>& buffers)
      : schedules_(std::move(schedules)),
        buffers_(buffers),
        stage_(schedules_.size(), 0),
        receives_(schedules_.size(), 0) {}

  /// Empty when everything was sent and received, else what is wrong.
  std::string run() {
    for (std::size_t p = 0; p < schedules_.size(); ++p)
      post(p);
    bool moved = true;
    while (moved && fault_.empty()) {
      moved = false;
      for (auto& [pair, sends] : sends_) {
        auto& receives = receives_of_[pair];
        while (!sends.empty() && !receives.empty()) {
          deliver(pair, sends.front(), receives.front());
          sends.pop_front();
          receives.pop_front();
          moved = true;
        }
      }
      for (std::size_t p = 0; p < schedules_.size(); ++p)
        while (receives_[p] == 0 && stage_[p] < schedules_[p].size()) {
          ++stage_[p];
          post(p);
          moved = true;
        }
    }
    for (const auto& [pair, sends] : sends_)
      if (!sends.empty()) fault_ = "a message is never received";
    for (std::size_t p = 0; p < schedules_.size(); ++p)
      if (stage_[p] < schedules_[p].size()) fault_ = "a process waits for ever";
    return fault_;
  }

 private:
  using Pair = std::pair<std::size_t, std::size_t>;

  void post(std::size_t p) {
    if (stage_[p] >= schedules_[p].size()) return;
    for (const Message& message : schedules_[p][stage_[p]].messages) {
      const auto peer = static_cast<std::size_t>(message.peer);
      if (message.bytes <= 0) fault_ = "an empty message";
      if (message.direction == Message::Direction::Send) {
        sends_[{p, peer}].push_back(message);
      } else {
        receives_of_[{peer, p}].push_back(message);
        ++receives_[p];
      }
    }
  }
  void deliver(Pair pair, const Message& send, const Message& receive) {
    if (send.bytes != receive.bytes) {
      fault_ = "two sides disagree on the length";
      return;
    }
    const auto& from = buffers_[pair.first];
    auto& to = buffers_[pair.second];
    for (std::int64_t row = 0; row < send.bytes; ++row) {
      if (from[send.offset + row] == kNothing) fault_ = "a row is sent before it is there";
      to[receive.offset + row] = from[send.offset + row];
    }
    --receives_[pair.second];
  }

  std::vector<Schedule> schedules_;
  std::vector<std::vector<std::int64_t>>& buffers_;
  std::vector<std::size_t> stage_;
  std::vector<int> receives_;
  std::map<Pair, std::deque<Message>> sends_, receives_of_;
  std::string fault_;
};

struct Way {
  SwapVariant variant;
  bool equilibrate;
};

void PrintTo(const Way& way, std::ostream* out) {
  *out << to_string(way.variant) << (way.equilibrate ? ", equilibrated" : "");
}

class RowExchangeSchedules : public testing::TestWithParam<std::tuple<int, Way>> {
 protected:
  int processes_ = std::get<0>(GetParam());
  Way way_ = std::get<1>(GetParam());

  std::vector<RowExchangePlan> plans(std::int64_t order, std::int64_t block, std::int64_t first,
                                     const std::vector<std::int64_t>& pivots) const {
    std::vector<RowExchangePlan> result;
    for (int rank = 0; rank < processes_; ++rank)
      result.push_back(plan_row_exchange(permutation_of(pivots, first),
                                         {order, block, processes_, rank}, first));
    return result;
  }

  void expect_every_row_arrives(const std::vector<RowExchangePlan>& plans) const {
    const std::int64_t width = plans[0].width;
    const RowExchangePlan& owner = plans[plans[0].owner_row];
    std::vector<Schedule> schedules;
    std::vector<std::vector<std::int64_t>> buffers;
    for (const RowExchangePlan& plan : plans) {
      const ExchangeBuffer layout = exchange_buffer(plan);
      schedules.push_back(row_exchange_schedule(plan, way_.variant, way_.equilibrate, 1));
      buffers.emplace_back(static_cast<std::size_t>(layout.rows), kNothing);
      const Share mine = plan.u_shares[plan.me];
      for (std::int64_t slot = mine.begin; slot < mine.begin + mine.count; ++slot)
        buffers.back()[layout.u + slot] = slot;
      for (std::int64_t i = 0; i < std::ssize(plan.displaced_from); ++i)
        buffers.back()[layout.outgoing + i] = 1000 + i;
    }
    ASSERT_EQ(Exchange(schedules, buffers).run(), "");
    for (const RowExchangePlan& plan : plans) {
      const auto& buffer = buffers[plan.me];
      for (std::int64_t slot = 0; slot < width; ++slot)
        EXPECT_EQ(buffer[slot], slot) << "process " << plan.me;
      if (plan.me == plan.owner_row) continue;
      const Share arriving = owner.displaced_shares[plan.me];
      for (std::int64_t i = 0; i < arriving.count; ++i)
        EXPECT_EQ(buffer[exchange_buffer(plan).incoming + i], 1000 + arriving.begin + i);
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
  constexpr std::int64_t kBlock = 8;
  for (int from = 0; from < processes_; ++from) {
    std::vector<std::int64_t> pivots;
    for (std::int64_t c = 0; c < kBlock; ++c)
      pivots.push_back(from * kBlock + c);
    expect_every_row_arrives(plans(9 * kBlock, kBlock, 0, pivots));
  }
}

TEST_P(RowExchangeSchedules, ServeTheLastPanelOfASmallMatrix) {
  expect_every_row_arrives(plans(5, 4, 4, {4}));
  expect_every_row_arrives(plans(1, 4, 0, {0}));
}

TEST_P(RowExchangeSchedules, CountRowsInBytes) {
  const auto all = plans(90, 8, 0, test::random_pivots(90, 0, 8, 1));
  constexpr std::int64_t kRowBytes = 8 * 4'000'000'000;
  for (const RowExchangePlan& plan : all) {
    const Schedule rows = row_exchange_schedule(plan, way_.variant, way_.equilibrate, 1);
    const Schedule bytes = row_exchange_schedule(plan, way_.variant, way_.equilibrate, kRowBytes);
    ASSERT_EQ(rows.size(), bytes.size());
    for (std::size_t s = 0; s < rows.size(); ++s)
      for (std::size_t m = 0; m < rows[s].messages.size(); ++m) {
        EXPECT_EQ(bytes[s].messages[m].offset, rows[s].messages[m].offset * kRowBytes);
        EXPECT_EQ(bytes[s].messages[m].bytes, rows[s].messages[m].bytes * kRowBytes);
      }
  }
}

INSTANTIATE_TEST_SUITE_P(Ways, RowExchangeSchedules,
                         testing::Combine(testing::Range(1, 10),
                                          testing::Values(Way{SwapVariant::BinaryExchange, false},
                                                          Way{SwapVariant::SpreadRoll, false},
                                                          Way{SwapVariant::SpreadRoll, true})));

TEST(RowExchangeSchedule, OfOneProcessIsEmpty) {
  const auto plan =
      plan_row_exchange(permutation_of(test::random_pivots(30, 0, 5, 3), 0), {30, 5, 1, 0}, 0);
  for (const SwapVariant variant : {SwapVariant::BinaryExchange, SwapVariant::SpreadRoll})
    EXPECT_TRUE(row_exchange_schedule(plan, variant, true, 8).empty());
}

TEST(RowExchangeSchedule, EquilibratedRollsSendEqualPartsWhoeverHadTheRows) {
  constexpr std::int64_t kBlock = 12;
  std::vector<std::int64_t> in_place;
  for (std::int64_t c = 0; c < kBlock; ++c)
    in_place.push_back(c);
  const auto plan = plan_row_exchange(permutation_of(in_place, 0), {120, kBlock, 4, 2}, 0);
  const Schedule schedule = row_exchange_schedule(plan, SwapVariant::SpreadRoll, true, 1);
  ASSERT_EQ(schedule.size(), 4u);  // the spread and three steps of the roll
  for (const auto& stage : schedule)
    for (const Message& message : stage.messages)
      EXPECT_EQ(message.bytes, 3);
}

TEST(RowExchangeSchedule, BinaryExchangeTakesLogarithmicallyManyStages) {
  std::vector<std::int64_t> pivots;
  for (std::int64_t c = 0; c < 8; ++c)
    pivots.push_back(c * 8 + c);  // one from every process
  const auto plan = plan_row_exchange(permutation_of(pivots, 0), {512, 8, 8, 5}, 0);
  // The displaced rows take at most one more.
  EXPECT_LE(row_exchange_schedule(plan, SwapVariant::BinaryExchange, false, 1).size(), 4u);
  EXPECT_GE(row_exchange_schedule(plan, SwapVariant::SpreadRoll, false, 1).size(), 7u);
}

}  // namespace
}  // namespace hpl
