#include "cuda/cuda_mixed.h"
#include "cuda/mixed_numbers.h"
#include "gpu/triangle_solver.h"

namespace hpcx::gpu_cuda {

namespace {

/// An upper triangle, or a lower one with its rows and columns in reverse order: that is upper.
template <class T>
struct TurnedTriangle {
  using Element = T;
  using Real = float;
  const T* first;
  std::int64_t row_stride, col_stride, rows;
  bool by_rows, unit_diagonal;
  __device__ T operator()(std::int64_t i, std::int64_t j) const {
    return first[i * row_stride + j * col_stride];
  }
};

struct TurnedVector {
  float* first;
  std::int64_t stride;
  __device__ float& operator[](std::int64_t i) const { return first[i * stride]; }
};

}  // namespace

void CudaMixed::solve(StreamRef stream, Triangle triangle, MixedView t, float* x) {
  HPCX_ASSERT(t.rows == t.cols && t.rows < kSolverWords);
  if (t.rows == 0) return;
  GpuStream& state = activate(stream);
  const bool lower = triangle == Triangle::Lower;
  with_type(t.precision, [&]<class T>(std::type_identity<T>) {
    const auto stored = t.as<const T>();
    const std::int64_t last = t.rows - 1;
    const TurnedTriangle<T> turned{.first = stored.data + (lower ? stored.offset(last, last) : 0),
                                   .row_stride = (lower ? -1 : 1) * stored.row_stride(),
                                   .col_stride = (lower ? -1 : 1) * stored.col_stride(),
                                   .rows = t.rows,
                                   .by_rows = t.layout == Layout::RowMajor,
                                   .unit_diagonal = lower};
    triangle_solver::launch(state.native(), turned,
                            TurnedVector{x + (lower ? last : 0), lower ? -1 : 1},
                            state.solver_words());
  });
}

}  // namespace hpcx::gpu_cuda
