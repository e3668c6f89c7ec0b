#include "hpl/lu/pipeline/job_control.h"

#include <utility>

#include "hpl/comm/mpi/wait_policy.h"

namespace hpl {

void JobControl::fail(std::exception_ptr cause) {
  std::lock_guard lock(mutex_);
  try {
    std::rethrow_exception(cause);
  } catch (const mpi::Stopped&) {
    if (failure_) return;
  } catch (...) {
  }
  if (!failure_) failure_ = cause;
  stopped_.store(true, std::memory_order_release);
  const std::function<void()> action = std::exchange(on_stop_, nullptr);
  if (action) action();  // under the lock: on_stop() waits for it
}

void JobControl::on_stop(std::function<void()> action) {
  std::lock_guard lock(mutex_);
  on_stop_ = std::move(action);
}

void JobControl::rethrow_failure() {
  std::lock_guard lock(mutex_);
  if (failure_) std::rethrow_exception(failure_);
}

void JobControl::set_status(Worker worker, const char* what, std::int64_t step, Peers peers,
                            std::int64_t chunk, std::int64_t sequence) {
  Status& status = status_[static_cast<std::size_t>(worker)];
  status.step.store(step, std::memory_order_relaxed);
  status.chunk.store(chunk, std::memory_order_relaxed);
  status.sequence.store(sequence, std::memory_order_relaxed);
  status.peers.store(peers, std::memory_order_relaxed);
  status.what.store(what, std::memory_order_relaxed);
  last_worker_.store(worker, std::memory_order_relaxed);
}

void JobControl::set_doing(const Task& task) {
  const TaskTraits& kind = traits(task.kind);
  set_status(task.worker, kind.doing, task.step, kind.peers, task.chunk, task.sequence);
}

void JobControl::set_waiting(const Task& task, TaskKind awaited) {
  set_status(task.worker, traits(awaited).awaiting, task.step, Peers::None, task.chunk,
             task.sequence);
}

void JobControl::beat() {
  last_beat_.store(std::chrono::steady_clock::now().time_since_epoch().count(),
                   std::memory_order_relaxed);
}

std::chrono::nanoseconds JobControl::since_last_beat() const {
  const std::chrono::steady_clock::duration last(last_beat_.load(std::memory_order_relaxed));
  return std::chrono::steady_clock::now().time_since_epoch() - last;
}

std::vector<WorkerState> JobControl::workers() const {
  std::vector<WorkerState> states;
  for (int w = 0; w < kWorkerCount; ++w) {
    const auto worker = static_cast<Worker>(w);
    if (one_thread_.load(std::memory_order_relaxed) &&
        worker != last_worker_.load(std::memory_order_relaxed))
      continue;
    const Status& status = status_[static_cast<std::size_t>(w)];
    // Most runs have nothing for them to do.
    const bool of_host_memory =
        worker == Worker::Load || worker == Worker::Store || worker == Worker::Host;
    if (of_host_memory && status.what.load(std::memory_order_relaxed) == kNotStarted) continue;
    states.push_back({worker, status.what.load(std::memory_order_relaxed),
                      status.step.load(std::memory_order_relaxed),
                      status.chunk.load(std::memory_order_relaxed),
                      status.peers.load(std::memory_order_relaxed),
                      status.sequence.load(std::memory_order_relaxed)});
  }
  return states;
}

}  // namespace hpl
