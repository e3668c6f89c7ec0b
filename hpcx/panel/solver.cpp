#include <memory>
#include <optional>
#include <string>

#include "gpu/check.h"
#include "gpu/device.h"
#include "gpu/stream.h"
#include "hpcx/device.h"
#include "hpcx/error.h"
#include "panel/factorizer.h"
#include "panel/proxy.h"

namespace hpcx::HPCX_GPU_NAMESPACE {
namespace {

class GpuPanelSolver final : public PanelSolver {
 public:
  GpuPanelSolver(Device& device, const PanelSolverSpec& spec)
      : device_(device),
        spec_(spec),
        exchange_(device.allocate(kExchangeBytes)),
        factorizer_(tuning(spec, device.properties().compute_units),
                    exchange_.as<std::uint64_t>()) {
    mailbox_ = device.allocate(mailbox_bytes(spec));
    const Stream stream = device.create_stream(Priority::Normal);
    for (const Buffer* words : {&exchange_, &mailbox_})
      if (words->bytes() > 0)
        HPCX_CHECK(gpuMemsetAsync(words->as<void>(), 0, words->bytes(), native(stream)));
    stream.ref().synchronize();
  }

  void factorize(StreamRef stream, const Panel& panel) override {
    HPCX_ASSERT(panel.matrix.rows <= spec_.max_rows && panel.matrix.cols <= spec_.max_cols);
    activate(stream);
    factorizer_.factorize(stream, panel);
  }

  const Buffer& mailbox() const override { return mailbox_; }

  void connect(const PanelConnection& connection) override {
    HPCX_ASSERT(std::ssize(connection.mailboxes) <= spec_.group_size);
    if (connection.groups.size() > 1) proxy_.emplace(device_, connection, spec_.max_cols);
    factorizer_.connect(connection, proxy_ ? &*proxy_ : nullptr);
  }

  PanelProxy* proxy() override { return proxy_ ? &*proxy_ : nullptr; }

  void factorize_shared(StreamRef stream, const Panel& panel, const PanelPart& share) override {
    const MatrixView& a = panel.matrix;
    HPCX_ASSERT(share.most_rows <= spec_.max_rows && a.cols <= spec_.max_cols);
    activate(stream);
    // Top rows that wait for their contents take part in products and eliminations.
    if (!factorizer_.holds_top(share) && a.cols > 0)
      stream.device().kernels().fill(stream, 0.0, a.row_range(0, a.cols));
    factorizer_.factorize_shared(stream, panel, share);
  }

 private:
  static PanelTuning tuning(const PanelSolverSpec& spec, int multiprocessors) {
    HPCX_ASSERT(spec.group_size >= 1 && spec.group_size <= kMaxGroupMembers);
    HPCX_ASSERT(spec.group_size <= spec.members && spec.members <= kMaxTeamMembers);
    return spec.members > 1 ? make_team_tuning(spec.compute_units, multiprocessors)
                            : make_panel_tuning(spec.compute_units, multiprocessors);
  }

  Device& device_;
  PanelSolverSpec spec_;
  Buffer exchange_;
  Buffer mailbox_;
  std::optional<GpuPanelProxy> proxy_;
  PanelFactorizer factorizer_;
};

}  // namespace

// The device's own members for panels stand here, so that the device layer knows nothing of this
// folder.
std::unique_ptr<PanelSolver> GpuDevice::create_panel_solver(const PanelSolverSpec& spec) {
  HPCX_CHECK(gpuSetDevice(index()));
  return std::make_unique<GpuPanelSolver>(*this, spec);
}

std::int64_t GpuDevice::panel_solver_bytes(const PanelSolverSpec& spec) const {
  return gpu_panel_solver_bytes(spec);
}

}  // namespace hpcx::HPCX_GPU_NAMESPACE
