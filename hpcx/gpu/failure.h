#pragma once

#include <exception>
#include <mutex>

#include "vendor.h"

namespace hpcx::HPCX_GPU_NAMESPACE {

/// The first exception that a host task of a stream threw. Kept for the stream's life: what is
/// enqueued after a failure works on data that is not there, so every later wait reports it too.
class Failure {
 public:
  void store(std::exception_ptr exception) {
    const std::lock_guard lock(mutex_);
    if (first_ == nullptr) first_ = exception;
  }
  bool occurred() const {
    const std::lock_guard lock(mutex_);
    return first_ != nullptr;
  }
  void rethrow() const {
    const std::lock_guard lock(mutex_);
    if (first_ != nullptr) std::rethrow_exception(first_);
  }

 private:
  mutable std::mutex mutex_;
  std::exception_ptr first_;
};

}  // namespace hpcx::HPCX_GPU_NAMESPACE
