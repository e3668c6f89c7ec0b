#include "cpu/cpu_device.h"
#include "cpu/tiling.h"

namespace hpcx::cpu {

namespace {

class CpuBlas final : public Blas {
 public:
  void gemm(StreamRef stream, double alpha, ConstMatrixView a, ConstMatrixView b, double beta,
            MatrixView c) override {
    launch_gemm(stream, alpha, a, b, beta, c);
  }

  void trsm(StreamRef stream, Triangle triangle, Diagonal diagonal, ConstMatrixView t,
            MatrixView b) override {
    if (b.empty()) return;
    const Cut cols = tile(1, b.cols, t.rows * t.rows, thread_count(stream)).cols;
    launch(stream, cols.count, [=](std::int64_t part) {
      host::trsm(triangle, diagonal, t, b.col_range(cols.begin(part), cols.length(part)));
    });
  }

  void gemv(StreamRef stream, double alpha, ConstMatrixView a, ConstVectorView x, double beta,
            VectorView y) override {
    if (y.size == 0) return;
    const Cut rows = tile(y.size, 1, 64 * a.cols, thread_count(stream)).rows;
    launch(stream, rows.count, [=](std::int64_t part) {
      const std::int64_t i = rows.begin(part), m = rows.length(part);
      host::gemv(alpha, a.row_range(i, m), x, beta, y.range(i, m));
    });
  }
};

}  // namespace

std::unique_ptr<Blas> make_blas() {
  return std::make_unique<CpuBlas>();
}

}  // namespace hpcx::cpu
