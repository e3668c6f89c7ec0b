#include "gpu/event.h"

#include "gpu/check.h"

namespace hpcx::HPCX_GPU_NAMESPACE {

EventPool::~EventPool() {
  static_cast<void>(gpuSetDevice(device_index_));
  for (gpuEvent_t event : free_)
    static_cast<void>(gpuEventDestroy(event));
}

gpuEvent_t EventPool::take() {
  {
    const std::lock_guard lock(mutex_);
    if (!free_.empty()) {
      gpuEvent_t event = free_.back();
      free_.pop_back();
      return event;
    }
  }
  HPCX_CHECK(gpuSetDevice(device_index_));
  gpuEvent_t event = nullptr;
  HPCX_CHECK(gpuEventCreateWithFlags(&event, gpuEventBlockingSync));
  return event;
}

void EventPool::give_back(gpuEvent_t event) noexcept {
  const std::lock_guard lock(mutex_);
  try {
    free_.push_back(event);
  } catch (...) {
    static_cast<void>(gpuEventDestroy(event));
  }
}

GpuEvent::GpuEvent(std::shared_ptr<EventPool> pool, std::shared_ptr<const Failure> failure,
                   gpuStream_t stream)
    : pool_(std::move(pool)), failure_(std::move(failure)), event_(pool_->take()) {
  const gpuError_t status = gpuEventRecord(event_, stream);
  if (status != gpuSuccess) {
    pool_->give_back(event_);
    check(status, "gpuEventRecord(event, stream)", __FILE__, __LINE__);
  }
}

GpuEvent::~GpuEvent() {
  pool_->give_back(event_);
}

bool GpuEvent::done() const {
  const gpuError_t status = gpuEventQuery(event_);
  if (status == gpuErrorNotReady) {
    static_cast<void>(gpuGetLastError());
    return false;
  }
  check(status, "gpuEventQuery(event)", __FILE__, __LINE__);
  return true;
}

void GpuEvent::synchronize() {
  HPCX_CHECK(gpuSetDevice(pool_->device_index()));
  HPCX_CHECK(gpuEventSynchronize(event_));
  failure_->rethrow();
}

double GpuEvent::seconds_since(const EventState& earlier) const {
  float milliseconds = 0;
  const gpuEvent_t start = static_cast<const GpuEvent&>(earlier).event_;
  HPCX_CHECK(gpuEventElapsedTime(&milliseconds, start, event_));
  return static_cast<double>(milliseconds) * 1e-3;
}

}  // namespace hpcx::HPCX_GPU_NAMESPACE
