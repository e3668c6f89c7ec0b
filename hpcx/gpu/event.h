#pragma once

#include <exception>
#include <memory>
#include <mutex>
#include <vector>

#include "hpcx/event.h"
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

/// Native events for reuse: making one costs microseconds, and a run records hundreds of thousands.
/// Thread-safe. Shared by the device and by every event, which may outlive it.
class EventPool {
 public:
  explicit EventPool(int device_index) : device_index_(device_index) {}
  ~EventPool();
  EventPool(const EventPool&) = delete;
  EventPool& operator=(const EventPool&) = delete;

  gpuEvent_t take();
  void give_back(gpuEvent_t event) noexcept;
  int device_index() const { return device_index_; }

 private:
  int device_index_;
  std::mutex mutex_;
  std::vector<gpuEvent_t> free_;
};

/// A recorded point. The native event is recorded once, at construction; streams that were told to
/// wait for it keep that meaning after it went back to the pool.
class GpuEvent final : public EventState {
 public:
  GpuEvent(std::shared_ptr<EventPool> pool, std::shared_ptr<const Failure> failure,
           gpuStream_t stream);
  ~GpuEvent() override;

  bool done() const override;
  void synchronize() override;
  double seconds_since(const EventState& earlier) const override;
  gpuEvent_t native() const { return event_; }

 private:
  std::shared_ptr<EventPool> pool_;
  std::shared_ptr<const Failure> failure_;
  gpuEvent_t event_;
};

}  // namespace hpcx::HPCX_GPU_NAMESPACE
