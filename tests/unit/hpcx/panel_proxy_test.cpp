#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <utility>
#include <vector>

// The messages of panels as AMD's devices have them, compiled for the host.
#include "panel/proxy.h"

#include "support/counting_device.h"
#include "support/cpu_device.h"

namespace hpcx::gpu_hip {
namespace {

/// The allocations of a proxy of such groups, for panels of at most `cols` columns.
hpl::MemoryBytes taken_by(const std::vector<int>& groups, std::int64_t cols) {
  const auto cpu = hpl::test::open_cpu(1);
  hpl::test::CountingDevice device(*cpu, false);
  const GpuPanelProxy proxy(device, {.me = 1, .groups = groups, .mailboxes = {}}, cols);
  return device.most();
}

TEST(PivotRounds, AreOneForFewGroupsAndDoubleForMany) {
  EXPECT_EQ(pivot_rounds(1).messages(1), 0);
  EXPECT_EQ(pivot_rounds(2).messages(2), 2);
  EXPECT_EQ(pivot_rounds(3).messages(3), 3 * 2);
  EXPECT_EQ(pivot_rounds(4).messages(4), 4 * 2);
  EXPECT_EQ(pivot_rounds(5).messages(5), 5 * 3);
  EXPECT_EQ(pivot_rounds(16).messages(16), 16 * 4);
  EXPECT_EQ(pivot_rounds(128).messages(128), 128 * 7);
  EXPECT_DOUBLE_EQ(pivot_rounds(3).latencies(), 1.7);
  EXPECT_DOUBLE_EQ(pivot_rounds(64).latencies(), 6);
}

TEST(PivotRounds, BringTheCandidatesOfAllGroupsToEachOfThem) {
  for (int groups = 1; groups <= kMaxTeamMembers; ++groups) {
    const PivotRounds plan = pivot_rounds(groups);
    std::vector<std::set<int>> known;
    for (int group = 0; group < groups; ++group)
      known.push_back({group});
    for (int round = 0; round < plan.rounds; ++round) {
      const auto before = known;
      for (int group = 0; group < groups; ++group)
        for (int d = 1; d <= plan.sends; ++d)
          known[static_cast<std::size_t>((group + (d << round)) % groups)].insert(
              before[static_cast<std::size_t>(group)].begin(),
              before[static_cast<std::size_t>(group)].end());
    }
    for (const auto& of_group : known)
      EXPECT_EQ(std::ssize(of_group), groups);
  }
}

TEST(PanelProxy, PinsAsManyBytesAsTheAccountHas) {
  for (const int members : {2, 5, 66, 128})
    for (const std::int64_t cols : {1, 7, 200}) {
      const PanelSolverSpec spec{.max_cols = cols, .members = members};
      EXPECT_EQ(taken_by(std::vector<int>(static_cast<std::size_t>(members), 1), cols).host,
                gpu_panel_solver_pinned_bytes(spec));
    }
}

TEST(PanelProxy, IsNotThereForASingleMember) {
  EXPECT_EQ(gpu_panel_solver_pinned_bytes({.max_cols = 512}), 0);
}

/// Two columns of three in a leaf: two pivots, then rows. The first column's stamp is 1.
constexpr PanelWindow kWindow{.ld = 3, .rows = 3, .cols = 3, .last = 2, .width = 32};
constexpr RowSplit kSplit{.blocks = 1, .rows_per_block = 512, .rows_per_thread = 2};

std::uint64_t stamped(std::uint64_t data, unsigned stamp) {
  return std::uint64_t{stamp} << 32 | data;
}

struct GroupMessage {
  std::uint32_t high, low, row;
  bool displaces = false;
};

/// The message of a column as a kernel writes it. Elements of rows are the row's number.
std::vector<std::uint64_t> words_of(const GroupMessage& message, unsigned stamp) {
  std::vector<std::uint64_t> words(kMessageWords, stamped(message.row, stamp));
  words[0] = stamped(message.high, stamp);
  words[1] = stamped(message.low, stamp);
  words[kCandidateRowWord] = stamped(~message.row, stamp);
  if (!message.displaces)  // an earlier column's row
    std::fill(words.begin() + kHeaderWords + kRowWords, words.end(), stamped(77, stamp - 2));
  return words;
}

/// The message that member 0 hands to its device. Each member is a group; `order` names the others
/// in the order in which their messages arrive.
std::vector<std::uint64_t> agreed(const std::vector<GroupMessage>& messages,
                                  const std::vector<int>& order) {
  const auto cpu = hpl::test::open_cpu(1);
  const std::vector<int> groups(messages.size(), 1);
  GpuPanelProxy proxy(*cpu, {.me = 0, .groups = groups, .mailboxes = {}}, 3);
  const auto owner = std::find_if(messages.begin(), messages.end(),
                                  [](const GroupMessage& message) { return message.displaces; });
  proxy.expect(kWindow, kSplit, static_cast<int>(owner - messages.begin()));
  EXPECT_EQ(proxy.next(), PanelProxy::Exchange::Pivot);
  EXPECT_FALSE(proxy.ready());
  const auto own = words_of(messages[0], 1);
  std::copy(own.begin(), own.end(), proxy.outbox() + kMessageWords);
  EXPECT_TRUE(proxy.ready());
  for (const int member : order) {
    const auto theirs = words_of(messages[static_cast<std::size_t>(member)], 1);
    const std::span<std::byte> place = proxy.message_from(member);
    EXPECT_EQ(place.size(), theirs.size() * sizeof(std::uint64_t));
    std::memcpy(place.data(), theirs.data(), place.size());
    proxy.arrived(member);
  }
  EXPECT_TRUE(std::ranges::equal(proxy.message(), std::as_bytes(std::span(own))))
      << "it may be on its way";
  proxy.finish();
  const std::uint64_t* const inbox = proxy.inbox() + kMessageWords;
  return {inbox, inbox + kMessageWords};
}

TEST(PanelProxy, AgreesOnTheFirstOfTheLargestCandidatesInEveryOrder) {
  constexpr std::uint32_t kNaN = 0x7ff80000;
  struct Case {
    std::vector<GroupMessage> messages;
    std::uint32_t best, displaced;
  };
  for (const Case& c : {Case{{{5, 1, 0, true}, {5, 2, 40}, {5, 2, 30}, {4, 9, 20}}, 30, 0},
                        Case{{{5, 2, 8}, {5, 2, 40}, {5, 1, 3, true}, {4, 9, 20}}, 8, 3},
                        Case{{{5, 2, 8}, {5, 2, 4, true}, {kNaN, 0, 30}, {kNaN, 0, 31}}, 30, 4}}) {
    std::vector<int> order{1, 2, 3};
    do {
      const std::vector<std::uint64_t> message = agreed(c.messages, order);
      EXPECT_EQ(message[kCandidateRowWord], stamped(~c.best, 1));
      EXPECT_EQ(message[kHeaderWords], stamped(c.best, 1));
      EXPECT_EQ(message[kHeaderWords + kRowWords], stamped(c.displaced, 1));
    } while (std::next_permutation(order.begin(), order.end()));
  }
}

/// The proxy of a member of groups of 2, 2 and 3 that has come to the exchange of rows, where its
/// device tells it these moves.
void expect_messages(int me, const std::vector<MovedRow>& moves, const std::vector<int>& receivers,
                     const std::vector<std::pair<int, std::int64_t>>& rows_from) {
  SCOPED_TRACE(::testing::Message() << "member " << me);
  const auto cpu = hpl::test::open_cpu(1);
  GpuPanelProxy proxy(*cpu, {.me = me, .groups = {2, 2, 3}, .mailboxes = {}}, 3);
  proxy.expect(kWindow, kSplit, 0);
  proxy.next();
  proxy.next();
  ASSERT_EQ(proxy.next(), PanelProxy::Exchange::Rows);
  EXPECT_FALSE(proxy.rows_known());
  for (std::size_t slot = 0; slot < kMovedRows; ++slot) {
    const MovedRow row = slot < moves.size() ? moves[slot] : MovedRow{};
    std::uint64_t* const words = proxy.outbox() + kOutboxMovesAt + 2 * slot;
    words[0] = stamped(static_cast<std::uint32_t>(row.from + 1), 2);
    words[1] = stamped(static_cast<std::uint32_t>(row.to + 1), 2);
  }
  ASSERT_TRUE(proxy.rows_known());
  std::vector<int> to;
  std::vector<std::pair<int, std::int64_t>> from;
  for (int member = 0; member < 7; ++member) {
    if (proxy.moves_rows(me, member)) to.push_back(member);
    if (proxy.moves_rows(member, me))
      from.emplace_back(member, std::ssize(proxy.message_from(member)) / (3 * 8));
  }
  EXPECT_EQ(to, receivers);
  EXPECT_EQ(from, rows_from);
  proxy.finish();
  EXPECT_EQ(proxy.inbox()[kInboxFlagAt], stamped(0, 2));
}

TEST(PanelProxy, SendsMovedRowsToOneMemberOfEachGroupThatAwaitsThem) {
  // Two rows of member 3 go to all. One of member 0 goes to member 6, and one stays in its group.
  const std::vector<MovedRow> moves{{.from = 3}, {}, {.from = 0, .to = 6}, {.from = 3}};
  expect_messages(0, moves, {4}, {});
  expect_messages(1, moves, {}, {{3, 2}});
  expect_messages(2, moves, {}, {});
  expect_messages(3, moves, {1, 4}, {});
  expect_messages(4, moves, {}, {{0, 1}, {3, 2}});
  expect_messages(5, moves, {}, {});
  expect_messages(6, moves, {}, {});
}

}  // namespace
}  // namespace hpcx::gpu_hip
