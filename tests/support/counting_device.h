#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "hpl/base/number/memory_account.h"
#include "support/forwarding_device.h"

namespace hpl::test {

/// Counts the bytes that are allocated through it, and how many there were at most.
class CountingDevice : public ForwardingDevice {
 public:
  /// `shares_host_memory`: what the device shall say of itself; empty: what it is.
  explicit CountingDevice(hpcx::Device& device, std::optional<bool> shares_host_memory = {})
      : ForwardingDevice(device),
        shared_(shares_host_memory.value_or(device.shares_host_memory())) {}

  bool shares_host_memory() const override { return shared_; }
  hpcx::Buffer allocate(std::size_t bytes) override {
    return counted(ForwardingDevice::allocate(bytes), {static_cast<std::int64_t>(bytes), 0});
  }
  hpcx::Buffer allocate_pinned(std::size_t bytes) override {
    return counted(ForwardingDevice::allocate_pinned(bytes),
                   pinned_bytes(static_cast<std::int64_t>(bytes), shared_));
  }

  MemoryBytes live() const {
    const std::lock_guard lock(mutex_);
    return live_;
  }
  MemoryBytes most() const {
    const std::lock_guard lock(mutex_);
    return most_;
  }

 private:
  hpcx::Buffer counted(hpcx::Buffer buffer, MemoryBytes bytes) {
    if (buffer.bytes() == 0) return buffer;
    const std::lock_guard lock(mutex_);
    live_ += bytes;
    most_ = {std::max(most_.device, live_.device), std::max(most_.host, live_.host)};
    void* const data = buffer.as<void>();
    const std::size_t size = buffer.bytes();
    return {data, size,
            [this, bytes, memory = std::make_shared<hpcx::Buffer>(std::move(buffer))](
                void*, std::size_t) mutable {
              memory.reset();
              const std::lock_guard guard(mutex_);
              live_ += -1 * bytes;
            }};
  }

  mutable std::mutex mutex_;
  bool shared_;
  MemoryBytes live_, most_;
};

}  // namespace hpl::test
