#include "cpu/scheduler.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>

#include "hpcx/error.h"
#include "hpcx/thread.h"

namespace hpcx::cpu {

namespace {
constexpr int kNice = 10;
// A panel is hundreds of loops a few microseconds apart, and to wake one takes tens.
constexpr std::chrono::microseconds kPatience{200};
}  // namespace

void CpuEvent::synchronize() {
  scheduler_.wait_until_done(*this);
}

double CpuEvent::seconds_since(const EventState& earlier) const {
  return std::chrono::duration<double>(when_ - static_cast<const CpuEvent&>(earlier).when_).count();
}

Scheduler::Scheduler(int threads, std::function<void(int)> on_thread_start)
    : loops_(threads), asleep_(static_cast<std::size_t>(threads)) {
  threads_ = start_threads(threads, "a compute thread", [this, on_thread_start](int number) {
    // Threads that hand over messages wake for microseconds and must not wait for the end of a
    // time slice of computing. In Linux a thread has a nice value of its own.
    setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNice);
    if (on_thread_start) on_thread_start(number);
    SharedLoops::set_own_number(number);
    thread_main(number);
  });
}

Scheduler::~Scheduler() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
    ++news_;
  }
  work_.notify_all();
  resting_.notify_all();
}

OperationQueue& Scheduler::add_queue(Priority priority) {
  std::lock_guard lock(mutex_);
  auto& queues = priority == Priority::High ? high_ : normal_;
  queues.emplace_back();
  queues.back().priority = priority;
  return queues.back();
}

void Scheduler::remove_queue(OperationQueue& queue) {
  std::unique_lock lock(mutex_);
  wait(lock, [&] { return queue.operations.empty(); });
  auto& queues = queue.priority == Priority::High ? high_ : normal_;
  queues.remove_if([&](const OperationQueue& other) { return &other == &queue; });
}

void Scheduler::wake(std::int64_t threads) {
  if (idle_ == 0 || threads <= 0) return;
  ++news_;
  if (joined_idles_) {
    joined_idles_ = false;
    progress_.notify_all();
    if (--threads == 0) return;
  }
  if (threads == 1)
    work_.notify_one();
  else
    work_.notify_all();
}

void Scheduler::tell_progress() {
  ++news_;
  progress_.notify_all();
}

void Scheduler::enqueue(OperationQueue& queue, Operation operation) {
  std::lock_guard lock(mutex_);
  const std::int64_t blocks = operation.blocks;
  queue.operations.push_back(std::move(operation));
  if (queue.operations.size() == 1) {
    settle(queue);
    wake(blocks);
  }
}

std::shared_ptr<CpuEvent> Scheduler::record(OperationQueue& queue) {
  auto event = std::make_shared<CpuEvent>(*this);
  enqueue(queue, {.recorded = event});
  return event;
}

bool Scheduler::settle(OperationQueue& queue) {
  bool went_on = false, event_completed = false;
  while (!queue.operations.empty()) {
    Operation& head = queue.operations.front();
    if (head.recorded) {
      head.recorded->when_ = std::chrono::steady_clock::now();
      head.recorded->done_.store(true, std::memory_order_release);
      event_completed = true;
    } else if (head.waited_for) {
      if (!head.waited_for->done() && !failure_) break;
    } else if (failure_ ? head.started > head.finished : head.finished < head.blocks) {
      break;
    }
    queue.operations.pop_front();
    went_on = true;
  }
  if (event_completed) {
    tell_progress();
    wake(threads());  // queues may have waited for it
  } else if (went_on && queue.operations.empty()) {
    tell_progress();
  }
  return event_completed;
}

void Scheduler::fail(std::exception_ptr failure) {
  if (!failure_) failure_ = std::move(failure);
}

void Scheduler::run_block(std::unique_lock<std::mutex>& lock, OperationQueue& queue) {
  Operation& operation = queue.operations.front();  // stays the head until its last block is done
  const std::int64_t block = operation.started++;
  ++running_;
  lock.unlock();
  std::exception_ptr failure;
  try {
    operation.body(block);
  } catch (...) {
    failure = std::current_exception();
  }
  lock.lock();
  --running_;
  if (failure) fail(failure);
  if (++operation.finished == operation.blocks || failure_) {
    settle(queue);
    if (!queue.operations.empty()) wake(queue.operations.front().blocks - 1);
  }
}

bool Scheduler::run_one(std::unique_lock<std::mutex>& lock, Clock::time_point& more_loops_until) {
  if (loops_.open()) {
    lock.unlock();
    help_with_loops(more_loops_until);
    lock.lock();
    return true;  // whatever it was: the scheduler may be stopping, or a thread have joined, since
  }
  // An event that completes while the queues are looked through may free one looked at before.
  for (bool again = true; again;) {
    again = false;
    for (auto* queues : {&high_, &normal_}) {
      for (OperationQueue& queue : *queues) {
        again |= settle(queue);
        if (queue.operations.empty()) continue;
        const Operation& head = queue.operations.front();
        if (!head.body || head.started == head.blocks || failure_) continue;
        run_block(lock, queue);
        return true;
      }
    }
  }
  return false;
}

bool Scheduler::help_with_loops(Clock::time_point& more_loops_until) {
  const bool helped = loops_.help();
  if (helped) more_loops_until = Clock::now() + kPatience;
  return helped;
}

void Scheduler::await_work(std::unique_lock<std::mutex>& lock, std::condition_variable& woken,
                           Clock::time_point& more_loops_until) {
  constexpr int kPausesBetweenLooks = 16;  // at the clock
  std::atomic<bool>& asleep = asleep_[static_cast<std::size_t>(loops_.own_number())];
  ++idle_;
  const std::int64_t seen = news_;
  if (Clock::now() < more_loops_until) {
    lock.unlock();
    while (news_ == seen && Clock::now() < more_loops_until)
      for (int i = 0; i < kPausesBetweenLooks && !help_with_loops(more_loops_until); ++i)
        pause_core();
    lock.lock();
  }
  // The thread that opens a loop sees that this one sleeps, or this one sees the loop.
  asleep = true;
  if (news_ == seen && !loops_.open()) woken.wait(lock);
  asleep = false;
  --idle_;
}

void Scheduler::thread_main(int number) {
  std::unique_lock lock(mutex_);
  Clock::time_point more_loops_until{};
  while (!stopping_) {
    if (number == 0 && joined_ != std::thread::id{}) {
      rest(lock);
      continue;
    }
    if (!run_one(lock, more_loops_until)) await_work(lock, work_, more_loops_until);
  }
}

void Scheduler::rest(std::unique_lock<std::mutex>& lock) {
  thread_0_rests_ = true;
  resting_.notify_all();
  resting_.wait(lock, [this] { return stopping_ || joined_ == std::thread::id{}; });
  thread_0_rests_ = false;
}

void Scheduler::join() {
  std::unique_lock lock(mutex_);
  HPCX_ASSERT(joined_ == std::thread::id{});
  joined_ = std::this_thread::get_id();
  ++news_;
  work_.notify_all();  // all: a wake-up meant for another must not end in thread 0
  resting_.wait(lock, [this] { return thread_0_rests_; });
}

void Scheduler::leave() {
  std::lock_guard lock(mutex_);
  joined_ = {};
  resting_.notify_all();
}

template <class Done>
void Scheduler::wait(std::unique_lock<std::mutex>& lock, Done done) {
  Clock::time_point more_loops_until{};
  while (!done()) {
    if (joined_ != std::this_thread::get_id()) {
      progress_.wait(lock);
      continue;
    }
    // Looking for work may itself complete what is waited for.
    if (run_one(lock, more_loops_until) || done()) continue;
    joined_idles_ = true;
    await_work(lock, progress_, more_loops_until);
    joined_idles_ = false;
  }
}

void Scheduler::wait_until_done(const CpuEvent& event) {
  std::unique_lock lock(mutex_);
  wait(lock, [&] { return event.done(); });
  if (failure_) std::rethrow_exception(failure_);
}

void Scheduler::wait_until_idle() {
  std::unique_lock lock(mutex_);
  const auto empty = [](const OperationQueue& queue) { return queue.operations.empty(); };
  wait(lock, [&] {
    return std::all_of(high_.begin(), high_.end(), empty) &&
           std::all_of(normal_.begin(), normal_.end(), empty);
  });
  if (failure_) std::rethrow_exception(failure_);
}

void Scheduler::wake_for_loop(std::int64_t count) {
  bool missed = false;
  for (int number = 0; number < loops_.threads(); ++number)
    missed |= asleep_[static_cast<std::size_t>(number)] && loops_.has_part(number, count);
  if (!missed) return;
  const std::lock_guard lock(mutex_);
  if (joined_idles_) progress_.notify_all();
  work_.notify_all();
}

void Scheduler::parallel_for(std::int64_t count, const std::function<void(std::int64_t)>& body) {
  if (count <= 1 || idle_ == 0) {
    for (std::int64_t i = 0; i < count; ++i)
      body(i);
    return;
  }
  loops_.run(count, body, [this, count] { wake_for_loop(count); });
}

}  // namespace hpcx::cpu
