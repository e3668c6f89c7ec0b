#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "vendor.h"

namespace hpcx::HPCX_GPU_NAMESPACE {

/// Threads that help with parallel_for of a device whose own work is not on the host. They sleep
/// while there is no loop. run() may be called by several threads at once.
class HostPool {
 public:
  /// `helpers` threads besides the callers; each calls on_start(number) first, numbered from 1.
  HostPool(int helpers, const std::function<void(int)>& on_start);
  ~HostPool();
  HostPool(const HostPool&) = delete;
  HostPool& operator=(const HostPool&) = delete;

  /// See Device::parallel_for. Rethrows the first exception of a body.
  void run(std::int64_t count, const std::function<void(std::int64_t)>& body);

 private:
  /// A loop under way; lives on its caller's stack.
  struct Loop {
    std::int64_t count;
    const std::function<void(std::int64_t)>& body;
    std::atomic<std::int64_t> next{0};
    int helpers = 0;               // inside, other than the caller; under the lock
    std::exception_ptr failure{};  // under the lock
  };

  void help();
  void take_part(Loop& loop);

  std::mutex mutex_;
  std::condition_variable work_, left_;
  std::vector<Loop*> loops_;
  bool stopping_ = false;
  std::vector<std::jthread> threads_;  // last: joined before what they use goes
};

}  // namespace hpcx::HPCX_GPU_NAMESPACE
