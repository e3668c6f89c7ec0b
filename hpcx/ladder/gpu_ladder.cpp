#include "gpu/kernels.h"

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
  activate(stream).blas().gemm(p);
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
  void tall_skinny_r(StreamRef stream, ConstMatrixView a, double* work, MatrixView r) override {
    HPCX_ASSERT(r.layout == Layout::ColumnMajor && r.rows == a.cols && r.cols == a.cols);
    const gpuStream_t native = activate(stream).native();
    const double* const last = for_each_tall_level(a, work, [&](TallSource source, double* out) {
      factorize_tall_leaves(native, source, out);
    });
    stream.device().kernels().copy(stream, {last, a.cols, a.cols, a.cols}, r);
  }
};

}  // namespace

std::unique_ptr<Ladder> make_ladder() {
  return std::make_unique<GpuLadder>();
}

}  // namespace hpcx::HPCX_GPU_NAMESPACE
