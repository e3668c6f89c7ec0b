#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "cpu/shared_loops.h"
#include "hpcx/event.h"
#include "hpcx/stream.h"

namespace hpcx::cpu {

class Scheduler;

/// A recorded point: complete when everything before it in its queue is done.
class CpuEvent final : public EventState {
 public:
  explicit CpuEvent(Scheduler& scheduler) : scheduler_(scheduler) {}
  bool done() const override { return done_.load(std::memory_order_acquire); }
  void synchronize() override;
  double seconds_since(const EventState& earlier) const override;

 private:
  friend class Scheduler;
  Scheduler& scheduler_;
  std::chrono::steady_clock::time_point when_{};  // written before done_ is released
  std::atomic<bool> done_{false};
};

/// `body(0) ... body(blocks - 1)`, in any order and in any threads.
struct Operation {
  std::int64_t blocks = 0;
  std::function<void(std::int64_t)> body{};
  std::shared_ptr<CpuEvent> recorded{};    ///< complete this event instead
  std::shared_ptr<CpuEvent> waited_for{};  ///< or hold the queue until this one is complete
  std::int64_t started = 0;
  std::int64_t finished = 0;
};

/// The order of one stream. Touched only under the scheduler's lock.
struct OperationQueue {
  Priority priority = Priority::Normal;
  std::deque<Operation> operations;
};

/// Compute threads that serve ordered queues, as the multiprocessors of a GPU serve streams.
///
/// Work is handed out in blocks: a thread takes the next block of the first queue (High before
/// Normal, older queues first) whose head operation has one left. An operation starts when the one
/// before it in its queue is done, so a queue is ordered while queues overlap. Threads without
/// work help with loops, or sleep. A thread that has joined computes while it waits. After a
/// failure nothing more is run: events complete and synchronize() rethrows.
class Scheduler {
 public:
  Scheduler(int threads, std::function<void(int)> on_thread_start);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  int threads() const { return static_cast<int>(threads_.size()); }
  OperationQueue& add_queue(Priority priority);
  /// Waits until the queue is empty, then forgets it.
  void remove_queue(OperationQueue& queue);
  void enqueue(OperationQueue& queue, Operation operation);
  std::shared_ptr<CpuEvent> record(OperationQueue& queue);
  void wait_until_done(const CpuEvent& event);
  void wait_until_idle();
  /// The calling thread takes the place of compute thread 0, which rests until leave(). One at a
  /// time.
  void join();
  void leave();
  /// See Device::parallel_for.
  void parallel_for(std::int64_t count, const std::function<void(std::int64_t)>& body);

 private:
  using Clock = std::chrono::steady_clock;

  void thread_main(int number);
  void rest(std::unique_lock<std::mutex>& lock);
  /// Returns, with the lock, when `done()` is true. A thread that has joined runs blocks meanwhile.
  template <class Done>
  void wait(std::unique_lock<std::mutex>& lock, Done done);
  /// Runs one block of something, or helps with a loop and says until when others may follow; false
  /// when there is nothing to run. Called and left with the lock.
  bool run_one(std::unique_lock<std::mutex>& lock, Clock::time_point& more_loops_until);
  /// Called with nothing to run: looks out for loops, then sleeps until `woken`. Returns when there
  /// may be something else. Called and left with the lock.
  void await_work(std::unique_lock<std::mutex>& lock, std::condition_variable& woken,
                  Clock::time_point& more_loops_until);
  bool help_with_loops(Clock::time_point& more_loops_until);
  /// Completes the records and passes the waits at the head of a queue; true when it completed any.
  bool settle(OperationQueue& queue);
  void run_block(std::unique_lock<std::mutex>& lock, OperationQueue& queue);
  void fail(std::exception_ptr failure);
  /// Called with the lock.
  void wake(std::int64_t threads);
  /// Called with the lock.
  void tell_progress();
  void wake_for_loop(std::int64_t count);

  std::mutex mutex_;
  std::condition_variable work_;      // for compute threads
  std::condition_variable progress_;  // for callers that wait for an event or a queue
  std::condition_variable resting_;   // for thread 0 and who joins in its place
  std::list<OperationQueue> high_, normal_;
  SharedLoops loops_;
  std::exception_ptr failure_;
  std::atomic<int> idle_{0};               // threads that sleep or look out for loops
  std::vector<std::atomic<bool>> asleep_;  // by numbers of threads
  std::atomic<std::int64_t> news_{0};      // how often there was work or progress in the queues
  int running_ = 0;                        // blocks being run
  bool stopping_ = false;
  std::thread::id joined_;     // the thread in the place of thread 0, if any
  bool joined_idles_ = false;  // sleeps on progress_ until there is work
  bool thread_0_rests_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace hpcx::cpu
