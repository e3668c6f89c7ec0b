#pragma once

#include "hpcx/ladder.h"
#include "vendor.h"

namespace hpcx::HPCX_GPU_NAMESPACE {

/// The rungs of GPUs; their kernels are in hpcx/ladder.
class GpuLadder final : public Ladder {
 public:
  std::vector<LadderRung> rungs() const override;
  void multiply(StreamRef stream, LadderRung rung, const LadderProduct<double>& product) override;
  void multiply(StreamRef stream, LadderRung rung, const LadderProduct<float>& product) override;
  void tall_skinny_r(StreamRef stream, ConstMatrixView a, double* work, MatrixView r) override;
};

}  // namespace hpcx::HPCX_GPU_NAMESPACE
