#include "hpl/mpi/wait_policy.h"

#include <sched.h>
#include <sys/prctl.h>

#include <algorithm>
#include <thread>

namespace hpl::mpi {
namespace {

// Polls before the first system call: a few microseconds, the latency of a message between two
// cores.
constexpr int kBusyPolls = 32;

void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

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
  if (policy_.spin == std::chrono::nanoseconds::max()) {
    if (polls_ < kBusyPolls) {
      ++polls_;
      relax();
    } else {
      sched_yield();
    }
    return;
  }
  if (polls_ == 0) spin_end_ = Clock::now() + policy_.spin;
  if (polls_ < kBusyPolls && policy_.spin.count() > 0) {
    ++polls_;
    relax();
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
  next_sleep_ = policy_.shortest_sleep;
}

void prepare_waiting_thread() {
  prctl(PR_SET_TIMERSLACK, 1000UL, 0, 0, 0);
}

}  // namespace hpl::mpi
