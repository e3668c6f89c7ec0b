#pragma once

#include <atomic>
#include <chrono>

#include "hpcx/device.h"
#include "hpl/base/error/error.h"

namespace hpl::mpi {

/// Thrown out of a wait whose stop flag was raised: not a cause, but the echo of a failure
/// elsewhere.
class Stopped : public RunError {
 public:
  Stopped() : RunError("stopped") {}
};

/// A thread that waits for messages polls for `spin` (giving up its core between polls), then
/// sleeps between polls, each time twice as long. MPI's own blocking calls spin forever and would
/// steal a core from the BLAS.
struct WaitPolicy {
  std::chrono::nanoseconds spin{std::chrono::microseconds(20)};
  std::chrono::nanoseconds shortest_sleep{std::chrono::microseconds(5)};
  std::chrono::nanoseconds longest_sleep{std::chrono::microseconds(200)};
  /// Raised by whoever wants waiting threads to unwind; null: wait for ever.
  const std::atomic<bool>* stop = nullptr;

  /// Lowest latency: never sleeps, and gives up its core between polls only after a few
  /// milliseconds. For threads that have a core to themselves.
  static WaitPolicy spinning(const std::atomic<bool>* stop = nullptr);
  bool spins() const { return spin == std::chrono::nanoseconds::max(); }
  /// For threads beside computing threads.
  static WaitPolicy sleeping(const std::atomic<bool>* stop = nullptr);
};

/// One wait in progress: call pause() after each poll that found nothing.
class Waiter {
 public:
  explicit Waiter(const WaitPolicy& policy);

  /// Lets time pass as the policy says. Throws Stopped when the stop flag is up.
  void pause();

  /// Something arrived and more is expected soon: start over with polling.
  void progressed();

 private:
  using Clock = std::chrono::steady_clock;

  WaitPolicy policy_;
  int polls_ = 0;
  Clock::time_point spin_end_{};
  std::chrono::nanoseconds next_sleep_;
};

/// Returns when `ready()` is true. Throws Stopped, and whatever `ready` throws.
template <class Ready>
void wait_until(const WaitPolicy& policy, Ready&& ready) {
  Waiter waiter(policy);
  while (!ready())
    waiter.pause();
}

/// Waits for an event of a device that others hang on: to be woken takes tens of microseconds, so a
/// thread whose policy spins looks instead. Throws Stopped.
void await_soon(const hpcx::Event& event, const hpcx::Device& device, const WaitPolicy& policy);

/// Makes sleeps of the calling thread end within about a microsecond of their time (Linux adds 50
/// us by default). Each worker calls it once when it starts.
void prepare_waiting_thread();

}  // namespace hpl::mpi
