#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "hpl/lu/schedule/schedule.h"

namespace hpl::test {

/// Which tasks of a schedule are certainly done when another begins, whatever the workers' speeds:
/// those that its worker did before, those that it waits for, and what was done before these.
class Precedence {
 public:
  explicit Precedence(const Schedule& schedule) : schedule_(schedule) {
    std::array<Clock, kWorkerCount> now{};
    now.fill(kNothing);
    for (TaskId id = 0; id < schedule.size(); ++id) {
      const Task& task = schedule[id];
      Clock& mine = now[static_cast<std::size_t>(task.worker)];
      for (const TaskId awaited : task.after)
        if (awaited != kNoTask) mine = joined(mine, after(awaited));
      before_.push_back(mine);
      mine = after(id);
    }
  }

  bool comes_before(TaskId first, TaskId second) const {
    return before_[static_cast<std::size_t>(second)][of(first)] >= first;
  }

 private:
  using Clock = TaskOfEach;  // by worker: the last task that is done
  static constexpr Clock kNothing = no_tasks();

  static Clock joined(Clock a, const Clock& b) {
    for (std::size_t w = 0; w < a.size(); ++w)
      a[w] = std::max(a[w], b[w]);
    return a;
  }
  std::size_t of(TaskId id) const { return static_cast<std::size_t>(schedule_[id].worker); }
  Clock after(TaskId id) const {
    Clock clock = before_[static_cast<std::size_t>(id)];
    clock[of(id)] = id;
    return clock;
  }

  const Schedule& schedule_;
  std::vector<Clock> before_;
};

}  // namespace hpl::test
