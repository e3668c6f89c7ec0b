#include "cpu/cpu_device.h"
#include "cpu/packed_product.h"
#include "cpu/tiling.h"

namespace hpcx::cpu {

namespace {

class CpuBlas final : public Blas {
 public:
  explicit CpuBlas(bool packs) : packs_(packs) {}

  void gemm(StreamRef stream, const MatrixProduct& product) override {
    if (packs_ && worth_packing(product))
      launch_packed(stream, product);
    else
      launch_gemm(stream, product);
  }

  void trsm(StreamRef stream, const TriangularView& t, MatrixView b) override {
    if (b.empty()) return;
    const std::int64_t depth = t.matrix.rows * t.matrix.rows;
    const Cut cols = tile({.cols = b.cols, .depth = depth}, thread_count(stream)).cols;
    launch(stream, cols.count, [=](std::int64_t part) {
      host::trsm(t, b.col_range(cols.begin(part), cols.length(part)));
    });
  }

  void gemv(StreamRef stream, const VectorProduct& p) override {
    if (p.y.size == 0) return;
    const Cut rows = tile({.rows = p.y.size, .depth = 64 * p.a.cols}, thread_count(stream)).rows;
    launch(stream, rows.count, [=](std::int64_t part) {
      const std::int64_t i = rows.begin(part), m = rows.length(part);
      host::gemv({p.alpha, p.a.row_range(i, m), p.x, p.beta, p.y.range(i, m)});
    });
  }

 private:
  bool packs_;
};

}  // namespace

std::unique_ptr<Blas> make_blas(bool packs) {
  return std::make_unique<CpuBlas>(packs);
}

}  // namespace hpcx::cpu
