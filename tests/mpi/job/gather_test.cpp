#include "hpl/job/live/gather.h"

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fleet/members/fleet_messages.h"
#include "hpl/comm/mpi/wait_policy.h"
#include "hpl/job/live/disturbed.h"

namespace hpl {
namespace {

/// A second of each rank of a host of four cores that were busy for six seconds.
ProcessorTime used_on(const std::string& host) {
  return {.host = host, .cores = 4, .all = 6, .own = 1};
}

TEST(GatherOthers, LeavesOutTheTimeOfAllRanksOfAHost) {
  const mpi::Communicator world = mpi::Communicator::world();
  const auto others = gather_others(world, used_on("node01"), 2);
  if (world.rank() != 0) {
    EXPECT_FALSE(others);
    return;
  }
  ASSERT_TRUE(others);
  EXPECT_EQ(others->host, "node01");
  EXPECT_DOUBLE_EQ(others->share, (6.0 - world.size()) / 8);
}

TEST(GatherOthers, NamesTheHostWhereTheyTookMost) {
  const mpi::Communicator world = mpi::Communicator::world();
  ProcessorTime used = used_on("quiet");
  if (world.rank() == world.size() - 1) used = {.host = "busy", .cores = 4, .all = 8, .own = 1};
  const auto others = gather_others(world, used, 2);
  EXPECT_EQ(others ? others->host : "", world.rank() == 0 ? "busy" : "");
}

TEST(GatherOthers, LeavesOutRanksThatHaveOtherWork) {
  ProcessorTime used = used_on("node01");
  used.all = 7.5;
  used.own = 0;
  used.beside = 5.5;  // as each rank finds it
  const auto others = gather_others(mpi::Communicator::world(), used, 2);
  EXPECT_DOUBLE_EQ(others ? others->share : 0.25, 0.25);
}

TEST(GatherOthers, OfAShortRunTellsNothing) {
  EXPECT_FALSE(gather_others(mpi::Communicator::world(), used_on("node01"), 0.5));
}

TEST(GatherTimelines, HandsThemOutRankByRankWhateverTheirLengths) {
  const mpi::Communicator world = mpi::Communicator::world();
  const auto length = [](int rank) { return static_cast<std::size_t>(rank % 3 * 70'000); };
  const std::vector<Span> mine(
      length(world.rank()),
      {.track = Track::SwapStream, .phase = Phase::RowSwap, .step = world.rank()});
  int next = 0;
  gather_timelines(world, {.index = 5, .name = "chip"}, mine, [&](const RankTimeline& timeline) {
    EXPECT_EQ(timeline.rank, next);
    EXPECT_EQ(timeline.spans.size(), length(next));
    EXPECT_TRUE(timeline.device.ends_with(" 5: chip")) << timeline.device;
    for (const Span& span : timeline.spans)
      ASSERT_EQ(span.step, next);
    ++next;
  });
  EXPECT_EQ(next, world.rank() == 0 ? world.size() : 0);
}

using Reasons = std::vector<std::string>;

/// On rank 0, as measurements return them.
Reasons told(const mpi::Communicator& world, Reasons reasons) {
  return world.rank() == 0 ? reasons : Reasons{};
}

TEST(Disturbed, AMeasurementIsMadeOnceMoreOnEveryRank) {
  const mpi::Communicator world = mpi::Communicator::world();
  int times = 0;
  const Reasons left = measure_undisturbed(
      world, [&] { return told(world, ++times == 1 ? Reasons{"busy"} : Reasons{}); });
  EXPECT_EQ(times, 2);
  EXPECT_TRUE(left.empty());
}

TEST(Disturbed, AMachineThatStaysBusyIsMeasuredTwiceAndNamed) {
  const mpi::Communicator world = mpi::Communicator::world();
  int times = 0;
  const Reasons left = measure_undisturbed(world, [&] {
    ++times;
    return told(world, {"busy"});
  });
  EXPECT_EQ(times, 1 + kTimesAgain);
  EXPECT_EQ(left, told(world, {"busy"}));
}

TEST(Disturbed, AMeasurementMayBeMadeMoreOftenOrNotAgain) {
  const mpi::Communicator world = mpi::Communicator::world();
  for (const int again : {0, 2}) {
    int times = 0;
    const auto measure = [&] {
      ++times;
      return told(world, {"busy"});
    };
    EXPECT_EQ(measure_undisturbed(world, measure, again), told(world, {"busy"}));
    EXPECT_EQ(times, 1 + again);
  }
}

/// A host of four cores where others are busy on one of them. Each reading is two seconds later.
class BusyHost {
 public:
  LoadReadings readings() {
    return {.used =
                [this] {
                  busy_ += 2;
                  return ProcessorTime{.host = "node01", .cores = 4, .all = busy_, .own = 0};
                },
            .seconds = [this] { return now_ += 2; }};
  }

 private:
  double busy_ = 0, now_ = 0;
};

TEST(Disturbed, OtherProcessesDisturbAnActionOnProcessorsMoreThanBesideGpus) {
  const mpi::Communicator world = mpi::Communicator::world();
  for (const bool on_processors : {true, false}) {
    BusyHost host;
    int times = 0;
    const Reasons left = measure_beside_others(
        world, world, on_processors, [&] { ++times; }, kTimesAgain, host.readings());
    EXPECT_EQ(times, on_processors ? 2 : 1);
    EXPECT_EQ(left, told(world, on_processors
                                    ? Reasons{"other processes took 25 % of the cores of node01"}
                                    : Reasons{}));
  }
}

/// Longer than several pieces, and of another length on every rank.
std::string text_of(int rank, int number) {
  const auto letter = static_cast<char>('a' + rank % 26);
  return std::string(static_cast<std::size_t>(3000 * number + 17 * rank + 1), letter) +
         std::to_string(number);
}

TEST(FleetMessages, ArriveWholeAndInTheOrderOfTheirUnit) {
  constexpr int kRounds = 2, kTexts = 4;
  const mpi::Communicator ranks = mpi::Communicator::world();
  FleetMessages messages(ranks);
  for (int round = 0; round < kRounds; ++round) {
    ranks.barrier();
    if (ranks.rank() != 0) {
      for (int number = 0; number < kTexts; ++number)
        messages.send(ranks.rank(), text_of(ranks.rank(), number));
      messages.end(ranks.rank());
      continue;
    }
    std::map<int, std::vector<std::string>> found;
    int ended = 0;
    mpi::wait_until(mpi::WaitPolicy::sleeping(), [&] {
      for (const FleetMessages::Message& message : messages.receive()) {
        if (message.ends)
          ++ended;
        else
          found[message.member].push_back(message.text);
      }
      return ended == ranks.size() - 1;
    });
    for (int rank = 1; rank < ranks.size(); ++rank) {
      ASSERT_EQ(found[rank].size(), static_cast<std::size_t>(kTexts));
      for (int number = 0; number < kTexts; ++number)
        EXPECT_EQ(found[rank][static_cast<std::size_t>(number)], text_of(rank, number));
    }
  }
}

}  // namespace
}  // namespace hpl
