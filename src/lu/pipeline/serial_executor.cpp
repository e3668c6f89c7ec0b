#include <deque>
#include <vector>

#include "hpl/comm/mpi/wait_policy.h"
#include "hpl/lu/pipeline/executor.h"

namespace hpl {

namespace {

class SerialExecutor {
 public:
  SerialExecutor(const Schedule& schedule, TaskRunner& runner, JobControl& control)
      : schedule_(schedule), runner_(runner), control_(control) {}

  void run() {
    for (TaskId id = 0; id < schedule_.size(); ++id) {
      const Task& task = schedule_[id];
      if (traits(task.kind).can_wait) {
        put_off_.push_back(id);
        continue;
      }
      catch_up(schedule_.due_before(task, put_off_));
      carry_out(id);
    }
    catch_up(put_off_.size());
    finish();
  }

 private:
  void catch_up(std::size_t count) {
    for (; count > 0; --count) {
      const TaskId id = put_off_.front();
      put_off_.pop_front();
      carry_out(id);
    }
  }

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
  std::deque<TaskId> put_off_;
  TaskId unfinished_ = kNoTask;  // the last that was enqueued
  hpcx::Event event_;            // its end
};

}  // namespace

void run_serial(const Schedule& schedule, TaskRunner& runner, JobControl& control) {
  mpi::prepare_waiting_thread();
  control.one_thread();
  SerialExecutor(schedule, runner, control).run();
}

}  // namespace hpl
