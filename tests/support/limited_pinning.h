#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>

#include "hpcx/error.h"
#include "support/forwarding_device.h"

namespace hpl::test {

/// A device whose driver pins so many bytes of host memory and no more.
class LimitedPinning final : public ForwardingDevice {
 public:
  LimitedPinning(hpcx::Device& device, std::int64_t bytes)
      : ForwardingDevice(device), left_(bytes) {}

  hpcx::Buffer allocate_pinned(std::size_t bytes) override {
    take(bytes);
    auto memory = std::make_shared<hpcx::Buffer>(ForwardingDevice::allocate_pinned(bytes));
    return {memory->as<void>(), bytes, [this, memory](void*, std::size_t size) mutable {
              memory.reset();
              left_ += static_cast<std::int64_t>(size);
            }};
  }
  hpcx::HostRegistration register_host(void* data, std::size_t bytes) override {
    take(bytes);
    auto pinned =
        std::make_shared<hpcx::HostRegistration>(ForwardingDevice::register_host(data, bytes));
    return {data, bytes, [this, pinned](void*, std::size_t size) mutable {
              pinned.reset();
              left_ += static_cast<std::int64_t>(size);
            }};
  }

  std::int64_t left() const { return left_; }

 private:
  void take(std::size_t bytes) {
    const auto count = static_cast<std::int64_t>(bytes);
    if (left_.fetch_sub(count) >= count) return;
    left_ += count;
    throw hpcx::OutOfMemory("no more memory may be locked");
  }

  std::atomic<std::int64_t> left_;
};

}  // namespace hpl::test
