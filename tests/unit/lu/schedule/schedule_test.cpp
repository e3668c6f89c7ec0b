#include "hpl/lu/schedule/schedule.h"

#include <array>
#include <cstdint>

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace hpl
