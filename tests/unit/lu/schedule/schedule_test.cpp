#include "hpl/lu/schedule/schedule.h"

#include <array>
#include <cstdint>

#include <gtest/gtest.h>

#include "hpl/lu/schedule/lu_schedule.h"
#include "hpl/lu/schedule/visits.h"

namespace hpl {
namespace {

using After = std::array<TaskId, kWorkerCount>;

Task of(TaskKind kind) {
  return {.kind = kind, .worker = traits(kind).worker};
}

TEST(Schedule, IsEmptyAtFirst) {
  const Schedule schedule;
  EXPECT_EQ(schedule.size(), 0);
  EXPECT_EQ(schedule.most_open(Worker::Panel, Worker::Swap), 0);
}

TEST(Schedule, KeepsTheLastArrowFromEachWorker) {
  Schedule schedule;
  const TaskId fetch = schedule.add(of(TaskKind::Fetch), {});
  const TaskId prepare = schedule.add(of(TaskKind::Prepare), {});
  const TaskId update = schedule.add(of(TaskKind::Update), {});
  const TaskId swap = schedule.add(of(TaskKind::Swap), {update, fetch, kNoTask, prepare});
  EXPECT_EQ(schedule[swap].after,
            (After{kNoTask, prepare, kNoTask, update, kNoTask, kNoTask, kNoTask}));
  EXPECT_TRUE(schedule.awaited_by(prepare, Worker::Swap));
  EXPECT_FALSE(schedule.awaited_by(fetch, Worker::Swap));
  EXPECT_FALSE(schedule.awaited_by(prepare, Worker::Update));
}

TEST(Schedule, LeavesOutArrowsToWhatAWorkerHasWaitedForAlready) {
  Schedule schedule;
  const TaskId first = schedule.add(of(TaskKind::Update), {});
  const TaskId second = schedule.add(of(TaskKind::Update), {});
  schedule.add(of(TaskKind::Swap), {second});
  const TaskId swap = schedule.add(of(TaskKind::Swap), {first, second});
  EXPECT_EQ(schedule[swap].after, no_tasks());
}

TEST(Schedule, LeavesOutArrowsWithinAWorkerUnlessTheHostWaits) {
  Schedule schedule;
  const TaskId swap = schedule.add(of(TaskKind::Swap), {});
  const TaskId solve = schedule.add(of(TaskKind::Solve), {swap});
  EXPECT_EQ(schedule[solve].after[static_cast<std::size_t>(Worker::Swap)], kNoTask);
  const TaskId update = schedule.add(of(TaskKind::Update), {solve});
  const TaskId finish = schedule.add(of(TaskKind::Finish), {update});
  EXPECT_EQ(schedule[finish].after[static_cast<std::size_t>(Worker::Update)], update);
  EXPECT_TRUE(schedule.awaited_by(update, Worker::Update));
}

TEST(Schedule, CountsTheArrowsThatAreOpenAtOnce) {
  Schedule schedule;
  const TaskId a = schedule.add(of(TaskKind::Update), {});
  const TaskId b = schedule.add(of(TaskKind::Update), {});
  const TaskId c = schedule.add(of(TaskKind::Update), {});
  schedule.add(of(TaskKind::Swap), {a});
  schedule.add(of(TaskKind::Swap), {b});
  const TaskId d = schedule.add(of(TaskKind::Update), {});
  schedule.add(of(TaskKind::Swap), {c});
  EXPECT_EQ(schedule.most_open(Worker::Update, Worker::Swap), 3);
  schedule.add(of(TaskKind::Swap), {d});
  EXPECT_EQ(schedule.most_open(Worker::Update, Worker::Swap), 3);
  EXPECT_EQ(schedule.most_open(Worker::Swap, Worker::Update), 0);
}

TEST(TaskTraits, HaveWordsForEveryKind) {
  for (int kind = 0; kind < kTaskKindCount; ++kind) {
    const TaskTraits& of_kind = traits(static_cast<TaskKind>(kind));
    EXPECT_STRNE(of_kind.doing, "");
    EXPECT_EQ(std::string(of_kind.awaiting).substr(0, 10), "waits for ");
  }
}

LocalShape shape_of(std::int64_t order, std::int64_t block) {
  return local_shape({.order = order, .block_size = block}, {0, 0});
}

/// A device that holds panels of s steps and the columns that stay there.
std::int64_t bytes_with(const LocalShape& shape, const VisitPolicy& visits) {
  const std::int64_t column = 8 * shape.stored_rows;
  return column * (visits.steps * shape.columns.block() + visits.resident_columns);
}

VisitPolicy chosen(const LocalShape& shape, std::int64_t device_bytes, VisitWish wish = {}) {
  wish.device_bytes = device_bytes;
  wish.needs = [&](const VisitPolicy& visits) { return bytes_with(shape, visits); };
  return choose_visits(shape, wish);
}

TEST(VisitedPart, IsWholeBlockColumnsWithoutTheRightHandSide) {
  const LocalShape shape = shape_of(100, 8);  // b shares a block with the last 4 columns
  EXPECT_EQ(visited_part(shape, {}).columns, 0);
  EXPECT_EQ(visited_part(shape, {}).slots, 0);
  EXPECT_EQ(visited_part(shape, {.resident_columns = 0}).columns, 96);
  EXPECT_EQ(visited_part(shape, {.resident_columns = 40}).columns, 72);
  EXPECT_EQ(visited_part(shape, {.resident_columns = 40}).slots, 5);
  EXPECT_EQ(visited_part(shape, {.resident_columns = 40, .columns = 4}).slots, 6);
}

TEST(VisitBytes, AreThoseThatTheScheduleLoads) {
  for (const int steps : {1, 2, 5})
    for (const int depth : {0, 1, 2})
      for (const std::int64_t resident : {0, 300}) {
        const RunSpec spec{.order = 1000, .block_size = 32, .grid_rows = 2, .depth = depth};
        const LocalShape shape = local_shape(spec, {1, 0});
        const SchedulePolicy policy{.visits = {resident, steps, 16, resident == 0},
                                    .look_ahead = depth};
        double loaded = 0;
        const Schedule schedule = lu_schedule(spec, shape, policy);
        for (const Task& task : schedule.tasks())
          if (task.kind == TaskKind::Load)
            loaded += 8.0 * static_cast<double>(task.rows.count * task.columns.count);
        EXPECT_EQ(visit_bytes(shape, policy.visits, depth), loaded)
            << steps << ' ' << depth << ' ' << resident;
      }
}

TEST(ChooseVisits, TakesTheFewestStepsThatHideTheCopiesElseThoseThatMoveLeast) {
  const LocalShape shape = shape_of(32'000, 500);
  const double products = 2.0 / 3 * 3.2768e13;  // operations
  for (const int percent : {75, 5}) {
    const std::int64_t bytes = shape.bytes() * percent / 100;
    // Seconds over seconds: B = 4 F / k*.
    const auto copies_take = [&](int steps) {
      return visit_bytes(shape, chosen(shape, bytes, {.steps = steps}), 1) * 4700 / 4 / products;
    };
    const int steps = chosen(shape, bytes).steps;
    const bool hidden = copies_take(steps) <= 0.5;
    EXPECT_EQ(hidden, percent > 50);
    for (int fewer = 1; fewer < steps; ++fewer)
      EXPECT_GT(copies_take(fewer), hidden ? 0.5 : copies_take(steps)) << percent << ' ' << fewer;
  }
}

TEST(ChooseVisits, SpreadsVisitsWhereTheResidentColumnsMustHideThem) {
  const LocalShape shape = shape_of(32'000, 500);
  const std::int64_t bytes = shape.bytes();
  // Copies of 2 x 500 steps take 4.7 times as long as the products of a visit, of 10 x 500 less.
  EXPECT_TRUE(chosen(shape, bytes * 85 / 100, {.steps = 2}).evenly);
  EXPECT_FALSE(chosen(shape, bytes * 85 / 100, {.steps = 10}).evenly);
  // All products together do not hide them either.
  EXPECT_FALSE(chosen(shape, bytes / 20, {.steps = 2}).evenly);
}

TEST(ChooseVisits, FillsTheDeviceAndNoMore) {
  const LocalShape shape = shape_of(32'000, 100);
  for (const int part : {2, 3, 5, 10}) {
    const VisitPolicy visits = chosen(shape, shape.bytes() / part);
    EXPECT_LE(bytes_with(shape, visits), shape.bytes() / part);
    EXPECT_GT(bytes_with(shape, visits), shape.bytes() / part - 8 * shape.stored_rows * 100);
  }
}

TEST(ChooseVisits, KeepsToWhatIsAskedForWhetherItFitsOrNot) {
  const LocalShape shape = shape_of(32'000, 100);
  EXPECT_EQ(chosen(shape, shape.bytes() / 2, {.steps = 3, .columns = 50}).steps, 3);
  EXPECT_EQ(chosen(shape, shape.bytes() / 2, {.steps = 3, .columns = 50}).columns, 50);
  EXPECT_EQ(chosen(shape, 1000, {.steps = 60}).steps, 60);  // to be refused by its memory
  const VisitPolicy three_stage = chosen(shape, shape.bytes() / 2, {.three_stage = true});
  EXPECT_EQ(three_stage.steps, 1);
  EXPECT_EQ(three_stage.resident_columns, 0);
}

}  // namespace
}  // namespace hpl
