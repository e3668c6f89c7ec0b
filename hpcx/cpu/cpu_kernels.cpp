#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "cpu/clones.h"
#include "cpu/cpu_device.h"
#include "cpu/random_elements.h"
#include "cpu/triangles.h"
#include "hpcx/error.h"

namespace hpcx::cpu {

namespace {

using Vector = double __attribute__((vector_size(4 * sizeof(double))));

/// The 4 x 4 transposition in registers.
inline __attribute__((always_inline)) void transpose_4x4(const double* a, std::int64_t lda,
                                                         double* b, std::int64_t ldb) {
  Vector c[4];
  for (int j = 0; j < 4; ++j)
    std::memcpy(&c[j], a + j * lda, sizeof(Vector));  // from any address: one load
  const Vector e0 = __builtin_shufflevector(c[0], c[1], 0, 4, 2, 6);
  const Vector o0 = __builtin_shufflevector(c[0], c[1], 1, 5, 3, 7);
  const Vector e1 = __builtin_shufflevector(c[2], c[3], 0, 4, 2, 6);
  const Vector o1 = __builtin_shufflevector(c[2], c[3], 1, 5, 3, 7);
  const Vector r[4] = {
      __builtin_shufflevector(e0, e1, 0, 1, 4, 5), __builtin_shufflevector(o0, o1, 0, 1, 4, 5),
      __builtin_shufflevector(e0, e1, 2, 3, 6, 7), __builtin_shufflevector(o0, o1, 2, 3, 6, 7)};
  for (int i = 0; i < 4; ++i)
    std::memcpy(b + i * ldb, &r[i], sizeof(Vector));
}

/// b(j, i) := a(i, j) for column-major a (m x n) and b (n x m). `next` columns of a are fetched
/// into the cache meanwhile: they lie on other pages, where the hardware does not look.
HPCX_CLONES void transpose_strip(ConstMatrixView source, MatrixView destination,
                                 std::int64_t next) {
  const double* const a = source.data;
  double* const b = destination.data;
  const std::int64_t m = source.rows, n = source.cols, lda = source.ld, ldb = destination.ld;
  constexpr std::int64_t kEdge = 4, kLine = 8;
  std::int64_t i = 0;
  for (; i + kEdge <= m; i += kEdge) {
    if (i % kLine == 0)
      for (std::int64_t j = 0; j < next; ++j)
        __builtin_prefetch(a + (n + j) * lda + i);
    std::int64_t j = 0;
    for (; j + kEdge <= n; j += kEdge)
      transpose_4x4(a + j * lda + i, lda, b + i * ldb + j, ldb);
    for (; j < n; ++j)
      for (std::int64_t ii = i; ii < i + kEdge; ++ii)
        b[ii * ldb + j] = a[j * lda + ii];
  }
  for (; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j)
      b[i * ldb + j] = a[j * lda + i];
}

HPCX_CLONES double sum_of_magnitudes(const double* x, std::int64_t count, std::int64_t stride) {
  double sum = 0;
  for (std::int64_t i = 0; i < count; ++i)
    sum += std::abs(x[i * stride]);
  return sum;
}

void copy_row(ConstMatrixView source, std::int64_t i, MatrixView destination, std::int64_t k) {
  if (source.layout == Layout::RowMajor && destination.layout == Layout::RowMajor) {
    std::memcpy(&destination(k, 0), &source(i, 0), sizeof(double) * destination.cols);
  } else {
    for (std::int64_t j = 0; j < destination.cols; ++j)
      destination(k, j) = source(i, j);
  }
}

class CpuKernels final : public Kernels {
 public:
  void generate(StreamRef stream, const GlobalPart& part, MatrixView tile) override {
    if (tile.empty()) return;
    const Sequence sequence{part.order, generator::kSeed};
    const bool by_rows = tile.layout == Layout::RowMajor;
    const generator::Jump next = by_rows ? sequence.jump(0, 1) : sequence.jump(1, 0);
    const ElementOf element(generator::Form::Netlib);
    launch_runs(stream, part, tile, [=](std::int64_t i, std::int64_t j, std::int64_t count) {
      generate_run(element, sequence.state(part.rows(i), part.cols(j)), next, {&tile(i, j), count});
    });
  }

  void fill(StreamRef stream, double value, MatrixView destination) override {
    const MatrixView d =
        destination.layout == Layout::RowMajor ? destination.transposed() : destination;
    launch_ranges(stream, d.cols, 8 * d.rows, [=](std::int64_t first, std::int64_t count) {
      for (std::int64_t j = first; j < first + count; ++j)
        std::fill_n(d.data + j * d.ld, d.rows, value);
    });
  }

  void copy(StreamRef stream, ConstMatrixView source, MatrixView destination) override {
    HPCX_ASSERT(source.rows == destination.rows && source.cols == destination.cols);
    if (source.empty()) return;
    if (source.layout == destination.layout) {
      const bool by_rows = source.layout == Layout::RowMajor;
      const std::int64_t length = by_rows ? source.cols : source.rows;
      launch_ranges(stream, by_rows ? source.rows : source.cols, 8 * length,
                    [=](std::int64_t first, std::int64_t count) {
                      for (std::int64_t k = first; k < first + count; ++k)
                        std::memcpy(destination.data + k * destination.ld,
                                    source.data + k * source.ld, sizeof(double) * length);
                    });
      return;
    }
    // Seen column-major, the source is m x n and the destination its transposed: a strip of a few
    // columns of the source after the other, which are whole cache lines of the destination.
    const bool flip = source.layout == Layout::RowMajor;
    const std::int64_t m = flip ? source.cols : source.rows, n = flip ? source.rows : source.cols;
    constexpr std::int64_t kStrip = 16;
    launch_ranges(stream, (n + kStrip - 1) / kStrip, 8 * kStrip * m,
                  [=](std::int64_t first, std::int64_t count) {
                    const std::int64_t end = std::min(n, (first + count) * kStrip);
                    for (std::int64_t j = first * kStrip; j < end; j += kStrip) {
                      const std::int64_t width = std::min(kStrip, end - j);
                      transpose_strip({source.data + j * source.ld, m, width, source.ld},
                                      {destination.data + j, width, m, destination.ld},
                                      std::min(kStrip, end - j - width));
                    }
                  });
  }

  void move_rows(StreamRef stream, const RowMoves& moves) override {
    const auto place = [](const std::int64_t* list, std::int64_t i) {
      return list != nullptr ? list[i] : i;
    };
    launch_ranges(stream, moves.count, 8 * moves.destination.cols,
                  [=](std::int64_t first, std::int64_t count) {
                    for (std::int64_t i = first; i < first + count; ++i)
                      copy_row(moves.source, place(moves.source_rows, i), moves.destination,
                               place(moves.destination_rows, i));
                  });
  }

  void invert_unit_lower(StreamRef stream, ConstMatrixView lower, MatrixView inverse) override {
    HPCX_ASSERT(lower.rows == lower.cols && lower.rows == inverse.rows &&
                inverse.rows == inverse.cols);
    fill(stream, 0.0, inverse);
    launch(stream, inverse.empty() ? 0 : 1,
           [=](std::int64_t) { invert_lower(Diagonal::Unit, lower, inverse); });
  }

  void row_sums(StreamRef stream, ConstMatrixView a, double* sums) override {
    if (a.layout == Layout::ColumnMajor) return sums_across(stream, a.transposed(), sums);
    sums_along(stream, a, sums);
  }

  void column_sums(StreamRef stream, ConstMatrixView a, double* sums) override {
    row_sums(stream, a.transposed(), sums);
  }

 private:
  /// Row sums of a row-major matrix: every row is contiguous.
  static void sums_along(StreamRef stream, ConstMatrixView a, double* sums) {
    launch_ranges(stream, a.rows, 8 * a.cols, [=](std::int64_t first, std::int64_t count) {
      for (std::int64_t i = first; i < first + count; ++i)
        sums[i] = sum_of_magnitudes(&a(i, 0), a.cols, 1);
    });
  }

  /// Column sums of a row-major matrix: strips of columns, row after row.
  static void sums_across(StreamRef stream, ConstMatrixView a, double* sums) {
    launch_ranges(stream, a.cols, 512, [=](std::int64_t first, std::int64_t count) {
      std::fill_n(sums + first, count, 0.0);
      for (std::int64_t i = 0; i < a.rows; ++i)
        for (std::int64_t j = first; j < first + count; ++j)
          sums[j] += std::abs(a(i, j));
    });
  }
};

}  // namespace

std::unique_ptr<Kernels> make_kernels() {
  return std::make_unique<CpuKernels>();
}

}  // namespace hpcx::cpu
