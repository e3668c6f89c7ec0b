#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "hpl/lu/schedule/task.h"

namespace hpl {

/// A worker's present work, for people to read and for the search after the cause of a stall.
struct WorkerState {
  Worker worker = Worker::Panel;
  std::string what = "not started";
  std::int64_t step = 0;
  std::int64_t chunk = 0;
  Peers peers = Peers::None;
  std::int64_t sequence = 0;  ///< see Task::sequence
};

/// State that the threads of one run share to end together: the first failure, the flag that makes
/// all unwind, and each worker's present work, for the watchdog. Thread-safe.
class JobControl {
 public:
  /// Raised after a failure: waits for messages give up.
  const std::atomic<bool>& stop_flag() const { return stopped_; }
  bool stopped() const { return stopped_.load(std::memory_order_acquire); }

  /// Keeps the first cause and stops everybody. Echoes of a stop (mpi::Stopped) are not causes.
  void fail(std::exception_ptr cause);
  /// Called once on failure, from the failing thread: closes the queues, say. The action may ask
  /// stopped() and call nothing else here. on_stop() returns when no action runs any more.
  void on_stop(std::function<void()> action);
  void rethrow_failure();

  /// `what` must live as long as the program: a string literal.
  void set_status(Worker worker, const char* what, std::int64_t step, Peers peers = Peers::None,
                  std::int64_t chunk = 0, std::int64_t sequence = 0);
  /// The task's worker carries it out; it waits for a task of the kind `awaited` before.
  void set_doing(const Task& task);
  void set_waiting(const Task& task, TaskKind awaited);
  /// One thread plays all workers from now on: what it did last is all that it does.
  void one_thread() { one_thread_.store(true, std::memory_order_relaxed); }
  /// A step was finished: the watchdog's clock starts again.
  void beat();
  std::chrono::nanoseconds since_last_beat() const;
  /// The present work of each worker; with one thread, of that.
  std::vector<WorkerState> workers() const;

 private:
  static constexpr char kNotStarted[] = "not started";
  struct Status {
    std::atomic<const char*> what{kNotStarted};
    std::atomic<std::int64_t> step{0}, chunk{0}, sequence{0};
    std::atomic<Peers> peers{Peers::None};
  };

  std::atomic<bool> stopped_{false};
  std::mutex mutex_;
  std::exception_ptr failure_;
  std::function<void()> on_stop_;
  std::array<Status, kWorkerCount> status_;
  std::atomic<bool> one_thread_{false};
  std::atomic<Worker> last_worker_{Worker::Panel};
  std::atomic<std::chrono::steady_clock::duration::rep> last_beat_{
      std::chrono::steady_clock::now().time_since_epoch().count()};
};

}  // namespace hpl
