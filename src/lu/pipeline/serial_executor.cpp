#include <array>
#include <deque>
#include <utility>
#include <vector>

#include "hpl/base/error/error.h"
#include "hpl/comm/mpi/wait_policy.h"
#include "hpl/lu/pipeline/executor.h"

namespace hpl {

namespace {

/// Calls carry_out(id) for all tasks: those for which puts_off(task) holds when something waits for
/// them, or their worker has something else to do, the others in the order of the list.
template <class PutsOff, class CarryOut>
void in_one_thread(const Schedule& schedule, PutsOff puts_off, CarryOut carry_out) {
  std::deque<TaskId> put_off;
  const auto catch_up = [&](std::size_t count) {
    for (; count > 0; --count) {
      const TaskId id = put_off.front();
      put_off.pop_front();
      carry_out(id);
    }
  };
  for (TaskId id = 0; id < schedule.size(); ++id) {
    const Task& task = schedule[id];
    if (puts_off(task)) {
      put_off.push_back(id);
      continue;
    }
    catch_up(schedule.due_before(task, put_off));
    carry_out(id);
  }
  catch_up(put_off.size());
}

class SerialExecutor {
 public:
  SerialExecutor(const Schedule& schedule, TaskRunner& runner, JobControl& control)
      : schedule_(schedule), runner_(runner), control_(control) {}

  void run() {
    in_one_thread(
        schedule_, [](const Task& task) { return traits(task.kind).can_wait; },
        [this](TaskId id) { carry_out(id); });
    finish();
  }

 private:
  /// Waits for a task's end where what comes next does not do so itself: it follows on the device,
  /// in the stream of the same worker or behind the event.
  void carry_out(TaskId id) {
    const Task& task = schedule_[id];
    std::vector<hpcx::Event> after;
    if (unfinished_ != kNoTask) {
      if (waits_for_unfinished(task))
        after.push_back(event_);
      else if (schedule_[unfinished_].worker != task.worker)
        finish();
    }
    control_.set_doing(task);
    event_ = runner_.run(task, after);
    unfinished_ = id;
  }

  bool waits_for_unfinished(const Task& task) const {
    const Worker worker = schedule_[unfinished_].worker;
    return task.after[static_cast<std::size_t>(worker)] >= unfinished_;
  }

  void finish() {
    event_.synchronize();
    unfinished_ = kNoTask;
    runner_.progress();
  }

  const Schedule& schedule_;
  TaskRunner& runner_;
  JobControl& control_;
  TaskId unfinished_ = kNoTask;  // the last that was enqueued
  hpcx::Event event_;            // its end
};

class EnqueuingExecutor {
 public:
  EnqueuingExecutor(const Schedule& schedule, TaskRunner& runner, JobControl& control)
      : schedule_(schedule), runner_(runner), control_(control) {}

  void run() {
    in_one_thread(schedule_, is_put_off_while_enqueuing, [this](TaskId id) { carry_out(id); });
  }

 private:
  /// An arrow of the schedule that is open.
  struct Done {
    TaskId task;
    hpcx::Event event;
  };

  void carry_out(TaskId id) {
    const Task& task = schedule_[id];
    std::vector<hpcx::Event> after;
    for (const TaskId awaited : task.after) {
      if (awaited == kNoTask) continue;
      std::deque<Done>& open = open_arrows(schedule_[awaited].worker, task.worker);
      HPL_ASSERT(!open.empty() && open.front().task == awaited);
      after.push_back(std::move(open.front().event));
      open.pop_front();
    }
    control_.set_doing(task);
    const hpcx::Event event = runner_.run(task, after);
    for (int other = 0; other < kWorkerCount; ++other)
      if (schedule_.awaited_by(id, static_cast<Worker>(other)))
        open_arrows(task.worker, static_cast<Worker>(other)).push_back({id, event});
    runner_.progress();
  }

  std::deque<Done>& open_arrows(Worker from, Worker to) {
    return open_[static_cast<std::size_t>(from) * kWorkerCount + static_cast<std::size_t>(to)];
  }

  const Schedule& schedule_;
  TaskRunner& runner_;
  JobControl& control_;
  std::array<std::deque<Done>, std::size_t{kWorkerCount} * kWorkerCount> open_;
};

}  // namespace

bool is_put_off_while_enqueuing(const Task& task) {
  return traits(task.kind).can_wait || task.worker == Worker::Panel;
}

void run_enqueuing(const Schedule& schedule, TaskRunner& runner, JobControl& control) {
  mpi::prepare_waiting_thread();
  control.one_thread();
  EnqueuingExecutor(schedule, runner, control).run();
}

void run_serial(const Schedule& schedule, TaskRunner& runner, JobControl& control) {
  mpi::prepare_waiting_thread();
  control.one_thread();
  SerialExecutor(schedule, runner, control).run();
}

}  // namespace hpl
