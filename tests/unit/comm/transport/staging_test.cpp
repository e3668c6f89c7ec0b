#include "comm/transport/staging.h"

#include <gtest/gtest.h>

#include "hpl/input/run_spec/field_rules.h"
#include "hpl/lu/broadcast/broadcast.h"

namespace hpl {
namespace {

using Ranges = std::vector<ByteRange>;
using Direction = mpi::Message::Direction;

mpi::Message send(std::int64_t offset, std::int64_t bytes) {
  return {1, offset, bytes, Direction::Send};
}
mpi::Message receive(std::int64_t offset, std::int64_t bytes) {
  return {1, offset, bytes, Direction::Receive};
}

TEST(Staging, WhatIsSentAtOnceComesFromTheDevice) {
  const StagingRanges ranges = staging_ranges({{.messages = {send(16, 8), send(0, 8)}}});
  EXPECT_EQ(ranges.out, (Ranges{{0, 8}, {16, 24}}));
  EXPECT_TRUE(ranges.in.empty());
}

TEST(Staging, WhatIsReceivedAndPassedOnStaysOnTheHost) {
  const StagingRanges ranges =
      staging_ranges({{.messages = {receive(8, 8)}}, {.messages = {send(8, 8)}}});
  EXPECT_TRUE(ranges.out.empty());
  EXPECT_EQ(ranges.in, (Ranges{{8, 16}}));
}

TEST(Staging, OnlyThePartOfAMessageThatDidNotArriveIsFetched) {
  const StagingRanges ranges =
      staging_ranges({{.messages = {receive(8, 8)}}, {.messages = {send(0, 32)}}});
  EXPECT_EQ(ranges.out, (Ranges{{0, 8}, {16, 32}}));
}

TEST(Staging, AMessageSentInTheStageInWhichItsPlaceIsFilledHasTheOldContents) {
  const StagingRanges ranges = staging_ranges({{.messages = {receive(0, 8), send(0, 8)}}});
  EXPECT_EQ(ranges.out, (Ranges{{0, 8}}));
  EXPECT_EQ(ranges.in, (Ranges{{0, 8}}));
}

TEST(Staging, NeighboursAreJoinedAndNothingIsCopiedTwice) {
  const StagingRanges ranges =
      staging_ranges({{.messages = {send(0, 8), send(8, 8), receive(24, 8), send(0, 4)}},
                      {.messages = {receive(16, 8), send(2, 0)}}});
  EXPECT_EQ(ranges.out, (Ranges{{0, 16}}));
  EXPECT_EQ(ranges.in, (Ranges{{16, 32}}));
}

TEST(Staging, InABroadcastTheRootGivesAllAndTheOthersTakeAll) {
  for (const BroadcastVariant variant : choice_values(kBroadcastVariants))
    for (int rank = 0; rank < 5; ++rank) {
      const StagingRanges ranges = staging_ranges(
          broadcast_schedule(variant, {.rank = rank, .root = 2, .size = 5, .bytes = 10'000}));
      const Ranges all{{0, 10'000}};
      EXPECT_EQ(ranges.out, rank == 2 ? all : Ranges{}) << to_string(variant) << " rank " << rank;
      EXPECT_EQ(ranges.in, rank == 2 ? Ranges{} : all) << to_string(variant) << " rank " << rank;
    }
}

}  // namespace
}  // namespace hpl
