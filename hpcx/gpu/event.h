#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "gpu/failure.h"
#include "hpcx/event.h"
#include "vendor.h"

namespace hpcx::HPCX_GPU_NAMESPACE {

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
