#include "hpl/lu/schedule/schedule.h"

#include <algorithm>

#include "hpl/base/error/error.h"

namespace hpl {

namespace {

std::uint8_t bit_of(Worker worker) {
  return static_cast<std::uint8_t>(1U << static_cast<unsigned>(worker));
}

}  // namespace

TaskId Schedule::add(Task task, std::initializer_list<TaskId> after) {
  const TaskId id = size();
  const bool on_host = traits(task.kind).on_host;
  for (const TaskId awaited : after) {
    if (awaited == kNoTask) continue;
    HPL_ASSERT(awaited >= 0 && awaited < id);
    const Worker from = (*this)[awaited].worker;
    const Arrows& arrows = arrows_[pair(from, task.worker)];
    if (from == task.worker && !on_host) continue;
    if (awaited <= (on_host ? arrows.latest_on_host : arrows.latest)) continue;
    HPL_ASSERT(awaited > arrows.latest);
    TaskId& arrow = task.after[static_cast<std::size_t>(from)];
    arrow = std::max(arrow, awaited);
  }
  for (const TaskId awaited : task.after) {
    if (awaited == kNoTask) continue;
    Arrows& arrows = arrows_[pair((*this)[awaited].worker, task.worker)];
    arrows.latest = awaited;
    if (on_host) arrows.latest_on_host = awaited;
    while (!arrows.ends.empty() && arrows.ends.front() <= awaited)
      arrows.ends.pop_front();
    arrows.ends.push_back(id);
    arrows.most = std::max(arrows.most, std::ssize(arrows.ends));
    awaited_by_[static_cast<std::size_t>(awaited)] |= bit_of(task.worker);
  }
  has_work_[static_cast<std::size_t>(task.worker)] = true;
  tasks_.push_back(task);
  awaited_by_.push_back(0);
  return id;
}

std::size_t Schedule::due_before(const Task& task, const std::deque<TaskId>& put_off) const {
  std::size_t due = 0;
  for (std::size_t i = 0; i < put_off.size(); ++i) {
    const Worker worker = (*this)[put_off[i]].worker;
    if (worker == task.worker || task.after[static_cast<std::size_t>(worker)] >= put_off[i])
      due = i + 1;
  }
  return due;
}

bool Schedule::awaited_by(TaskId id, Worker worker) const {
  return (awaited_by_[static_cast<std::size_t>(id)] & bit_of(worker)) != 0;
}

}  // namespace hpl
