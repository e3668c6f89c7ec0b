#include "gpu/blas_calls.h"
#include "gpu/stream.h"
#include "hpcx/device.h"
#include "hpcx/error.h"
#include "ladder/gpu_products.h"

namespace hpcx::HPCX_GPU_NAMESPACE {

namespace {

void library(StreamRef stream, const BasicProduct<double>& p) {
  stream.device().blas().gemm(stream, p);
}

void library(StreamRef stream, const BasicProduct<float>& p) {
  // C^T = B^T A^T, and the transposed of what is row-major is column-major.
  activate(stream).blas().gemm(MixedGemmCall{.m = p.c.cols,
                                             .n = p.c.rows,
                                             .k = p.a.cols,
                                             .a = {.data = p.b.data, .ld = p.b.ld},
                                             .b = {.data = p.a.data, .ld = p.a.ld},
                                             .beta = 0,
                                             .c = p.c.data,
                                             .ldc = p.c.ld});
}

template <class T>
void multiply_any(StreamRef stream, LadderRung rung, const BasicProduct<T>& p) {
  HPCX_ASSERT(is_plain(p));
  if (p.c.empty()) return;
  switch (rung.kind) {
    case LadderKind::Elements:
    case LadderKind::Tiles:
      return launch_product(activate(stream).native(), rung, p);
    case LadderKind::Library:
      // Zeros: what a library makes of operands without memory is its own affair.
      if (p.a.cols == 0) return multiply_any(stream, {LadderKind::Tiles, 1}, p);
      return library(stream, p);
    case LadderKind::Loops:
    case LadderKind::Simd:
    case LadderKind::Blocked:
    case LadderKind::Transposed:
      break;
  }
  throw Error("this rung of products is for hosts");
}

class GpuLadder final : public Ladder {
 public:
  std::vector<LadderRung> rungs() const override {
    std::vector<LadderRung> all;
    for (const int width : {4, 8, 16, 32})
      all.push_back({LadderKind::Elements, width});
    for (int stages = 1; stages <= kMostStages; ++stages)
      all.push_back({LadderKind::Tiles, stages});
    all.push_back({LadderKind::Library, 0});
    return all;
  }
  void multiply(StreamRef stream, LadderRung rung, const LadderProduct& product) override {
    std::visit([&](const auto& p) { multiply_any(stream, rung, p); }, product);
  }
};

}  // namespace

std::unique_ptr<Ladder> make_ladder() {
  return std::make_unique<GpuLadder>();
}

}  // namespace hpcx::HPCX_GPU_NAMESPACE
