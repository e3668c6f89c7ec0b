#pragma once

#include "hpl/job/setup/run_settings.h"
#include "support/cpu_device.h"
#include "support/forwarding_device.h"

namespace hpl::test {

/// What a GPU says of its memory, without one.
class GpuLikeDevice final : public ForwardingDevice {
 public:
  GpuLikeDevice() : GpuLikeDevice(open_cpu(1)) {}

  bool shares_host_memory() const override { return false; }
  std::int64_t stream_bytes() const override { return std::int64_t{32} << 20; }
  std::int64_t panel_solver_bytes(const hpcx::PanelSolverSpec& spec) const override {
    return spec.group_size * ((std::int64_t{1} << 20) + 1024 * spec.max_cols);
  }

 private:
  explicit GpuLikeDevice(std::unique_ptr<hpcx::Device> cpu)
      : ForwardingDevice(*cpu), cpu_(std::move(cpu)) {}

  std::unique_ptr<hpcx::Device> cpu_;
};

/// As choose_settings() makes them for GPUs.
inline RunSettings gpu_settings() {
  RunSettings settings;
  settings.stages.device_panel = true;
  settings.stages.schedule.chunk_columns = 32768;
  settings.stages.panel_compute_units = 32;
  settings.staged_messages = true;
  return settings;
}

}  // namespace hpl::test
