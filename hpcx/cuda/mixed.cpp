#include <algorithm>

#include "cuda/cuda_mixed.h"
#include "cuda/mixed_diagonal.h"
#include "gpu/check.h"
#include "gpu/vendor_parts.h"
#include "hpcx/device.h"
#include "hpcx/error.h"

namespace hpcx::gpu_cuda {

namespace {

/// All products of the batch; the views are the first one's.
void gemm_batch(BlasContext& blas, const GemmBatch& batch, const MixedProduct& product) {
  const auto& [alpha, a, b, beta, c] = product;
  HPCX_ASSERT(product.fits() && a.precision == b.precision);
  if (c.layout == Layout::RowMajor)
    return gemm_batch(blas, batch.transposed(), product.transposed());
  if (c.empty() || batch.count == 0) return;
  blas.gemm({.m = c.rows,
             .n = c.cols,
             .k = a.cols,
             .alpha = alpha,
             .operands = a.precision,
             .a = operand(a, batch.stride_a),
             .b = operand(b, batch.stride_b),
             .beta = beta,
             .result = c.precision,
             .c = c.data,
             .ldc = leading_dimension(c),
             .batch_stride_c = batch.stride_c,
             .batch = batch.count});
}

/// The squares of a factorization as views.
struct Squares {
  MixedView matrix, lower, upper;

  explicit Squares(const diagonal::Workspace& work)
      : matrix(square(work.matrix, work.edge, Layout::ColumnMajor)),
        lower(square(work.lower, work.edge, Layout::ColumnMajor)),
        upper(square(work.upper, work.edge, Layout::RowMajor)) {}

 private:
  static MixedView square(float* data, std::int64_t edge, Layout layout) {
    return {data, Precision::Fp32, edge, edge, edge, layout};
  }
};

/// matrix = L U, right-looking: L and U beside the base blocks go to `lower` and `upper`.
void factorize(cudaStream_t stream, BlasContext& blas, const diagonal::Workspace& work,
               DiagonalResult* result) {
  const Squares at(work);
  constexpr std::int64_t kBase = diagonal::kBase;
  for (std::int64_t k = 0; k < work.edge; k += kBase) {
    diagonal::launch_base(stream, work, k, result);
    const std::int64_t next = k + kBase, rest = work.edge - next;
    const MixedView l21 = at.lower.block(next, k, rest, kBase);
    const MixedView u12 = at.upper.block(k, next, kBase, rest);
    // L21 = A21 U11^-1, U12 = L11^-1 A12, A22 -= L21 U12
    gemm_batch(
        blas, {},
        {1, at.matrix.block(next, k, rest, kBase), at.upper.block(k, k, kBase, kBase), 0, l21});
    gemm_batch(
        blas, {},
        {1, at.lower.block(k, k, kBase, kBase), at.matrix.block(k, next, kBase, rest), 0, u12});
    gemm_batch(blas, {}, {-1, l21, u12, 1, at.matrix.block(next, next, rest, rest)});
  }
}

/// Completes diagonal blocks of lower^-1 and upper^-1, each of two neighbours already inverted:
/// X21 = -X22 (L21 X11), in place of L21. The first block of `lower` is at `first`, its parts have
/// `size` and `rest` rows; there are `count` of them in all, `stride` apart, of which `upper`, seen
/// by columns, has half.
struct Pairs {
  std::int64_t first, size, rest, count, stride;
};
void join(BlasContext& blas, const diagonal::Workspace& work, const Pairs& pairs) {
  const auto& [first, size, rest, count, stride] = pairs;
  const MixedView lower = Squares(work).lower;
  const std::int64_t second = first + size;
  const MixedView between{work.matrix, Precision::Fp32, rest, size, rest, Layout::ColumnMajor};
  const std::int64_t product_stride = rest * size;
  const MixedView x21 = lower.block(second, first, rest, size);
  gemm_batch(blas, {count, stride, stride, product_stride},
             {1, x21, lower.block(first, first, size, size), 0, between});
  gemm_batch(blas, {count, stride, product_stride, stride},
             {-1, lower.block(second, second, rest, rest), between, 0, x21});
}

/// lower := lower^-1 and upper := upper^-1, whose base blocks are inverted already.
void invert(BlasContext& blas, const diagonal::Workspace& work) {
  const std::int64_t n = work.edge, pair_stride = diagonal::Workspace::pair_stride(n);
  for (std::int64_t size = diagonal::kBase; size < n; size *= 2) {
    const std::int64_t block = 2 * size, pairs = n / block, rest = n - pairs * block;
    if (rest == 0) {
      // The blocks of `upper` follow those of `lower` at the same distance.
      join(blas, work, {0, size, size, 2 * pairs, block * (n + 1)});
      continue;
    }
    for (std::int64_t b = 0; b < pairs; ++b)
      join(blas, work, {b * block, size, size, 2, pair_stride});
    if (rest > size) join(blas, work, {pairs * block, size, rest - size, 2, pair_stride});
  }
}

}  // namespace

void CudaMixed::gemm(StreamRef stream, const MixedProduct& product) {
  GpuStream& state = activate(stream);
  if (product.a.cols > 0)
    gemm_batch(state.blas(), {}, product);
  else if (product.beta != 1)
    launch_scaled_copy(state.native(), product.beta, product.c, product.c);
}

void CudaMixed::leave_free(StreamRef stream, int compute_units) {
  const int all = stream.device().properties().compute_units;
  activate(stream).blas().use_compute_units(compute_units == 0 ? 0
                                                               : std::max(all - compute_units, 1));
}

void CudaMixed::factorize_diagonal(StreamRef stream, const DiagonalBlock& all) {
  const MixedView& block = all.block;
  HPCX_ASSERT(block.rows == block.cols && block.rows == all.inverse_lower.rows &&
              block.rows == all.inverse_upper.rows);
  if (block.empty()) return;
  GpuStream& state = activate(stream);
  const cudaStream_t native = state.native();
  const diagonal::Workspace work(all.workspace, block.rows);
  HPCX_CHECK(
      cudaMemsetAsync(work.lower, 0, static_cast<std::size_t>(work.inverse_bytes()), native));
  diagonal::launch_load(native, block, work, all.result);
  factorize(native, state.blas(), work, all.result);
  diagonal::launch_store(native, work, block);
  invert(state.blas(), work);
  diagonal::launch_scale(native, work, all.result);
  diagonal::launch_inverses(native, work, all);
}

std::unique_ptr<MixedPrecision> create_mixed_precision(int) {
  return std::make_unique<CudaMixed>();
}

}  // namespace hpcx::gpu_cuda
