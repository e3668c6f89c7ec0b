#include "hpl/comm/mpi/wait_policy.h"

#include <sched.h>
#include <sys/prctl.h>

#include <algorithm>
#include <thread>

#include "hpcx/thread.h"

namespace hpl::mpi {
namespace {

// Polls before the first system call: a few microseconds, the latency of a message between two
// cores.
constexpr int kBusyPolls = 32;

// A thread that may spin keeps its core for as long as messages normally take. Linux gives a core
// that is yielded to whoever waits for it, down to the lowest priority, and for milliseconds.
constexpr std::chrono::milliseconds kPatience{5};
constexpr int kPollsBetweenLooks = 64;  // at the clock

}  // namespace

WaitPolicy WaitPolicy::spinning(const std::atomic<bool>* stop) {
  return {.spin = std::chrono::nanoseconds::max(), .stop = stop};
}

WaitPolicy WaitPolicy::sleeping(const std::atomic<bool>* stop) {
  return {.stop = stop};
}

Waiter::Waiter(const WaitPolicy& policy) : policy_(policy), next_sleep_(policy.shortest_sleep) {}

void Waiter::pause() {
  if (policy_.stop != nullptr && policy_.stop->load(std::memory_order_acquire)) throw Stopped();
  if (policy_.spins()) {
    hpcx::pause_core();
    if (++polls_ < kPollsBetweenLooks) return;
    polls_ = 0;
    const auto now = Clock::now();
    if (spin_end_ == Clock::time_point{})
      spin_end_ = now + kPatience;
    else if (now >= spin_end_)
      sched_yield();
    return;
  }
  if (polls_ == 0) spin_end_ = Clock::now() + policy_.spin;
  if (polls_ < kBusyPolls && policy_.spin.count() > 0) {
    ++polls_;
    hpcx::pause_core();
    return;
  }
  if (Clock::now() < spin_end_) {
    sched_yield();
    return;
  }
  polls_ = kBusyPolls;
  std::this_thread::sleep_for(next_sleep_);
  next_sleep_ = std::min(2 * next_sleep_, policy_.longest_sleep);
}

void Waiter::progressed() {
  polls_ = 0;
  spin_end_ = {};
  next_sleep_ = policy_.shortest_sleep;
}

void await_soon(const hpcx::Event& event, const hpcx::Device& device, const WaitPolicy& policy) {
  // Not more often than a driver can well bear.
  constexpr int kPausesBetweenLooks = 64;
  // On processors this thread may be the one that computes, while it sleeps for the event.
  if (policy.spins() && !device.shares_host_memory()) {
    Waiter waiter(policy);
    while (!event.done())
      for (int i = 0; i < kPausesBetweenLooks; ++i)
        waiter.pause();
  }
  event.synchronize();
}

void prepare_waiting_thread() {
  prctl(PR_SET_TIMERSLACK, 1000UL, 0, 0, 0);
}

}  // namespace hpl::mpi
