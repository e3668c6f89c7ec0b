#include "gpu/device.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "gpu/check.h"
#include "gpu/stream.h"
#include "gpu/vendor_parts.h"
#include "hpcx/error.h"
#include "memory/locked_memory.h"

namespace hpcx::HPCX_GPU_NAMESPACE {

namespace {

std::string pci_address(int index) {
  char address[32] = {};
  HPCX_CHECK(gpuDeviceGetPCIBusId(address, sizeof(address), index));
  return address;
}

class Watch {
 public:
  /// Since it was made or asked last.
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(now - std::exchange(last_, now)).count();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

/// The address under which kernels find pinned memory; null where they do not.
void* on_device(void* pinned) {
  void* address = nullptr;
  if (gpuHostGetDevicePointer(&address, pinned, 0) == gpuSuccess) return address;
  static_cast<void>(gpuGetLastError());
  return nullptr;
}

/// Makes the device current in the calling thread, which creates its context: the moment at which
/// a device that is listed turns out to be unusable.
StartTimes acquire(int index) {
  const auto refuse = [&](gpuError_t status, const std::string& reason) {
    static_cast<void>(gpuGetLastError());
    throw Error(device_label(index) + " cannot be used: " + reason + " (" +
                gpuGetErrorName(status) + ")");
  };
  StartTimes times;
  Watch watch;
  // Waiting threads sleep: the cores have other work.
  gpuError_t status = gpuSetDevice(index);
  if (status == gpuSuccess) status = gpuSetDeviceFlags(gpuDeviceScheduleBlockingSync);
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  if (status == gpuSuccess) status = gpuMemGetInfo(&free_bytes, &total_bytes);
  if (status == gpuErrorMemoryAllocation)
    refuse(status, "its memory is in use by others, not even a context fits");
#ifdef gpuErrorDevicesUnavailable
  if (status == gpuErrorDevicesUnavailable)
    refuse(status, "it is in exclusive use by another process, or its mode forbids computing");
#endif
  if (status != gpuSuccess) refuse(status, gpuGetErrorString(status));
  times.context = watch.lap();
  status = probe_kernels();
  times.modules = watch.lap();
  if (status == gpuErrorNoBinary) refuse(status, "this build has no code for its architecture");
  if (status != gpuSuccess) refuse(status, gpuGetErrorString(status));
  void* memory = nullptr;
  constexpr std::size_t kBytes = std::size_t{2} << 20;
  watch.lap();
  if (gpuMalloc(&memory, kBytes) == gpuSuccess) {
    times.first_allocation = watch.lap();
    static_cast<void>(gpuFree(memory));
  } else {
    static_cast<void>(gpuGetLastError());  // who needs memory will say so
  }
  return times;
}

}  // namespace

std::string device_label(int index) {
  return std::string(to_string(HPCX_GPU_BACKEND)) + " device " + std::to_string(index);
}

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

DeviceProperties properties_of(int index) {
  gpuDeviceProp native{};
  HPCX_CHECK(gpuGetDeviceProperties(&native, index));
  const CycleRates rates = cycle_rates(native);
  int driver = 0;
  int runtime = 0;
  HPCX_CHECK(gpuDriverGetVersion(&driver));
  HPCX_CHECK(gpuRuntimeGetVersion(&runtime));
  return {.backend = HPCX_GPU_BACKEND,
          .index = index,
          .name = native.name,
          .compute_units = native.multiProcessorCount,
          .flops_per_cycle = rates.fp64,
          .int8_per_cycle = rates.int8,
          .bus_address = pci_address(index),
          .uuid = device_uuid(native),
          .description = std::string(HPCX_GPU_RUNTIME " runtime ") + version_text(runtime) +
                         ", driver for " HPCX_GPU_RUNTIME " " + version_text(driver) + ", " +
                         blas_version() + ", compute capability " + std::to_string(native.major) +
                         "." + std::to_string(native.minor) + ", PCI " + pci_address(index)};
}

GpuDevice::GpuDevice(int index, const CpuOptions& host)
    : start_times_(acquire(index)),
      properties_(properties_of(index)),
      events_(std::make_shared<EventPool>(index)),
      interconnect_(index),
      emulation_(create_emulation(index)),
      mixed_precision_(create_mixed_precision(index)),
      telemetry_(create_telemetry(pci_address(index))),
      host_pool_(std::max(host.threads, 1) - 1, host.on_thread_start) {}

MemoryInfo GpuDevice::memory() const {
  HPCX_CHECK(gpuSetDevice(index()));
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  HPCX_CHECK(gpuMemGetInfo(&free_bytes, &total_bytes));
  return {.total = static_cast<std::int64_t>(total_bytes),
          .free = static_cast<std::int64_t>(free_bytes)};
}

Buffer GpuDevice::allocate(std::size_t bytes) {
  if (bytes == 0) return {};
  HPCX_CHECK(gpuSetDevice(index()));
  void* data = nullptr;
  const gpuError_t status = gpuMalloc(&data, bytes);
  if (status == gpuErrorMemoryAllocation) {
    static_cast<void>(gpuGetLastError());
    throw OutOfMemory(device_label(index()) + " has no " + std::to_string(bytes) +
                      " bytes of memory left (" + std::to_string(memory().free) + " are free)");
  }
  check(status, "allocation of device memory", __FILE__, __LINE__);
  known_memory_->add(data, bytes, CopyCounter::Memory::Device, data);
  return Buffer(data, bytes, [known = known_memory_](void* memory, std::size_t) {
    known->remove(memory);
    static_cast<void>(gpuFree(memory));
  });
}

Buffer GpuDevice::allocate_pinned(std::size_t bytes) {
  if (bytes == 0) return {};
  HPCX_CHECK(gpuSetDevice(index()));
  void* data = nullptr;
  const gpuError_t status = gpuHostAlloc(&data, bytes, gpuHostAllocPortable | gpuHostAllocMapped);
  if (status == gpuErrorMemoryAllocation) {
    static_cast<void>(gpuGetLastError());
    throw OutOfMemory("the host has no " + std::to_string(bytes) +
                      " bytes left that can be pinned for " + device_label(index()) +
                      locked_memory_advice());
  }
  check(status, "allocation of pinned host memory", __FILE__, __LINE__);
  known_memory_->add(data, bytes, CopyCounter::Memory::Host, on_device(data));
  return Buffer(data, bytes, [known = known_memory_](void* memory, std::size_t) {
    known->remove(memory);
    static_cast<void>(gpuFreeHost(memory));
  });
}

HostRegistration GpuDevice::register_host(void* data, std::size_t bytes) {
  if (bytes == 0) return {};
  HPCX_CHECK(gpuSetDevice(index()));
  const gpuError_t status =
      gpuHostRegister(data, bytes, gpuHostRegisterPortable | gpuHostRegisterMapped);
  if (status != gpuSuccess) {
    static_cast<void>(gpuGetLastError());
    throw Error(std::to_string(bytes) + " bytes of host memory cannot be pinned for " +
                device_label(index()) + ": " + gpuGetErrorString(status) + " (" +
                gpuGetErrorName(status) + ")" + locked_memory_advice());
  }
  known_memory_->add(data, bytes, CopyCounter::Memory::Host, on_device(data));
  // Whoever ends it may be a thread that has not met this device yet.
  return {data, bytes, [known = known_memory_, of = index()](void* memory, std::size_t) {
            known->remove(memory);
            static_cast<void>(gpuSetDevice(of));
            static_cast<void>(gpuHostUnregister(memory));
          }};
}

Stream GpuDevice::create_stream(Priority priority) {
  return Stream(std::make_unique<GpuStream>(*this, priority));
}

Stream GpuDevice::create_copy_stream() {
  return Stream(std::make_unique<GpuStream>(*this, Priority::Normal, GpuStream::Use::Copies));
}

void GpuDevice::synchronize() {
  HPCX_CHECK(gpuSetDevice(index()));
  HPCX_CHECK(gpuDeviceSynchronize());
  const std::lock_guard lock(failures_mutex_);
  for (const auto& weak : failures_)
    if (const auto failure = weak.lock()) failure->rethrow();
}

void GpuDevice::parallel_for(std::int64_t count, const std::function<void(std::int64_t)>& body) {
  host_pool_.run(count, body);
}

void GpuDevice::add_failure(std::weak_ptr<const Failure> failure) {
  const std::lock_guard lock(failures_mutex_);
  std::erase_if(failures_, [](const auto& weak) { return weak.expired(); });
  failures_.push_back(std::move(failure));
}

}  // namespace hpcx::HPCX_GPU_NAMESPACE
