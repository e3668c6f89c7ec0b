#include "gpu/blas.h"
#include "gpu/stream.h"
#include "gpu/triangle_solver.h"

namespace hpcx::HPCX_GPU_NAMESPACE {

namespace {

struct StoredUpper {
  using Element = double;
  using Real = double;
  static constexpr bool unit_diagonal = false;
  ConstMatrixView stored;
  std::int64_t rows;
  bool by_rows;
  __device__ double operator()(std::int64_t i, std::int64_t j) const { return stored(i, j); }
};

}  // namespace

bool solve_upper(StreamRef stream, ConstMatrixView u, MatrixView x) {
  GpuStream& state = activate(stream);
  if (u.rows >= kSolverWords || x.cols != 1) return false;
  triangle_solver::launch(state.native(), StoredUpper{u, u.rows, u.layout == Layout::RowMajor},
                          column(x, 0), state.solver_words());
  return true;
}

}  // namespace hpcx::HPCX_GPU_NAMESPACE
