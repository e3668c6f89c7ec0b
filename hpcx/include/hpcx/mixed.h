#pragma once

#include <cstddef>
#include <cstdint>

#include "hpcx/blas.h"
#include "hpcx/generator.h"
#include "hpcx/kernels.h"
#include "hpcx/matrix_view.h"
#include "hpcx/stream.h"

namespace hpcx {

/// Number formats of the mixed-precision LU, all with FP32 accumulation.
enum class Precision {
  Fp16,  ///< IEEE 754 binary16
  Bf16,  ///< bfloat16: no IEEE format
  Fp32
};
constexpr std::int64_t bytes_of(Precision precision) {
  return precision == Precision::Fp32 ? 4 : 2;
}

/// A matrix view whose element type is known at run time only.
struct MixedView {
  void* data = nullptr;
  Precision precision = Precision::Fp32;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t ld = 1;  ///< in elements, as of MatrixView
  Layout layout = Layout::RowMajor;

  constexpr bool empty() const { return rows == 0 || cols == 0; }
  MixedView block(std::int64_t i, std::int64_t j, std::int64_t block_rows,
                  std::int64_t block_cols) const {
    const std::int64_t offset = layout == Layout::ColumnMajor ? i + j * ld : i * ld + j;
    auto* const first =
        data == nullptr ? nullptr : static_cast<std::byte*>(data) + offset * bytes_of(precision);
    return {first, precision, block_rows, block_cols, ld, layout};
  }
  MixedView row_range(std::int64_t first, std::int64_t count) const {
    return block(first, 0, count, cols);
  }
  MixedView col_range(std::int64_t first, std::int64_t count) const {
    return block(0, first, rows, count);
  }
  constexpr MixedView transposed() const {
    return {data, precision,
            cols, rows,
            ld,   layout == Layout::ColumnMajor ? Layout::RowMajor : Layout::ColumnMajor};
  }
  /// The elements as a view of their type: T of the right size.
  template <class T>
  constexpr BasicMatrixView<T> as() const {
    return {static_cast<T*>(data), rows, cols, ld, layout};
  }
};

/// The matrix of a mixed-precision system in FP64: never stored, each element made when it is
/// needed. Row and column indices are global, from 0.
struct MixedMatrix {
  enum class Kind {
    Random,     ///< generator::value(form, state); the diagonal as `diagonal` or `shift` say
    FasiHigham  ///< product of two triangles of constants (Fasi and Higham 2021), indices from 1:
                ///< -alpha + alpha beta (j - 1) for i > j, 1 + alpha beta (i - 1) for i = j,
                ///< -beta + alpha beta (i - 1) for i < j
  };
  Kind kind = Kind::Random;
  std::int64_t order = 0;
  generator::Form form = generator::Form::Netlib;
  std::uint64_t seed = generator::kSeed;
  double shift = 0;                  ///< added to the diagonal
  const double* diagonal = nullptr;  ///< device memory, `order` numbers: in place of the diagonal
  double alpha = 0, beta = 0;        ///< of FasiHigham
};

/// A part of such a matrix by local blocks of its rows and columns.
struct MixedPart {
  MixedMatrix matrix{};
  IndexMap rows{}, cols{};
};
/// sums[i] += a sum over the first `cols` columns of row i, i < rows, in FP64. Its order is fixed:
/// the same bits whenever the arguments are the same on the same device.
struct MixedRowSums {
  MixedPart part{};
  std::int64_t rows = 0, cols = 0;
  double* sums = nullptr;
};

using MixedProduct = ProductOf<float, MixedView, MixedView>;
/// y := y + alpha A x, x and y in FP32.
struct MixedVectorProduct {
  float alpha = 1;
  MixedView a{};
  const float* x = nullptr;
  float* y = nullptr;
};

/// Outcome of the factorization of a diagonal block.
struct DiagonalResult {
  std::int64_t bad_column = -1;  ///< the first column whose pivot is zero or not finite; -1: none
  float scale = 1;               ///< power of two that U^-1 was multiplied by
  float reserved = 0;
};

/// A diagonal block to be factorized, and memory of the device for what comes of it.
struct DiagonalBlock {
  MixedView block{};
  void* workspace = nullptr;  ///< of diagonal_workspace_bytes()
  MixedView inverse_lower{}, inverse_upper{};
  DiagonalResult* result = nullptr;
};

/// Bytes of device memory that MixedPrecision::factorize_diagonal() works in: four squares in FP32,
/// whose edge is a whole number of base blocks.
constexpr std::int64_t diagonal_workspace_bytes(std::int64_t width) {
  constexpr std::int64_t kBase = 128;
  const std::int64_t edge = (width + kBase - 1) / kBase * kBase;
  return 4 * 4 * edge * edge;
}

/// Operations of the LU of HPL-MxP and of its refinement. All asynchronous in `stream`.
class MixedPrecision {
 public:
  virtual ~MixedPrecision() = default;

  /// tile(i, j) := factor A(rows(i), cols(j)), rounded to nearest, ties to even; `factor` is a
  /// power of two.
  virtual void generate(StreamRef stream, const MixedPart& part, double factor, MixedView tile) = 0;
  /// The terms are A(rows(i), cols(j)) x[cols(j)]; `x` has `order` numbers, by global column.
  virtual void multiply(StreamRef stream, const MixedRowSums& y, const double* x) = 0;
  /// The terms are |A(rows(i), cols(j))|. Without `diagonal` those with rows(i) = cols(j) are left
  /// out.
  virtual void row_sums(StreamRef stream, const MixedRowSums& sums, bool diagonal) = 0;

  /// destination := source in the precision of the destination, rounded to nearest; same shape and
  /// layout.
  virtual void convert(StreamRef stream, MixedView source, MixedView destination) = 0;
  /// With FP32 accumulation; A and B of one precision. C is of theirs or Fp32.
  virtual void gemm(StreamRef stream, const MixedProduct& product) = 0;

  /// block = L U without pivoting, in FP32 whatever the precision of `block`: writes L and U over
  /// the block (L unit lower, its diagonal not stored), L^-1 to `inverse_lower` and s U^-1 to
  /// `inverse_upper`, both whole squares whose other triangle is zero. s is the power of two that
  /// brings the largest column sum of |U^-1| into (1/2, 1]: so no element of A21 (s U^-1) is larger
  /// than the largest of A21, whatever its format. *result (device memory) tells s, and the first
  /// column without a pivot, from which on nothing that is written means anything.
  virtual void factorize_diagonal(StreamRef stream, const DiagonalBlock& all) = 0;

  /// Products that are enqueued in this stream from now on leave so many multiprocessors to other
  /// streams. Where a product's blocks stay until its end, nothing else would run beside it. No
  /// effect on devices that have none.
  virtual void leave_free(StreamRef /*stream*/, int /*compute_units*/) {}

  /// Reads A once.
  virtual void gemv(StreamRef stream, const MixedVectorProduct& product) = 0;
  /// x := T^-1 x in FP32, T square: its unit lower or its upper triangle.
  virtual void solve(StreamRef stream, Triangle triangle, MixedView t, float* x) = 0;
};

}  // namespace hpcx
