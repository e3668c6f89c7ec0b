#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "hpl/lu/matrix/step_geometry.h"
#include "schedule_cases.h"

// The tasks of columns in host memory.

namespace hpl {
namespace {

using test::is_copy;
using test::Precedence;
using test::ScheduleCase;
using test::steps_of;

class LuScheduleOfVisits : public test::LuScheduleTest {
 protected:
  /// Visits of four steps.
  static ScheduleCase one_process(std::int64_t order, std::int64_t resident = 0) {
    return {.order = order,
            .block = 10,
            .rows = 1,
            .columns = 1,
            .look_ahead = GetParam(),
            .chunk = 40,
            .visit_steps = 4,
            .resident = resident};
  }
};

TEST_P(LuScheduleOfVisits,
       BringsColumnsFromHostMemoryBeforeAnythingUsesThemAndTakesThemBackAfterwards) {
  for_all_columns([](const ScheduleCase& c, const LocalShape& shape, const Schedule& schedule) {
    const Precedence precedence(schedule);
    const auto [visited, block, slot_count] = visited_part(shape, c.policy().visits);
    struct Slot {
      std::int64_t column = -1;
      std::vector<TaskId> users;
    };
    std::vector<Slot> slots(static_cast<std::size_t>(slot_count));
    std::map<std::int64_t, TaskId> stored;  // by column: the last that took it to host memory
    std::map<std::int64_t, RowRange> loaded;
    std::set<std::int64_t> diagonals;  // by step
    int loads_of_u = 0;
    for (TaskId id = 0; id < schedule.size(); ++id) {
      const Task& task = schedule[id];
      const std::int64_t column = task.columns.begin.value;
      if (task.kind == TaskKind::StoreDiagonal) diagonals.insert(task.step);
      if (task.kind == TaskKind::LoadU) {
        for (const Slot& slot : slots)
          for (const TaskId user : slot.users)
            EXPECT_TRUE(precedence.comes_before(user, id)) << "a slot is in use";
        for (const auto& [of_column, store] : stored)
          EXPECT_TRUE(precedence.comes_before(store, id)) << "U is not yet in host memory";
        ++loads_of_u;
      }
      if (!traits(task.kind).on_columns || column >= visited) {
        EXPECT_EQ(task.slot, kNoSlot);
        EXPECT_FALSE(is_copy(task));
        continue;
      }
      ASSERT_EQ(column % block, 0);
      ASSERT_EQ(task.columns.count, block);
      ASSERT_GE(task.slot, 0);
      ASSERT_LT(task.slot, slot_count);
      Slot& slot = slots[static_cast<std::size_t>(task.slot)];
      const std::int64_t made_in = shape.columns.to_global({column}).value / shape.columns.block();
      if (task.kind == TaskKind::Load) {
        for (const TaskId user : slot.users)
          ASSERT_TRUE(precedence.comes_before(user, id)) << "the slot is in use";
        if (stored.contains(column)) {
          ASSERT_TRUE(precedence.comes_before(stored[column], id)) << "not yet in host memory";
        }
        EXPECT_EQ(task.in_slot_at_start,
                  slot.users.empty() && !stored.contains(column) && task.visit == kNotDivided);
        EXPECT_EQ(task.rows.begin, step_geometry(shape, task.step).row_begin);
        EXPECT_EQ(task.rows.end(), shape.stored_rows);
        slot = {column, {id}};
        loaded[column] = task.rows;
        continue;
      }
      ASSERT_EQ(slot.column, column) << "not on the device";
      ASSERT_TRUE(precedence.comes_before(slot.users.front(), id)) << "not yet on the device";
      if (task.kind == TaskKind::Store) {
        for (const TaskId user : slot.users)
          ASSERT_TRUE(precedence.comes_before(user, id)) << "still used";
        EXPECT_EQ(task.rows.begin, loaded[column].begin);
        const bool is_done = task.step == made_in;
        EXPECT_EQ(schedule[slot.users.back()].kind == TaskKind::Fetch, is_done);
        EXPECT_EQ(
            task.rows.end(),
            is_done ? std::max(step_geometry(shape, made_in).row_begin, loaded[column].begin).value
                    : shape.stored_rows);
        stored[column] = id;
        slot.users.push_back(id);
        slot.column = -1;
        continue;
      }
      slot.users.push_back(id);
    }
    EXPECT_EQ(loads_of_u, visited > 0 && steps_of(c, shape) == step_count(shape) ? 1 : 0);
    // All of U is in host memory in the end.
    for (std::int64_t column = 0; column < visited; column += block) {
      const std::int64_t made_in = shape.columns.to_global({column}).value / shape.columns.block();
      if (made_in < steps_of(c, shape)) {
        ASSERT_TRUE(stored.contains(column)) << "column " << column;
        EXPECT_TRUE(diagonals.contains(made_in)) << "column " << column;
        EXPECT_EQ(schedule[stored[column]].step, made_in);
      }
    }
  });
}

TEST_P(LuScheduleOfVisits, HasColumnsOnTheDeviceARoundBeforeTheirPanelIsMade) {
  for_all_columns([](const ScheduleCase& c, const LocalShape& shape, const Schedule& schedule) {
    const std::int64_t visited = visited_part(shape, c.policy().visits).columns;
    std::map<std::int64_t, TaskId> loaded;    // by column
    std::map<std::int64_t, TaskId> finished;  // by step
    for (TaskId id = 0; id < schedule.size(); ++id) {
      const Task& task = schedule[id];
      const std::int64_t column = task.columns.begin.value;
      if (task.kind == TaskKind::Load) loaded[column] = id;
      if (task.kind == TaskKind::Finish) finished[task.step] = id;
      if (task.kind != TaskKind::Fetch || column >= visited) continue;
      const auto before = finished.find(task.step - 1 - c.look_ahead - c.host_ahead);
      if (before == finished.end()) continue;
      EXPECT_LT(loaded.at(column), before->second) << "step " << task.step;
    }
  });
}

TEST_P(LuScheduleOfVisits, UpdatesEveryColumnOnceAStepInOrderWhereverHostAndDeviceMeet) {
  for_all_columns([](const ScheduleCase& c, const LocalShape& shape, const Schedule& schedule) {
    const Precedence precedence(schedule);
    for (const double share : {0.0, 0.3, 1.0}) {
      if (!c.host && share > 0) break;
      // The host's part of a visit: nothing, all, or somewhere between, another each time.
      const auto of_host = [&](const Task& task) {
        return static_cast<std::int64_t>(
            share * static_cast<double>(task.columns.count) *
            (share < 1 ? static_cast<double>(1 + task.visit % 3) : 1.0));
      };
      std::vector<std::int64_t> updated(static_cast<std::size_t>(shape.local_columns), 0);
      std::vector<TaskId> used_by(updated.size(), kNoTask);
      bool host_works = false;
      for (TaskId id = 0; id < schedule.size(); ++id) {
        const Task& task = schedule[id];
        const bool host = task.kind == TaskKind::HostUpdate;
        if (!traits(task.kind).on_columns && !host) continue;
        ASSERT_TRUE(!host || task.visit != kNotDivided);
        const std::int64_t meet =
            task.columns.begin.value + (task.visit == kNotDivided ? 0 : of_host(task));
        const std::int64_t begin = host ? task.columns.begin.value : meet;
        const std::int64_t end = std::min(host ? meet : task.columns.end(), shape.local_columns);
        host_works = host_works || (host && begin < end);
        for (std::int64_t column = begin; column < end; ++column) {
          const auto i = static_cast<std::size_t>(column);
          if (used_by[i] != kNoTask && schedule[used_by[i]].kind != TaskKind::Fetch) {
            ASSERT_TRUE(precedence.comes_before(used_by[i], id)) << "column " << column;
          }
          used_by[i] = id;
          if (task.kind == TaskKind::Swap || task.kind == TaskKind::Fetch) {
            ASSERT_EQ(updated[i], task.step) << "column " << column;
          }
          if (!host && task.kind != TaskKind::Update) continue;
          ASSERT_EQ(updated[i]++, task.step) << "column " << column;
        }
      }
      EXPECT_EQ(host_works, share > 0 && schedule.has_work(Worker::Host));
      for (std::int64_t column = 0; column < shape.local_columns; ++column) {
        const std::int64_t global = shape.columns.to_global({column}).value;
        const std::int64_t missed =
            global == shape.rows.extent() ? steps_of(c, shape) : global / shape.columns.block();
        EXPECT_EQ(updated[static_cast<std::size_t>(column)], std::min(missed, steps_of(c, shape)));
      }
    }
  });
}

TEST_P(LuScheduleOfVisits, OffersTheHostAllVisitsButTheLastOfEachColumn) {
  ScheduleCase c = one_process(400, 100);
  c.host = true;
  const Schedule schedule = c.schedule(0, 0);
  std::map<std::int64_t, std::int64_t> visits, divided;  // by column
  for (const Task& task : schedule.tasks()) {
    if (task.kind != TaskKind::Load) continue;
    ++visits[task.columns.begin.value];
    if (task.visit != kNotDivided) ++divided[task.columns.begin.value];
  }
  std::int64_t offered = 0;
  for (const auto& [column, count] : visits) {
    EXPECT_EQ(divided[column], count - 1) << column;
    offered += count - 1;
  }
  EXPECT_GT(offered, 50);
  ScheduleCase alone = c;
  alone.host = false;
  const Schedule without = alone.schedule(0, 0);
  EXPECT_FALSE(without.has_work(Worker::Host));
  for (const Task& task : without.tasks())
    EXPECT_EQ(task.visit, kNotDivided);
}

TEST_P(LuScheduleOfVisits, VisitsColumnsOnceInSoManySteps) {
  const ScheduleCase c = one_process(400, 100);
  const LocalShape shape = c.shape(0, 0);
  std::map<std::int64_t, std::int64_t> loads;
  const Schedule schedule = c.schedule(0, 0);
  for (const Task& task : schedule.tasks())
    if (task.kind == TaskKind::Load) ++loads[task.columns.begin.value / 10];
  ASSERT_EQ(std::ssize(loads), visited_part(shape, c.policy().visits).columns / 10);
  for (const auto& [column, count] : loads) {
    // Ends with steps first, first + 4, ... and with the last before look-ahead.
    const std::int64_t first = std::min<std::int64_t>(column % 16, 3);
    const std::int64_t last = std::max<std::int64_t>(column - c.look_ahead - 1, 0);
    EXPECT_EQ(count, 1 + (last > first ? (last - first + 3) / 4 : 0)) << column;
  }
}

TEST_P(LuScheduleOfVisits, BringsFewColumnsBeforeTheyHaveMissedEnough) {
  const ScheduleCase c = one_process(1600);
  std::int64_t before = 0, with = 0;
  const Schedule schedule = c.schedule(0, 0);
  for (const Task& task : schedule.tasks()) {
    if (task.kind != TaskKind::Store || task.rows.end() < 1600) continue;
    if (task.step < 3) before += task.columns.count;
    if (task.step == 3) with += task.columns.count;
  }
  EXPECT_GT(before, 0);
  EXPECT_LT(before, 1600 / 4);
  EXPECT_GT(with, 1600 * 3 / 4);
}

TEST_P(LuScheduleOfVisits, LetsTwoVisitsTakeTurnsHalfAVisitApart) {
  const ScheduleCase c = one_process(400);
  const Schedule schedule = c.schedule(0, 0);
  std::int64_t step = 0;
  int updates = 0;  // since columns were stored in that step
  for (const Task& task : schedule.tasks()) {
    if (task.kind == TaskKind::Update) ++updates;
    const bool after_a_visit =
        task.kind == TaskKind::Store && task.rows.end() == c.shape(0, 0).stored_rows;
    if (!after_a_visit) continue;
    // The first steps' visits are shorter.
    if (task.step == step && step >= 4) {
      EXPECT_GT(updates, 1) << "two visits end together in step " << step;
    }
    step = task.step;
    updates = 0;
  }
  EXPECT_GT(step, 30 - c.look_ahead);
}

TEST_P(LuScheduleOfVisits, TellsTheHostThatAllIsDoneWhenTheLastColumnsAreInItsMemory) {
  for_all_columns([](const ScheduleCase&, const LocalShape&, const Schedule& schedule) {
    TaskId stored = kNoTask, waited_for = kNoTask;
    for (TaskId id = 0; id < schedule.size(); ++id) {
      if (schedule[id].worker == Worker::Store) stored = id;
      if (schedule[id].kind == TaskKind::Finish)
        waited_for =
            std::max(waited_for, schedule[id].after[static_cast<std::size_t>(Worker::Store)]);
    }
    EXPECT_EQ(waited_for, stored);
  });
}

INSTANTIATE_TEST_SUITE_P(LookAhead, LuScheduleOfVisits, testing::Values(0, 1, 2, 3, 5));

}  // namespace
}  // namespace hpl
