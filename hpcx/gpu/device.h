#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "gpu/blas.h"
#include "gpu/blas_calls.h"
#include "gpu/event.h"
#include "gpu/host_pool.h"
#include "gpu/interconnect.h"
#include "gpu/kernels.h"
#include "gpu/known_memory.h"
#include "gpu/vendor_parts.h"
#include "hpcx/device.h"
#include "vendor.h"

namespace hpcx::HPCX_GPU_NAMESPACE {

/// Properties of a device that are known without using it.
DeviceProperties properties_of(int index);
std::string device_label(int index);    ///< "cuda device 0"
std::string version_text(int version);  ///< of a driver or runtime: "13.0"

/// One GPU. Streams and buffers must be gone before it; events may outlive it.
class GpuDevice final : public Device {
 public:
  /// Throws Error in words when the device cannot be used by this process.
  GpuDevice(int index, const CpuOptions& host);

  const DeviceProperties& properties() const override { return properties_; }
  MemoryInfo memory() const override;
  bool shares_host_memory() const override { return false; }
  Buffer allocate(std::size_t bytes) override;
  Buffer allocate_pinned(std::size_t bytes) override;
  HostRegistration register_host(void* data, std::size_t bytes) override;
  Stream create_stream(Priority priority) override;
  Stream create_copy_stream() override;
  std::int64_t stream_bytes() const override {
    return BlasContext::workspace_bytes() +
           kSolverWords * static_cast<std::int64_t>(sizeof(std::uint64_t));
  }
  CopiedBytes copied() const override { return copies_.total(); }
  void synchronize() override;
  void parallel_for(std::int64_t count, const std::function<void(std::int64_t)>& body) override;
  Blas& blas() override { return blas_; }
  Kernels& kernels() override { return kernels_; }
  Emulation* emulation() override { return emulation_.get(); }
  MixedPrecision* mixed_precision() override { return mixed_precision_.get(); }
  Telemetry& telemetry() override { return *telemetry_; }
  std::unique_ptr<PanelSolver> create_panel_solver(const PanelSolverSpec& spec) override;
  std::int64_t panel_solver_bytes(const PanelSolverSpec& spec) const override;
  StartTimes start_times() const override { return start_times_; }
  Interconnect* interconnect() override { return &interconnect_; }

  int index() const { return properties_.index; }
  const std::shared_ptr<EventPool>& events() const { return events_; }
  CopyCounter& copies() { return copies_; }
  /// Memory that the device has allocated and pinned.
  const KnownMemory& known_memory() const { return *known_memory_; }
  /// Registers what synchronize() has to report.
  void add_failure(std::weak_ptr<const Failure> failure);

 private:
  StartTimes start_times_;
  DeviceProperties properties_;
  std::shared_ptr<EventPool> events_;
  std::mutex failures_mutex_;
  std::vector<std::weak_ptr<const Failure>> failures_;
  CopyCounter copies_;
  std::shared_ptr<KnownMemory> known_memory_ = std::make_shared<KnownMemory>();
  GpuBlas blas_;
  GpuKernels kernels_;
  GpuInterconnect interconnect_;
  std::unique_ptr<Emulation> emulation_;
  std::unique_ptr<MixedPrecision> mixed_precision_;
  std::unique_ptr<Telemetry> telemetry_;
  HostPool host_pool_;
};

}  // namespace hpcx::HPCX_GPU_NAMESPACE
