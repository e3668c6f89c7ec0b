#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <vector>

#include "hpl/lu/schedule/task.h"

namespace hpl {

/// The tasks of one rank, as a list. Any order is right in which every worker's tasks keep theirs
/// and every task comes after those it waits for; that of the list is one.
///
/// A task waits for others by *arrows*, at most one from each worker: to wait for a worker's task
/// is to wait for all that this worker did before. Arrows from one worker to another never cross,
/// so each is one message in a queue between the two: the receiver takes them out in the order in
/// which it needs them.
class Schedule {
 public:
  /// Adds a task that waits for `after`; kNoTask stands for nothing. Leaves out arrows that add
  /// nothing: from the task's own worker, unless the host waits (TaskTraits::on_host), and to what
  /// its worker has waited for already. What the host waits for its worker must not have waited for
  /// on the device alone.
  TaskId add(Task task, std::initializer_list<TaskId> after);

  const std::vector<Task>& tasks() const { return tasks_; }
  TaskId size() const { return static_cast<TaskId>(tasks_.size()); }
  const Task& operator[](TaskId id) const { return tasks_[static_cast<std::size_t>(id)]; }
  /// Whether a task of `worker` waits for this one.
  bool awaited_by(TaskId id, Worker worker) const;
  /// In one thread that has put tasks off: how many of them must come before `task`, up to the last
  /// that it waits for, or that its worker has to do first.
  std::size_t due_before(const Task& task, const std::deque<TaskId>& put_off) const;
  bool has_work(Worker worker) const { return has_work_[static_cast<std::size_t>(worker)]; }
  /// Most arrows that are open at once between two workers when tasks are carried out in the order
  /// of the list. Queues with as much capacity cannot block each other, see run_threaded().
  std::int64_t most_open(Worker from, Worker to) const { return arrows_[pair(from, to)].most; }

 private:
  /// Of one worker to another.
  struct Arrows {
    TaskId latest = kNoTask, latest_on_host = kNoTask;  ///< the begin of the newest
    std::deque<TaskId> ends;                            ///< of those open when that was begun
    std::int64_t most = 0;
  };
  static std::size_t pair(Worker from, Worker to) {
    return static_cast<std::size_t>(from) * kWorkerCount + static_cast<std::size_t>(to);
  }

  std::vector<Task> tasks_;
  std::vector<std::uint8_t> awaited_by_;  // by task: a bit for each worker
  std::array<bool, kWorkerCount> has_work_{};
  std::array<Arrows, std::size_t{kWorkerCount} * kWorkerCount> arrows_;
};

}  // namespace hpl
