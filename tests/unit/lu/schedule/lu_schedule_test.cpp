#include "hpl/lu/schedule/lu_schedule.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "hpl/lu/matrix/step_geometry.h"
#include "schedule_cases.h"

namespace hpl {
namespace {

using test::is_copy;
using test::Precedence;
using test::ScheduleCase;
using test::steps_of;

bool uses_panel(const Task& task) {
  return task.kind != TaskKind::Finish && task.kind != TaskKind::LoadU && !is_copy(task);
}

class LuSchedule : public test::LuScheduleTest {};

TEST_P(LuSchedule, MakesEveryPanelOnceInOrder) {
  for_all_columns([](const ScheduleCase& c, const LocalShape& shape, const Schedule& schedule) {
    std::map<TaskKind, std::int64_t> next;
    for (const Task& task : schedule.tasks()) {
      if (traits(task.kind).worker == Worker::Swap || task.kind == TaskKind::Update) continue;
      if (task.worker == Worker::Load || task.worker == Worker::Store ||
          task.worker == Worker::Host)
        continue;
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
        case TaskKind::LoadU:
          expect_after(id, TaskKind::StoreDiagonal);
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
    // HPL-MxP has none.
    if (c.mixed || !shape.columns.mine({shape.rows.extent()})) return;
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
        work.push_back({task.kind, task.step, task.columns.count, task.sequence});
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
