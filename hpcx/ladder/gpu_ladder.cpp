#include "gpu/kernels.h"

#include "gpu/stream.h"
#include "hpcx/device.h"
#include "hpcx/error.h"
#include "ladder/gpu_products.h"

namespace hpcx::HPCX_GPU_NAMESPACE {

namespace {

void library(StreamRef stream, const LadderProduct<double>& p) {
  stream.device().blas().gemm(stream, {1.0, p.a, p.b, 0.0, p.c});
}

void library(StreamRef stream, const LadderProduct<float>& p) {
  // C^T = B^T A^T, and the transposed of what is row-major is column-major.
  activate(stream).blas().gemm(SingleGemmCall{.m = p.c.cols,
                                              .n = p.c.rows,
                                              .k = p.a.cols,
                                              .a = p.b.data,
                                              .lda = p.b.ld,
                                              .b = p.a.data,
                                              .ldb = p.a.ld,
                                              .c = p.c.data,
                                              .ldc = p.c.ld});
}

template <class T>
void multiply_any(StreamRef stream, LadderRung rung, const LadderProduct<T>& p) {
  HPCX_ASSERT(p.a.rows == p.c.rows && p.b.cols == p.c.cols && p.a.cols == p.b.rows);
  HPCX_ASSERT(p.a.layout == Layout::RowMajor && p.b.layout == Layout::RowMajor &&
              p.c.layout == Layout::RowMajor);
  if (p.c.empty()) return;
  const DeviceProduct<T> product{.a = p.a.data,
                                 .b = p.b.data,
                                 .c = p.c.data,
                                 .lda = p.a.ld,
                                 .ldb = p.b.ld,
                                 .ldc = p.c.ld,
                                 .m = p.c.rows,
                                 .n = p.c.cols,
                                 .k = p.a.cols};
  switch (rung.kind) {
    case LadderKind::Elements:
      return multiply_elements(activate(stream).native(), rung.parameter, product);
    case LadderKind::Tiles:
      return multiply_tiles(activate(stream).native(), rung.parameter, product);
    case LadderKind::Library:
      // Zeros: what a library makes of operands without memory is its own affair.
      if (product.k == 0) return multiply_tiles(activate(stream).native(), 1, product);
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
  void multiply(StreamRef stream, LadderRung rung, const LadderProduct<double>& product) override {
    multiply_any(stream, rung, product);
  }
  void multiply(StreamRef stream, LadderRung rung, const LadderProduct<float>& product) override {
    multiply_any(stream, rung, product);
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
