#include "hpl/lu/broadcast/broadcast.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "hpl/input/run_spec/field_rules.h"
#include "support/message_simulator.h"

namespace hpl {
namespace {

using mpi::Message;
using mpi::Schedule;
using test::MessageSimulator;

/// "1ring" is no name for a test.
std::string variant_name(const testing::TestParamInfo<BroadcastVariant>& param) {
  return "By" + std::string(to_string(param.param));
}

std::vector<Schedule> all_ranks(BroadcastVariant variant, BroadcastShape shape) {
  std::vector<Schedule> schedules;
  for (shape.rank = 0; shape.rank < shape.size; ++shape.rank)
    schedules.push_back(broadcast_schedule(variant, shape));
  return schedules;
}

/// The result of a job of schedules, one entry a rank.
struct Simulation {
  std::string fault;                         ///< empty, or the first thing that went wrong
  std::vector<std::vector<int>> deliveries;  ///< number of receipts of each byte
  std::vector<std::int64_t> sent;            ///< bytes
};

/// Only `root` knows the `bytes` at the start, which are numbered.
Simulation simulate(const std::vector<Schedule>& schedules, int root, std::int64_t bytes) {
  std::vector<std::int64_t> message(static_cast<std::size_t>(bytes));
  std::iota(message.begin(), message.end(), 0);
  MessageSimulator::Buffers buffers(
      schedules.size(), std::vector<std::int64_t>(message.size(), MessageSimulator::kNothing));
  buffers[static_cast<std::size_t>(root)] = message;
  MessageSimulator job(schedules, buffers, 1);
  std::string fault = job.run();
  if (fault.empty() && std::ranges::count(buffers, message) != std::ssize(buffers))
    fault = "bytes have changed places";
  return {fault, job.received(), job.sent()};
}

using Links = std::set<std::pair<int, int>>;  // from, to

Links links(BroadcastVariant variant, const BroadcastShape& shape) {
  Links found;
  const std::vector<Schedule> schedules = all_ranks(variant, shape);
  for (std::size_t rank = 0; rank < schedules.size(); ++rank)
    for (const mpi::Stage& stage : schedules[rank])
      for (const Message& message : stage.messages)
        if (message.direction == Message::Direction::Send)
          found.emplace(static_cast<int>(rank), message.peer);
  return found;
}

class EveryVariant : public testing::TestWithParam<BroadcastVariant> {};

TEST_P(EveryVariant, DeliversEachByteOnceToEveryOtherRankWithoutDeadlock) {
  for (int size = 1; size <= 9; ++size) {
    for (int root = 0; root < size; ++root) {
      for (const int bytes : {0, 1, 7, 8, 9, 64, 65, 801}) {
        SCOPED_TRACE(testing::Message()
                     << "size " << size << " root " << root << " bytes " << bytes);
        const BroadcastShape shape{.root = root, .size = size, .bytes = bytes, .segment_bytes = 64};

        const Simulation job = simulate(all_ranks(GetParam(), shape), root, bytes);

        ASSERT_EQ(job.fault, "");
        for (int rank = 0; rank < size; ++rank) {
          const std::vector<int> expected(static_cast<std::size_t>(bytes), rank == root ? 0 : 1);
          ASSERT_EQ(job.deliveries[static_cast<std::size_t>(rank)], expected) << "rank " << rank;
        }
      }
    }
  }
}

TEST_P(EveryVariant, LetsReceivesStartEarly) {
  for (int size = 1; size <= 9; ++size)
    for (const Schedule& schedule :
         all_ranks(GetParam(), {.root = size / 2, .size = size, .bytes = 801, .segment_bytes = 64}))
      EXPECT_TRUE(mpi::receives_may_start_early(schedule)) << "size " << size;
}

TEST_P(EveryVariant, CountsOffsetsBeyondFourGibibytes) {
  const std::int64_t bytes = (std::int64_t{9} << 30) + 5;
  for (int rank = 1; rank < 3; ++rank) {
    std::int64_t received = 0;
    for (const mpi::Stage& stage : broadcast_schedule(
             GetParam(), {.rank = rank, .size = 3, .bytes = bytes, .segment_bytes = bytes / 2}))
      for (const Message& message : stage.messages)
        if (message.direction == Message::Direction::Receive) received += message.bytes;
    EXPECT_EQ(received, bytes);
  }
}

TEST_P(EveryVariant, RefusesARankOutsideTheRow) {
  EXPECT_THROW(broadcast_schedule(GetParam(), {.rank = 4, .size = 4, .bytes = 8}),
               std::logic_error);
  EXPECT_THROW(broadcast_schedule(GetParam(), {.root = -1, .size = 4, .bytes = 8}),
               std::logic_error);
}

INSTANTIATE_TEST_SUITE_P(Broadcast, EveryVariant,
                         testing::ValuesIn(choice_values(kBroadcastVariants)), variant_name);

TEST(BroadcastTree, DeliversToEveryRankWithinTheLogarithmOfTheirNumberOfHops) {
  for (int size = 1; size <= 17; ++size)
    for (int root = 0; root < size; ++root) {
      std::vector<Schedule> schedules;
      std::vector<int> heard_from(static_cast<std::size_t>(size), -1);
      for (int rank = 0; rank < size; ++rank) {
        schedules.push_back(tree_schedule({.rank = rank, .root = root, .size = size, .bytes = 40}));
        for (const mpi::Stage& stage : schedules.back())
          for (const Message& message : stage.messages)
            if (message.direction == Message::Direction::Receive)
              heard_from[static_cast<std::size_t>(rank)] = message.peer;
      }
      EXPECT_EQ(simulate(schedules, root, 40).fault, "") << "size " << size << " root " << root;
      for (int rank = 0; rank < size; ++rank) {
        int hops = 0;
        for (int at = rank; at != root; at = heard_from[static_cast<std::size_t>(at)])
          ++hops;
        EXPECT_LE(1 << hops, 2 * size) << "size " << size << " root " << root << " rank " << rank;
      }
    }
}

TEST(BroadcastRing1, ChainsAllRanksAfterTheRoot) {
  EXPECT_EQ(links(BroadcastVariant::Ring1, {.root = 4, .size = 6, .bytes = 100}),
            (Links{{4, 5}, {5, 0}, {0, 1}, {1, 2}, {2, 3}}));
}

TEST(BroadcastRing1M, NextRankOnlyReceivesAndTheRingStartsAtTheOneAfter) {
  EXPECT_EQ(links(BroadcastVariant::Ring1M, {.root = 4, .size = 6, .bytes = 100}),
            (Links{{4, 5}, {4, 0}, {0, 1}, {1, 2}, {2, 3}}));
}

TEST(BroadcastRing2, SecondRingStartsHalfWay) {
  EXPECT_EQ(links(BroadcastVariant::Ring2, {.root = 0, .size = 6, .bytes = 100}),
            (Links{{0, 1}, {1, 2}, {0, 3}, {3, 4}, {4, 5}}));
}

TEST(BroadcastRing2M, NextRankOnlyReceivesAndTwoRingsShareTheRest) {
  EXPECT_EQ(links(BroadcastVariant::Ring2M, {.root = 0, .size = 6, .bytes = 100}),
            (Links{{0, 1}, {0, 2}, {2, 3}, {0, 4}, {4, 5}}));
}

TEST(BroadcastLong, SpreadsByABinomialTreeThenRollsToTheNextRank) {
  EXPECT_EQ(links(BroadcastVariant::Long, {.root = 0, .size = 6, .bytes = 480}),
            (Links{{0, 4}, {0, 2}, {0, 1}, {4, 5}, {2, 3}, {1, 2}, {3, 4}}));
}

TEST(BroadcastLongM, NextRankReceivesTheWholeMessageFromTheRootAndForwardsNothing) {
  const BroadcastShape next{.rank = 3, .root = 2, .size = 6, .bytes = 500};
  const Schedule expected{
      {.messages = {{.peer = 2, .bytes = 500, .direction = Message::Direction::Receive}}}};
  EXPECT_EQ(broadcast_schedule(BroadcastVariant::LongM, next), expected);
}

TEST(BroadcastModified, RootServesTheNextRankBeforeAnyOther) {
  for (const auto variant :
       {BroadcastVariant::Ring1M, BroadcastVariant::Ring2M, BroadcastVariant::LongM}) {
    const Schedule root = broadcast_schedule(variant, {.root = 0, .size = 6, .bytes = 480});

    ASSERT_GE(root.size(), 2u);
    ASSERT_EQ(root[0].messages.size(), 1u);
    EXPECT_EQ(root[0].messages[0].peer, 1);
    EXPECT_EQ(root[0].messages[0].bytes, 480);
    EXPECT_TRUE(root[1].after_sends);
  }
}

TEST(BroadcastLong, NobodySendsMoreThanTwiceTheMessage) {
  for (int size = 2; size <= 9; ++size) {
    const std::int64_t bytes = 8 * 9 * 8 * 7 * 5;  // whole pieces for every size
    const Simulation job = simulate(
        all_ranks(BroadcastVariant::Long, {.root = 0, .size = size, .bytes = bytes}), 0, bytes);
    EXPECT_LE(*std::max_element(job.sent.begin(), job.sent.end()), 2 * bytes) << "size " << size;
  }
}

TEST(BroadcastRing, ForwardsASegmentWhileTheNextComesIn) {
  const Schedule middle =
      broadcast_schedule(BroadcastVariant::Ring1,
                         {.rank = 1, .root = 0, .size = 3, .bytes = 130, .segment_bytes = 64});
  constexpr auto kSend = Message::Direction::Send;
  constexpr auto kReceive = Message::Direction::Receive;
  const Schedule expected{{.messages = {{0, 0, 64, kReceive}}},
                          {.messages = {{0, 64, 64, kReceive}, {2, 0, 64, kSend}}},
                          {.messages = {{0, 128, 2, kReceive}, {2, 64, 64, kSend}}},
                          {.messages = {{2, 128, 2, kSend}}}};
  EXPECT_EQ(middle, expected);
}

/// Ranks at a distance of 2^i in either direction: those up and down are the same where 2^i + 2^j
/// is the size.
int peers_of_long(unsigned size) {
  if (size == 1) return 0;
  const int powers = std::bit_width(size - 1);
  const int bits = std::popcount(size);
  return 2 * powers - (bits <= 2 ? bits : 0);
}

TEST(BroadcastLong, HasAboutTwiceTheLogarithmOfPeers) {
  for (int size = 1; size <= 128; ++size)
    for (const int rank : {0, size / 3, size - 1})
      EXPECT_EQ(std::ssize(broadcast_peers(BroadcastVariant::Long, rank, size)),
                peers_of_long(static_cast<unsigned>(size)))
          << size;
}

TEST(BroadcastPeers, AreThoseOfEveryMessageAndNameEachOther) {
  for (const BroadcastVariant variant : choice_values(kBroadcastVariants))
    for (const int size : {1, 2, 3, 4, 6, 7, 8, 12, 33}) {
      std::vector<std::vector<int>> peers;
      for (int rank = 0; rank < size; ++rank)
        peers.push_back(broadcast_peers(variant, rank, size));
      const auto names = [&](int rank, int other) {
        return std::ranges::binary_search(peers[static_cast<std::size_t>(rank)], other);
      };
      for (int rank = 0; rank < size; ++rank) {
        EXPECT_FALSE(names(rank, rank));
        for (int other = 0; other < size; ++other)
          EXPECT_EQ(names(rank, other), names(other, rank)) << to_string(variant) << " " << size;
        for (int root = 0; root < size; ++root)
          for (const std::int64_t bytes : {8, 72, 8000, 5'000'000})
            for (const mpi::Stage& stage : broadcast_schedule(
                     variant, {.rank = rank, .root = root, .size = size, .bytes = bytes}))
              for (const mpi::Message& message : stage.messages)
                EXPECT_TRUE(names(rank, message.peer)) << to_string(variant) << " " << size;
      }
    }
}

TEST(ScheduleSimulator, SeesTwoRanksThatWaitForEachOther) {
  constexpr auto kSend = Message::Direction::Send;
  constexpr auto kReceive = Message::Direction::Receive;
  const std::vector<Schedule> circular{
      {{.messages = {{1, 0, 8, kReceive}}}, {.messages = {{1, 0, 8, kSend}}}},
      {{.messages = {{0, 0, 8, kReceive}}}, {.messages = {{0, 0, 8, kSend}}}}};
  EXPECT_EQ(simulate(circular, 0, 8).fault, "rank 0 waits for ever");
}

}  // namespace
}  // namespace hpl
