#include "gpu/panel_solver.h"

#include <memory>

#include "gpu/check.h"
#include "gpu/panel_factorizer.h"
#include "gpu/stream.h"
#include "hpcx/error.h"

namespace hpcx::HPCX_GPU_NAMESPACE {
namespace {

class GpuPanelSolver final : public PanelSolver {
 public:
  GpuPanelSolver(Device& device, const PanelSolverSpec& spec)
      : spec_(spec),
        exchange_(device.allocate(kExchangeBytes)),
        factorizer_(make_panel_tuning(spec.compute_units, device.properties().compute_units),
                    exchange_.as<std::uint64_t>()) {
    const Stream stream = device.create_stream(Priority::Normal);
    HPCX_CHECK(gpuMemsetAsync(exchange_.as<void>(), 0, kExchangeBytes, native(stream)));
    stream.ref().synchronize();
  }

  void factorize(StreamRef stream, MatrixView panel, std::int64_t* pivots,
                 std::int64_t* zero_column) override {
    HPCX_ASSERT(panel.rows <= spec_.max_rows && panel.cols <= spec_.max_cols);
    activate(stream);
    factorizer_.factorize(native(stream),
                          {.matrix = panel, .pivots = pivots, .zero_column = zero_column},
                          [stream](MatrixView c, ConstMatrixView a, ConstMatrixView b) {
                            stream.device().blas().gemm(stream, -1.0, a, b, 1.0, c);
                          });
  }

 private:
  PanelSolverSpec spec_;
  Buffer exchange_;
  PanelFactorizer factorizer_;
};

}  // namespace

std::unique_ptr<PanelSolver> create_panel_solver(Device& device, const PanelSolverSpec& spec) {
  return std::make_unique<GpuPanelSolver>(device, spec);
}

}  // namespace hpcx::HPCX_GPU_NAMESPACE
