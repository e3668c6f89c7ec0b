#pragma once

#include <chrono>
#include <span>

#include "hpcx/event.h"
#include "hpl/lu/pipeline/job_control.h"
#include "hpl/lu/schedule/schedule.h"

namespace hpl {

/// Carries out tasks: the stages of the factorization, a stand-in in tests, a model of their cost.
class TaskRunner {
 public:
  virtual ~TaskRunner() = default;
  /// Carries a task out, in the thread of its worker. It may only be enqueued when this returns:
  /// the event is the point at which it is done. `after` are those of the tasks it waits for; where
  /// the kind says so (TaskTraits::on_host) the host waits for them, else the device may.
  virtual hpcx::Event run(const Task& task, std::span<const hpcx::Event> after) = 0;
  /// Time for which a worker looks out before it sleeps.
  virtual std::chrono::nanoseconds patience() const { return {}; }
  /// Moves messages on that are under way; never blocks. From the thread of run().
  virtual void progress() {}
};

// Executors know tasks and workers, not what is computed. Both throw the first failure of any task,
// when nothing runs any more.

/// Every worker is a thread; every pair of workers with arrows between them has a bounded queue,
/// through which the events of tasks go to those that wait for them.
///
/// Why it ends: let t be the first task of the list that is not done. Its worker has done all
/// before it. What t waits for is earlier in the list, so its messages are in their queues. And a
/// queue that t sends to holds no more than the arrows that are open at t in the order of the list,
/// since all that receive before t have done so: it has capacity for another. So t can always go
/// on.
void run_threaded(const Schedule& schedule, TaskRunner& runner, JobControl& control);

/// The calling thread carries out the tasks in the order of the list. It waits for the end of each
/// before the next, unless the next follows in the same worker's stream or waits for that very task
/// by its event. Tasks that can wait (TaskTraits::can_wait) are put off until something waits for
/// them, or their worker has something else to do.
void run_serial(const Schedule& schedule, TaskRunner& runner, JobControl& control);

/// The calling thread enqueues tasks and waits only where a task itself does. The panel worker's
/// tasks and those that can wait are put off until something needs them: by then the update of the
/// tail is enqueued, and the device carries it out while the host factorizes the next panel.
///
/// Why it ends: the tasks keep an order that the schedule allows, and ranks with messages to each
/// other keep the same one.
void run_enqueuing(const Schedule& schedule, TaskRunner& runner, JobControl& control);

/// True for tasks that run_enqueuing() puts off.
bool is_put_off_while_enqueuing(const Task& task);

}  // namespace hpl
