#include "hpl/lu/schedule/work_division.h"

#include <gtest/gtest.h>

#include <map>
#include <vector>

#include "hpl/lu/schedule/lu_schedule.h"

namespace hpl {
namespace {

/// The tail update of a matrix whose block columns, but for the last and those that are resident,
/// visit the device.
Schedule schedule_of(int steps, std::int64_t visit_columns = 0, std::int64_t resident = 0) {
  const RunSpec spec{.order = 8192, .block_size = 256};
  return lu_schedule(
      spec, local_shape(spec, {0, 0}),
      {.visits = {.resident_columns = resident, .steps = steps, .columns = visit_columns},
       .chunk_columns = 256,
       .host_takes_part = true});
}

/// Plays a factorization in which host and device take so long for a column of the first step, and
/// less for the shorter ones of later steps.
class Play {
 public:
  Play(const Schedule& schedule, const HostShare& share, double host_column, double device_column,
       double device_column_beside = 0)
      : division_(schedule, share) {
    if (device_column_beside == 0) device_column_beside = device_column;
    bool beside = false;  // the host works in this round
    double device_now = 0, host_now = 0;
    bool offers = false;                   // the last task was the host's
    std::int64_t step = 0;                 // of the round
    std::map<std::int64_t, double> ended;  // the device, by step
    for (const Task& task : schedule.tasks()) {
      if (task.kind == TaskKind::HostUpdate) {
        const ColumnRange mine = division_.part(task);
        const double seconds = host_column * height(task) * static_cast<double>(mine.count);
        // Rounds begin together: a panel is made when both are through with the one before.
        if (!offers) {
          rounds_.push_back({});
          host_now = device_now = std::max(host_now, device_now);
          beside = false;
        }
        beside = beside || mine.count > 0;
        step = std::max(step, task.step);
        host_now += seconds;
        division_.host_did(task, seconds, 1e9 * static_cast<double>(mine.count), host_now);
        rounds_.back().host += static_cast<double>(mine.count);
      } else if (task.kind == TaskKind::Update) {
        const auto columns = static_cast<double>(division_.part(task).count);
        if (!rounds_.empty()) rounds_.back().device += columns;
        device_now += (beside ? device_column_beside : device_column) * height(task) * columns;
        ended[step] = device_now;
      } else if (task.kind == TaskKind::Finish) {
        division_.device_did(task.step, ended[task.step]);
      }
      offers = task.kind == TaskKind::HostUpdate;
    }
  }
  HostWork work() const { return division_.work(); }
  const WorkDivision& division() const { return division_; }
  /// Columns times steps that the host took, asked task by task.
  double taken() const {
    double all = 0;
    for (const Round& round : rounds_)
      all += round.host;
    return all;
  }
  /// The part of the columns times steps of a round that the host took.
  double share_of_round(std::size_t number) const {
    const Round& round = rounds_.at(number);
    return round.host / (round.host + round.device);
  }

 private:
  static double height(const Task& task) { return static_cast<double>(32 - task.step) / 32; }

  struct Round {
    double host = 0, device = 0;
  };

  WorkDivision division_;
  std::vector<Round> rounds_;
};

TEST(HybridShare, IsThatWithWhichBothEndTogether) {
  EXPECT_DOUBLE_EQ(balanced_share(1, 7), 0.125);
  EXPECT_EQ(balanced_share(0, 7), 0);
  EXPECT_EQ(balanced_share(3, 0), 1);
}

TEST(HybridShare, IsNothingWhereBothTogetherAreHardlyFaster) {
  constexpr HybridLoad kProducts{.flops = 1e12};
  EXPECT_DOUBLE_EQ(
      first_share({.device_alone = 900, .device_beside = 900, .host_beside = 100}, kProducts), 0.1);
  EXPECT_DOUBLE_EQ(
      first_share({.device_alone = 1000, .device_beside = 960, .host_beside = 240}, kProducts),
      0.2);
  // The host does not give back its part.
  EXPECT_EQ(
      first_share({.device_alone = 1000, .device_beside = 900, .host_beside = 100}, kProducts), 0);
  EXPECT_EQ(first_share({.device_alone = 1000, .device_beside = 1000, .host_beside = 5}, kProducts),
            0);
  EXPECT_EQ(first_share({.device_alone = 1000, .device_beside = 1000, .host_beside = 0}, kProducts),
            0);
}

TEST(HybridShare, IsNothingWhereCopiesAreSlowedDownThatTheRunWaitsFor) {
  HybridRates rates{.device_alone = 54000,
                    .device_beside = 54000,
                    .host_beside = 550,
                    .copies_alone = 49.5,
                    .copies_beside = 43.5};
  HybridLoad load{.flops = 9e5, .bytes = 640, .panel_bytes = 49};
  EXPECT_GT(first_share(rates, load), 0);
  load.bytes = 890;  // 18 s of copies, 16.7 s of products
  EXPECT_EQ(first_share(rates, load), 0);
  rates.copies_beside = 49.5;  // but for the panels
  EXPECT_EQ(first_share(rates, load), 0);
  rates.copies_alone = rates.copies_beside = 0;  // unknown
  EXPECT_GT(first_share(rates, load), 0);
}

TEST(WorkDivision, GivesEveryColumnOfAVisitToHostOrDevice) {
  for (const double share : {0.0, 0.05, 0.3, 1.0}) {
    const Schedule schedule = schedule_of(3, 128);
    WorkDivision division(schedule, {share, false});
    std::map<std::int64_t, ColumnRange> of_host;  // by visit
    for (const Task& task : schedule.tasks()) {
      const ColumnRange part = division.part(task);
      if (task.visit == kNotDivided) {
        EXPECT_EQ(part, task.columns);
      } else if (task.kind == TaskKind::HostUpdate) {
        EXPECT_EQ(part.begin, task.columns.begin);
        EXPECT_EQ(part.count % 16, 0);
        of_host[task.visit] = part;
      } else {
        ASSERT_TRUE(of_host.contains(task.visit));
        EXPECT_EQ(part.begin.value, of_host[task.visit].end());
        EXPECT_EQ(part.end(), task.columns.end());
      }
    }
  }
}

TEST(WorkDivision, TakesTheShareOfTheWholeTailAsFarAsThereAreColumnsForIt) {
  for (const double share : {0.05, 0.2, 0.4}) {
    const HostWork work = Play(schedule_of(2), {share, false}, 1, 1).work();
    EXPECT_NEAR(work.share(), share, 0.02) << share;
    EXPECT_EQ(work.first_share, share);
  }
  EXPECT_EQ(Play(schedule_of(2), {0, false}, 1, 1).work().work, 0);
  // A column's last visit, before it becomes a panel, is the device's.
  const HostWork all = Play(schedule_of(1), {1, false}, 1, 1).work();
  EXPECT_GT(all.share(), 0.7);
  EXPECT_LT(all.share(), 1);
}

TEST(WorkDivision, KeepsNothingForLaterThatTheHostCouldNotTakeAtOnce) {
  constexpr int kSteps = 5;  // the first visits are shorter, beside as many resident columns
  for (const double share : {0.1, 0.2, 0.4}) {
    const Schedule schedule = schedule_of(kSteps, 0, 4096);
    WorkDivision division(schedule, {share, false});
    struct Round {
      double all = 0, host = 0;
    };
    std::vector<Round> rounds;
    bool offers = false;  // the last task was the host's
    for (const Task& task : schedule.tasks()) {
      if (task.kind == TaskKind::HostUpdate) {
        if (!offers) rounds.push_back({});
        rounds.back().host += static_cast<double>(division.part(task).count);
      } else if (task.kind == TaskKind::Update && !rounds.empty()) {
        rounds.back().all += static_cast<double>(task.columns.count);
      }
      offers = task.kind == TaskKind::HostUpdate;
    }
    // The remainder of sixteens is less than the fewest columns in all steps of a visit.
    for (const Round& round : rounds)
      EXPECT_LE(round.host, share * round.all + kSteps * 32) << share;
  }
}

TEST(WorkDivision, IsTheSameForAllThatAskInTheOrderOfTheirTasks) {
  // Of two ranks of a process column one's host worker asks first, the other's device.
  const Schedule schedule = schedule_of(2);
  WorkDivision first(schedule, {0.13, false}), second(schedule, {0.13, false});
  for (const Task& task : schedule.tasks())
    if (task.kind == TaskKind::HostUpdate) first.part(task);
  for (const Task& task : schedule.tasks())
    if (task.kind == TaskKind::Load) second.part(task);
  for (const Task& task : schedule.tasks())
    EXPECT_EQ(first.part(task), second.part(task));
}

TEST(WorkDivision, FollowsTheTimesOfBoth) {
  // The host is a ninth as fast as the device: a tenth of the work.
  for (const double first : {0.02, 0.1, 0.4}) {
    const HostWork work = Play(schedule_of(2), {first, true}, 9, 1).work();
    EXPECT_NEAR(work.share(), 0.1, 0.06) << first;  // the first steps have most work
    EXPECT_NEAR(work.last_share, 0.1, 0.03) << first;
  }
}

TEST(WorkDivision, ChangesTheShareByAFactorOfTwoAtMost) {
  // A host a thousand times as fast as the device. Round 1 goes without it, what round 2 took is
  // known when the part of round 4 is taken.
  const Play play(schedule_of(1), {0.1, true}, 0.001, 1);
  EXPECT_NEAR(play.share_of_round(2), 0.1, 0.02);
  EXPECT_NEAR(play.share_of_round(4), 0.2, 0.02);
}

TEST(WorkDivision, GivesTheHostUpWhereStepsAreNoFasterWithIt) {
  for (const int steps : {1, 2, 3}) {
    const Schedule schedule = schedule_of(steps);
    const HostWork slower = Play(schedule, {0.05, true}, 19, 1, 1.2).work();
    EXPECT_EQ(slower.given_up, 1) << steps;
    EXPECT_EQ(slower.last_share, 0);
    EXPECT_LT(slower.share(), 0.02);
    EXPECT_GT(slower.share(), 0);
    const HostWork faster = Play(schedule, {0.05, true}, 19, 1, 1.01).work();
    EXPECT_EQ(faster.given_up, 0) << steps;
    EXPECT_GT(faster.share(), 0.035);
    // A share that was asked for is not put to the test.
    EXPECT_EQ(Play(schedule, {0.05, false}, 19, 1, 1.2).work().given_up, 0);
  }
}

TEST(WorkDivision, NeedsNoPanelsOnceTheHostIsGivenUp) {
  const Play play(schedule_of(2), {0.05, true}, 19, 1, 1.2);
  EXPECT_TRUE(play.division().host_needs(0));
  EXPECT_FALSE(play.division().host_needs(20));
  EXPECT_TRUE(Play(schedule_of(2), {0.05, true}, 19, 1).division().host_needs(20));
}

TEST(WorkDivision, KnowsHowFarApartBothEnded) {
  const double balanced = Play(schedule_of(2), {0.1, false}, 9, 1).work().imbalance();
  const double uneven = Play(schedule_of(2), {0.3, false}, 9, 1).work().imbalance();
  EXPECT_LT(balanced, 0.25);
  EXPECT_NEAR(uneven, 0.74, 0.05);  // the device is done after 0.7 of 2.7
  EXPECT_LT(Play(schedule_of(2), {0.3, true}, 9, 1).work().imbalance(), uneven / 2);
}

TEST(WorkDivision, CountsTheHostsProducts) {
  const Play play(schedule_of(2), {0.2, false}, 0.5, 1);
  const double columns = play.taken();
  EXPECT_DOUBLE_EQ(play.work().work, columns);
  EXPECT_DOUBLE_EQ(play.work().flops, 1e9 * columns);
  EXPECT_LT(play.work().seconds, 0.5 * columns);
  EXPECT_DOUBLE_EQ(play.work().gflops(), columns / play.work().seconds);
}

}  // namespace
}  // namespace hpl
