#include "gpu/stream.h"

#include "gpu/check.h"
#include "gpu/device.h"
#include "gpu/kernels.h"

namespace hpcx::HPCX_GPU_NAMESPACE {

namespace {

struct HostTask {
  std::function<void()> task;
  std::shared_ptr<Failure> failure;
};

/// Called by the driver's thread, through which no exception may pass.
void run_host_task(void* data) {
  const std::unique_ptr<HostTask> job(static_cast<HostTask*>(data));
  if (job->failure->occurred()) return;
  try {
    job->task();
  } catch (...) {
    job->failure->store(std::current_exception());
  }
}

/// The device knows what it has allocated and pinned; the driver, whom it takes longer to ask, of
/// all else.
KnownMemory::Known memory_of(const GpuDevice& device, const void* address, std::size_t bytes) {
  if (const auto known = device.known_memory().of(address, bytes)) return *known;
  gpuPointerAttributes attributes{};
  if (gpuPointerGetAttributes(&attributes, address) != gpuSuccess) {
    static_cast<void>(gpuGetLastError());  // memory of which the driver knows nothing
    return {CopyCounter::Memory::Host, nullptr};
  }
  return {gpuMemoryTypeOf(attributes) == gpuMemoryTypeDevice ? CopyCounter::Memory::Device
                                                             : CopyCounter::Memory::Host,
          nullptr};
}

/// Bytes from the first line's start to the last line's end.
std::size_t extent(const StridedCopy& lines, std::size_t pitch) {
  return (lines.height - 1) * pitch + lines.width;
}

}  // namespace

GpuStream::GpuStream(GpuDevice& device, Priority priority, Use use) : device_(device) {
  HPCX_CHECK(gpuSetDevice(device.index()));
  int least = 0;
  int greatest = 0;
  HPCX_CHECK(gpuDeviceGetStreamPriorityRange(&least, &greatest));
  HPCX_CHECK(gpuStreamCreateWithPriority(&stream_, gpuStreamNonBlocking,
                                         priority == Priority::High ? greatest : least));
  try {
    // Now and not at the first product: the workspace is part of the memory budget, and an
    // allocation in the middle of a run would wait for all streams.
    if (use == Use::Everything) {
      blas_ = std::make_unique<BlasContext>(stream_);
      solver_words_ = device.allocate(kSolverWords * sizeof(std::uint64_t));
      HPCX_CHECK(gpuMemsetAsync(solver_words_.as<void>(), 0xff, solver_words_.bytes(), stream_));
    }
    device.add_failure(failure_);
  } catch (...) {
    static_cast<void>(gpuStreamDestroy(stream_));
    throw;
  }
}

GpuStream::~GpuStream() {
  static_cast<void>(gpuSetDevice(device_.index()));
  static_cast<void>(gpuStreamSynchronize(stream_));  // its work may use what the owner frees next
  blas_.reset();
  static_cast<void>(gpuStreamDestroy(stream_));
}

Device& GpuStream::device() const {
  return device_;
}

int GpuStream::device_index() const {
  return device_.index();
}

Event GpuStream::record() {
  HPCX_CHECK(gpuSetDevice(device_.index()));
  return Event(std::make_shared<GpuEvent>(device_.events(), failure_, stream_));
}

void GpuStream::wait(const Event& event) {
  HPCX_CHECK(gpuSetDevice(device_.index()));
  const auto& state = static_cast<const GpuEvent&>(*event.state());
  HPCX_CHECK(gpuStreamWaitEvent(stream_, state.native(), 0));
}

// By an event rather than gpuStreamSynchronize: the event's flag makes the thread sleep whatever
// the process has set for its device.
void GpuStream::synchronize() {
  record().synchronize();
}

void GpuStream::copy_2d(const StridedCopy& lines) {
  if (lines.width == 0 || lines.height == 0) return;
  const bool gapless = lines.source_pitch == lines.width && lines.destination_pitch == lines.width;
  const std::size_t bytes = lines.width * lines.height;
  if (gapless && lines.height > 1)
    return copy_2d({lines.destination, bytes, lines.source, bytes, bytes, 1});
  HPCX_CHECK(gpuSetDevice(device_.index()));
  const auto to = memory_of(device_, lines.destination, extent(lines, lines.destination_pitch));
  const auto from = memory_of(device_, lines.source, extent(lines, lines.source_pitch));
  const bool by_kernel = bytes <= kSmallCopyBytes && to.memory != from.memory &&
                         to.on_device != nullptr && from.on_device != nullptr;
  if (by_kernel) {
    StridedCopy seen_by_device = lines;
    seen_by_device.destination = to.on_device;
    seen_by_device.source = from.on_device;
    launch_small_copy(stream_, seen_by_device);
  } else if (lines.height == 1) {
    HPCX_CHECK(gpuMemcpyAsync(lines.destination, lines.source, bytes, gpuMemcpyDefault, stream_));
  } else {
    HPCX_CHECK(gpuMemcpy2DAsync(lines.destination, lines.destination_pitch, lines.source,
                                lines.source_pitch, lines.width, lines.height, gpuMemcpyDefault,
                                stream_));
  }
  device_.copies().add(to.memory, from.memory, bytes);
}

void GpuStream::host_task(std::function<void()> task) {
  HPCX_CHECK(gpuSetDevice(device_.index()));
  auto job = std::make_unique<HostTask>(HostTask{std::move(task), failure_});
  HPCX_CHECK(gpuLaunchHostFunc(stream_, run_host_task, job.get()));
  static_cast<void>(job.release());
}

GpuStream& activate(StreamRef stream) {
  auto& state = static_cast<GpuStream&>(stream.state());
  HPCX_CHECK(gpuSetDevice(state.device_index()));
  return state;
}

gpuStream_t native(StreamRef stream) {
  return static_cast<GpuStream&>(stream.state()).native();
}

}  // namespace hpcx::HPCX_GPU_NAMESPACE
