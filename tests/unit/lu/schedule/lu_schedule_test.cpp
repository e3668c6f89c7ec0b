#include "hpl/lu/schedule/lu_schedule.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "hpl/lu/matrix/step_geometry.h"
#include "precedence.h"
#include "schedule_cases.h"

namespace hpl {
namespace {

using test::Precedence;
using test::ScheduleCase;

bool is_copy(const Task& task) {
  return task.kind == TaskKind::Load || task.kind == TaskKind::Store;
}
bool uses_panel(const Task& task) {
  return task.kind != TaskKind::Finish && !is_copy(task);
}

/// By look-ahead.
class LuSchedule : public testing::TestWithParam<int> {
 protected:
  /// Calls check(case, shape, schedule) for every case and process column, in a row of the grid.
  template <class Check>
  static void for_all_columns(Check check) {
    for (const ScheduleCase& c : test::schedule_cases(GetParam()))
      for (int q = 0; q < c.columns; ++q) {
        SCOPED_TRACE(testing::PrintToString(c) + ", process column " + std::to_string(q));
        check(c, c.shape(c.rows - 1, q), c.schedule(c.rows - 1, q));
        if (HasFatalFailure()) return;
      }
  }
};

std::int64_t steps_of(const ScheduleCase& c, const LocalShape& shape) {
  return steps_to_make(shape, c.policy());
}

TEST_P(LuSchedule, MakesEveryPanelOnceInOrder) {
  for_all_columns([](const ScheduleCase& c, const LocalShape& shape, const Schedule& schedule) {
    std::map<TaskKind, std::int64_t> next;
    for (const Task& task : schedule.tasks()) {
      if (traits(task.kind).worker == Worker::Swap || task.kind == TaskKind::Update) continue;
      if (is_copy(task) || task.worker == Worker::Store || task.worker == Worker::Host) continue;
      const bool goes_on = task.kind == TaskKind::Fetch && task.step == next[task.kind] - 1;
      if (goes_on) continue;  // other columns of the same panel
      const bool of_owner = task.kind == TaskKind::Fetch || task.kind == TaskKind::Factorize;
      std::int64_t& step = next[task.kind];
      while (of_owner && step < steps_of(c, shape) && !step_geometry(shape, step).on_owner_column)
        ++step;
      EXPECT_EQ(task.step, step++) << traits(task.kind).doing;
    }
    for (const TaskKind kind :
         {TaskKind::StartBroadcast, TaskKind::FinishBroadcast, TaskKind::Prepare, TaskKind::Finish})
      EXPECT_EQ(next[kind], steps_of(c, shape));
  });
}

TEST_P(LuSchedule, UpdatesEveryColumnOnceAStepInTheOrderOfSteps) {
  for_all_columns([](const ScheduleCase& c, const LocalShape& shape, const Schedule& schedule) {
    const Precedence precedence(schedule);
    std::vector<std::int64_t> updated(static_cast<std::size_t>(shape.local_columns), 0);
    std::vector<TaskId> update_of(updated.size(), kNoTask);
    for (TaskId id = 0; id < schedule.size(); ++id) {
      const Task& task = schedule[id];
      const bool update = task.kind == TaskKind::Update;
      if (!update && task.kind != TaskKind::Swap && task.kind != TaskKind::Fetch) continue;
      const std::int64_t end = std::min(task.columns.end(), shape.local_columns);
      for (std::int64_t column = task.columns.begin.value; column < end; ++column) {
        const auto i = static_cast<std::size_t>(column);
        ASSERT_EQ(updated[i], task.step) << "column " << column;
        if (!update && update_of[i] != kNoTask) {
          ASSERT_TRUE(precedence.comes_before(update_of[i], id)) << "column " << column;
        }
        if (update) {
          update_of[i] = id;
          ++updated[i];
        }
      }
    }
    for (std::int64_t column = 0; column < shape.local_columns; ++column) {
      const std::int64_t global = shape.columns.to_global({column}).value;
      const bool b = global == shape.rows.extent();
      EXPECT_EQ(
          updated[static_cast<std::size_t>(column)],
          b ? steps_of(c, shape) : std::min(global / shape.columns.block(), steps_of(c, shape)))
          << "column " << global;
    }
  });
}

TEST_P(LuSchedule, HasWhatATaskNeedsDoneBeforeIt) {
  for_all_columns([](const ScheduleCase&, const LocalShape&, const Schedule& schedule) {
    const Precedence precedence(schedule);
    std::map<std::pair<TaskKind, std::int64_t>, TaskId> of_step;
    std::map<TaskKind, TaskId> last;
    const auto expect_after = [&](TaskId id, TaskKind kind) {
      const auto needed = of_step.find({kind, schedule[id].step});
      ASSERT_NE(needed, of_step.end());
      ASSERT_TRUE(precedence.comes_before(needed->second, id)) << "task " << id;
    };
    for (TaskId id = 0; id < schedule.size(); ++id) {
      const Task& task = schedule[id];
      switch (task.kind) {
        case TaskKind::Fetch:
        case TaskKind::StartBroadcast:
          break;
        case TaskKind::Factorize:
          expect_after(id, TaskKind::Fetch);
          break;
        case TaskKind::FinishBroadcast:
          expect_after(id, TaskKind::StartBroadcast);
          break;
        case TaskKind::Prepare:
          expect_after(id, TaskKind::FinishBroadcast);
          break;
        case TaskKind::Swap:
          expect_after(id, TaskKind::Prepare);
          break;
        case TaskKind::Solve:
        case TaskKind::AllGather:
          EXPECT_EQ(schedule[last[TaskKind::Swap]].columns, task.columns);
          EXPECT_TRUE(precedence.comes_before(last[TaskKind::Swap], id));
          break;
        case TaskKind::Update: {
          const bool shared = last.contains(TaskKind::AllGather) &&
                              last[TaskKind::AllGather] > last[TaskKind::Solve];
          const TaskId solved = last[shared ? TaskKind::AllGather : TaskKind::Solve];
          EXPECT_EQ(schedule[solved].columns, task.columns);
          EXPECT_EQ(schedule[solved].buffer, task.buffer);
          EXPECT_TRUE(precedence.comes_before(solved, id));
          break;
        }
        case TaskKind::Finish:
          expect_after(id, TaskKind::Prepare);
          break;
        case TaskKind::Load:
        case TaskKind::Store:
          break;
        case TaskKind::StoreDiagonal:
        case TaskKind::StorePanel:
          expect_after(id, TaskKind::Prepare);
          break;
        case TaskKind::HostUpdate:
          expect_after(id, TaskKind::StorePanel);
          break;
      }
      of_step[{task.kind, task.step}] = id;
      last[task.kind] = id;
    }
  });
}

TEST_P(LuSchedule, FillsNoPanelWorkspaceThatIsInUse) {
  for_all_columns([](const ScheduleCase& c, const LocalShape& shape, const Schedule& schedule) {
    const Precedence precedence(schedule);
    const int workspaces = panel_workspaces(c.policy());
    std::vector<std::int64_t> newest(static_cast<std::size_t>(workspaces), 0);
    // By step, then by worker: the last task that uses the panel.
    std::vector<TaskOfEach> last(static_cast<std::size_t>(steps_of(c, shape)), no_tasks());
    for (TaskId id = 0; id < schedule.size(); ++id) {
      const Task& task = schedule[id];
      if (!uses_panel(task)) continue;
      ASSERT_GE(task.panel, 0);
      ASSERT_LT(task.panel, workspaces);
      std::int64_t& in_use_by = newest[static_cast<std::size_t>(task.panel)];
      ASSERT_GE(task.step, in_use_by) << "the workspace has been filled anew";
      in_use_by = task.step;
      auto& mine = last[static_cast<std::size_t>(task.step)];
      mine[static_cast<std::size_t>(task.worker)] = id;
      // Of the steps before, only the last with this workspace can still be in it.
      for (std::int64_t step = task.step - 1; step >= 0; --step) {
        const auto& theirs = last[static_cast<std::size_t>(step)];
        const TaskId prepared = theirs[static_cast<std::size_t>(Worker::Transfer)];
        if (schedule[prepared].panel != task.panel) continue;
        for (const TaskId user : theirs)
          if (user != kNoTask) {
            ASSERT_TRUE(precedence.comes_before(user, id))
                << "step " << task.step << " over step " << step;
          }
        break;
      }
    }
  });
}

TEST_P(LuSchedule, FillsNoExchangeBufferThatIsInUse) {
  for_all_columns([](const ScheduleCase&, const LocalShape&, const Schedule& schedule) {
    const Precedence precedence(schedule);
    std::array<TaskId, kExchangeBuffers> update_of, filled_by{};
    update_of.fill(kNoTask);
    for (TaskId id = 0; id < schedule.size(); ++id) {
      const Task& task = schedule[id];
      ASSERT_GE(task.buffer, 0);
      ASSERT_LT(task.buffer, kExchangeBuffers);
      TaskId& user = update_of[static_cast<std::size_t>(task.buffer)];
      if (task.kind == TaskKind::Swap && user != kNoTask) {
        EXPECT_TRUE(precedence.comes_before(user, id));
      }
      if (task.kind == TaskKind::Swap) filled_by[static_cast<std::size_t>(task.buffer)] = id;
      if (task.kind == TaskKind::Update) {
        const Task& swap = schedule[filled_by[static_cast<std::size_t>(task.buffer)]];
        EXPECT_EQ(swap.step, task.step);
        EXPECT_EQ(swap.columns, task.columns);
        user = id;
      }
    }
  });
}

TEST_P(LuSchedule, BringsColumnsFromHostMemoryBeforeAnythingUsesThemAndTakesThemBackAfterwards) {
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
    for (TaskId id = 0; id < schedule.size(); ++id) {
      const Task& task = schedule[id];
      const std::int64_t column = task.columns.begin.value;
      if (task.kind == TaskKind::StoreDiagonal) diagonals.insert(task.step);
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
    // What has become of U is in host memory in the end.
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

TEST_P(LuSchedule, UpdatesEveryColumnOnceWhereverHostAndDeviceMeet) {
  for_all_columns([](const ScheduleCase& c, const LocalShape& shape, const Schedule& schedule) {
    if (!c.host) return;
    const Precedence precedence(schedule);
    for (const double share : {0.0, 0.3, 1.0}) {
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

TEST_P(LuSchedule, OffersTheHostAllVisitsButTheLastOfEachColumn) {
  const ScheduleCase c{.order = 400,
                       .block = 10,
                       .rows = 1,
                       .columns = 1,
                       .look_ahead = GetParam(),
                       .chunk = 40,
                       .visit_steps = 4,
                       .resident = 100,
                       .host = true};
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

TEST_P(LuSchedule, VisitsColumnsOnceInSoManySteps) {
  const ScheduleCase c{.order = 400,
                       .block = 10,
                       .rows = 1,
                       .columns = 1,
                       .look_ahead = GetParam(),
                       .chunk = 40,
                       .visit_steps = 4,
                       .resident = 100};
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

TEST_P(LuSchedule, BringsFewColumnsBeforeTheyHaveMissedEnough) {
  const ScheduleCase c{.order = 1600,
                       .block = 10,
                       .rows = 1,
                       .columns = 1,
                       .look_ahead = GetParam(),
                       .chunk = 40,
                       .visit_steps = 4};
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

TEST_P(LuSchedule, LetsTwoVisitsTakeTurnsHalfAVisitApart) {
  const ScheduleCase c{.order = 400,
                       .block = 10,
                       .rows = 1,
                       .columns = 1,
                       .look_ahead = GetParam(),
                       .chunk = 40,
                       .visit_steps = 4};
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

TEST_P(LuSchedule, TellsTheHostThatAStepIsDoneWhenTheDeviceIsThroughWithIt) {
  for_all_columns([](const ScheduleCase& c, const LocalShape&, const Schedule& schedule) {
    // The last update with the panel of a step; of visits, which come back to it, in its own round.
    std::map<std::int64_t, TaskId> update_of;
    TaskId waited_for = kNoTask;
    std::int64_t round = c.host_ahead;  // the first rounds, up to this one, end together
    for (TaskId id = 0; id < schedule.size(); ++id) {
      const Task& task = schedule[id];
      if (task.kind == TaskKind::Update && (c.visit_steps == 0 || task.step == round))
        update_of[task.step] = id;
      if (task.kind != TaskKind::Finish) continue;
      round = task.step + 1 + c.host_ahead;
      waited_for = std::max(waited_for, task.after[static_cast<std::size_t>(Worker::Update)]);
      if (update_of.contains(task.step)) {
        EXPECT_GE(waited_for, update_of[task.step]) << "step " << task.step;
      }
    }
  });
}

TEST_P(LuSchedule, TellsTheHostThatAllIsDoneWhenTheLastColumnsAreInItsMemory) {
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

TEST_P(LuSchedule, HoldsTheHostBackByTheStepsThatItMayBeAhead) {
  for_all_columns([](const ScheduleCase& c, const LocalShape&, const Schedule& schedule) {
    std::int64_t finished = 0;
    for (const Task& task : schedule.tasks()) {
      if (task.kind == TaskKind::Finish) finished = task.step + 1;
      if (task.kind == TaskKind::Update) {
        EXPECT_LE(task.step, finished + c.host_ahead + c.look_ahead);
      }
    }
  });
}

TEST_P(LuSchedule, MakesPanelsAsFarAheadOfTheTailAsAsked) {
  for_all_columns([](const ScheduleCase& c, const LocalShape& shape, const Schedule& schedule) {
    // By what has been made when b, which is never ahead, gets the update of step k.
    if (!shape.columns.mine({shape.rows.extent()})) return;
    std::int64_t made = 0;
    for (const Task& task : schedule.tasks()) {
      if (task.kind == TaskKind::Prepare) made = task.step + 1;
      if (task.kind == TaskKind::Update && task.columns.end() == shape.stored_columns) {
        EXPECT_EQ(made, std::min(task.step + c.look_ahead + 1, steps_of(c, shape)));
      }
    }
  });
}

TEST_P(LuSchedule, IsTheSameInOrderForAllThatWorkTogether) {
  using Work = std::tuple<TaskKind, std::int64_t, std::int64_t, std::int64_t>;
  const auto together = [](const Schedule& schedule, Peers peers) {
    std::vector<Work> work;
    for (const Task& task : schedule.tasks())
      if (traits(task.kind).peers == peers)
        work.push_back({task.kind, task.step, task.columns.count, task.turn});
    return work;
  };
  for_all_columns([&](const ScheduleCase& c, const LocalShape& shape, const Schedule& schedule) {
    const int q = shape.columns.rank();
    EXPECT_EQ(together(schedule, Peers::Row), together(c.schedule(c.rows - 1, 0), Peers::Row));
    for (const int p : {0, c.rows / 2})
      EXPECT_EQ(together(schedule, Peers::Column), together(c.schedule(p, q), Peers::Column));
  });
}

TEST_P(LuSchedule, NeedsQueuesOfAFewMessagesWhateverTheSize) {
  for_all_columns([](const ScheduleCase& c, const LocalShape&, const Schedule& schedule) {
    for (int from = 0; from < kWorkerCount; ++from)
      for (int to = 0; to < kWorkerCount; ++to)
        EXPECT_LE(schedule.most_open(static_cast<Worker>(from), static_cast<Worker>(to)),
                  std::max(8, 2 + c.look_ahead + c.visit_steps));
  });
}

TEST(ChunkWidth, StaysWhereNothingElseIsWanted) {
  SchedulePolicy policy;
  for (const std::int64_t tail : {1, 4096, 100'000})
    EXPECT_EQ(chunk_width(policy, tail, 192), 4096);
  choose_chunks(policy, ProcessorKind::Gpu, 1);
  for (const std::int64_t tail : {1, 4096, 100'000})
    EXPECT_EQ(chunk_width(policy, tail, 1024), 32768);
}

TEST(ChunkWidth, FollowsTheTailBetweenItsBounds) {
  SchedulePolicy policy;
  choose_chunks(policy, ProcessorKind::Gpu, 4);
  EXPECT_EQ(chunk_width(policy, 200'000, 1024), 32768);    // not wider than rows have buffers for
  EXPECT_EQ(chunk_width(policy, 4 * 16384, 1024), 16384);  // four in the tail
  EXPECT_EQ(chunk_width(policy, 4 * 16384 + 1, 1024), 17408);  // whole blocks, no fifth
  EXPECT_EQ(chunk_width(policy, 20'000, 1024), 8192);          // not too narrow for products
  EXPECT_EQ(chunk_width(policy, 100, 1024), 8192);
}

TEST(ChunkWidth, LeavesFourChunksOnGpusUntilTheyAreNarrow) {
  const RunSpec spec{.order = 131072, .block_size = 1024, .grid_columns = 4};
  const LocalShape shape = local_shape(spec, {0, 1});
  SchedulePolicy policy;
  choose_chunks(policy, ProcessorKind::Gpu, 4);
  EXPECT_EQ(widest_chunk(shape, policy), 8192);
  std::map<std::int64_t, std::int64_t> chunks, columns;  // by step, but for the columns ahead
  const Schedule schedule = lu_schedule(spec, shape, policy);
  for (const Task& task : schedule.tasks())
    if (task.kind == TaskKind::Update && task.columns.begin.value > 0) {
      ++chunks[task.step];
      columns[task.step] += task.columns.count;
      EXPECT_LE(task.columns.count, 8192);
    }
  for (const auto& [step, count] : chunks)
    EXPECT_GE(count, std::min<std::int64_t>(3, columns[step] / 8192)) << step;
}

INSTANTIATE_TEST_SUITE_P(LookAhead, LuSchedule, testing::Values(0, 1, 2, 3, 5));

}  // namespace
}  // namespace hpl
