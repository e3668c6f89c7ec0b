#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include "cpu/clones.h"
#include "cpu/cpu_device.h"
#include "cpu/random_elements.h"
#include "cpu/tiling.h"
#include "cpu/triangles.h"
#include "hpcx/error.h"
#include "mixed/formats.h"

namespace hpcx::cpu {

namespace {

using FloatView = BasicMatrixView<float>;
using ConstFloatView = BasicMatrixView<const float>;

std::unique_ptr<float[]> float_room(std::int64_t count) {
  return std::make_unique_for_overwrite<float[]>(static_cast<std::size_t>(count));
}

// --- Number formats ------------------------------------------------------------------------------

HPCX_CLONES void fp16_to_float(const std::uint16_t* from, std::int64_t count, float* to) {
  for (std::int64_t i = 0; i < count; ++i)
    to[i] = formats::float_from_fp16(from[i]);
}
HPCX_CLONES void bf16_to_float(const std::uint16_t* from, std::int64_t count, float* to) {
  for (std::int64_t i = 0; i < count; ++i)
    to[i] = formats::float_from_bf16(from[i]);
}
HPCX_CLONES void float_to_fp16(const float* from, std::int64_t count, std::uint16_t* to) {
  for (std::int64_t i = 0; i < count; ++i)
    to[i] = formats::fp16_from(from[i]);
}
HPCX_CLONES void float_to_bf16(const float* from, std::int64_t count, std::uint16_t* to) {
  for (std::int64_t i = 0; i < count; ++i)
    to[i] = formats::bf16_from(from[i]);
}
/// to[i] := factor from[i] in FP32, or to odd for a second rounding.
HPCX_CLONES void double_to_float(const double* from, double factor, std::int64_t count, float* to) {
  for (std::int64_t i = 0; i < count; ++i)
    to[i] = static_cast<float>(factor * from[i]);
}
HPCX_CLONES void double_to_odd(const double* from, double factor, std::int64_t count, float* to) {
  for (std::int64_t i = 0; i < count; ++i)
    to[i] = formats::rounded_to_odd(factor * from[i]);
}

void widen(Precision precision, const void* from, std::int64_t count, float* to) {
  switch (precision) {
    case Precision::Fp16:
      return fp16_to_float(static_cast<const std::uint16_t*>(from), count, to);
    case Precision::Bf16:
      return bf16_to_float(static_cast<const std::uint16_t*>(from), count, to);
    case Precision::Fp32:
      std::copy_n(static_cast<const float*>(from), count, to);
  }
}

void narrow(const float* from, std::int64_t count, Precision precision, void* to) {
  switch (precision) {
    case Precision::Fp16:
      return float_to_fp16(from, count, static_cast<std::uint16_t*>(to));
    case Precision::Bf16:
      return float_to_bf16(from, count, static_cast<std::uint16_t*>(to));
    case Precision::Fp32:
      std::copy_n(from, count, static_cast<float*>(to));
  }
}

constexpr std::int64_t kChunk = 2048;  // elements that are converted at a time, in L1

void convert_line(MixedView from, MixedView to, std::int64_t count) {
  if (to.precision == Precision::Fp32)
    return widen(from.precision, from.data, count, static_cast<float*>(to.data));
  if (from.precision == Precision::Fp32)
    return narrow(static_cast<const float*>(from.data), count, to.precision, to.data);
  float chunk[kChunk];
  for (std::int64_t i = 0; i < count; i += kChunk) {
    const std::int64_t some = std::min(kChunk, count - i);
    widen(from.precision, static_cast<const std::uint16_t*>(from.data) + i, some, chunk);
    narrow(chunk, some, to.precision, static_cast<std::uint16_t*>(to.data) + i);
  }
}

/// In the calling thread: `count` lines of two matrices of the same layout.
void convert_lines(MixedView from, MixedView to, std::int64_t first, std::int64_t count) {
  const MixedView source = from.layout == Layout::RowMajor ? from : from.transposed();
  const MixedView destination = to.layout == Layout::RowMajor ? to : to.transposed();
  for (std::int64_t i = first; i < first + count; ++i)
    convert_line(source.row_range(i, 1), destination.row_range(i, 1), source.cols);
}

std::int64_t lines(MixedView a) {
  return a.layout == Layout::RowMajor ? a.rows : a.cols;
}

void convert_all(MixedView from, MixedView to) {
  convert_lines(from, to, 0, lines(from));
}

MixedView mixed(FloatView a) {
  return {a.data, Precision::Fp32, a.rows, a.cols, a.ld, a.layout};
}

/// A dense matrix of the shape and layout of `a` in `room`.
FloatView shaped_as(MixedView a, float* room) {
  const std::int64_t ld = a.layout == Layout::RowMajor ? a.cols : a.rows;
  return {room, a.rows, a.cols, std::max<std::int64_t>(ld, 1), a.layout};
}

/// `a` itself if it is in FP32, otherwise its copy in `room`.
ConstFloatView as_floats(MixedView a, float* room) {
  if (a.precision == Precision::Fp32) return a.as<const float>();
  const FloatView copy = shaped_as(a, room);
  convert_all(a, mixed(copy));
  return copy;
}

// --- Products and solves in 16 bits --------------------------------------------------------------

/// C := alpha A B + beta C in the calling thread, C rounded once.
void multiply_narrow(float alpha, MixedView a, MixedView b, float beta, MixedView c) {
  constexpr std::int64_t kDepth = 512;
  const std::int64_t depth = std::min(kDepth, a.cols);
  const auto room_a = float_room(a.rows * depth), room_b = float_room(depth * b.cols);
  const bool in_place = c.precision == Precision::Fp32;
  const auto room_c = float_room(in_place ? 0 : c.rows * c.cols);
  const FloatView sum = in_place ? c.as<float>() : shaped_as(c, room_c.get());
  if (!in_place && beta != 0) convert_all(c, mixed(sum));
  std::int64_t k = 0;
  do {
    const std::int64_t some = std::min(kDepth, a.cols - k);
    host::gemm(alpha, as_floats(a.col_range(k, some), room_a.get()),
               as_floats(b.row_range(k, some), room_b.get()), k == 0 ? beta : 1, sum);
    k += some;
  } while (k < a.cols);
  if (!in_place) convert_all(mixed(sum), c);
}

constexpr std::int64_t kStrip = 128, kStripCols = 512;

/// y += alpha A x in the calling thread.
void add_product(float alpha, MixedView a, const float* x, float* y) {
  const auto accumulate = [&](ConstFloatView part, std::int64_t i, std::int64_t j) {
    host::gemv(alpha, part, {x + j, part.cols, 1}, 1.0F, {y + i, part.rows, 1});
  };
  if (a.precision == Precision::Fp32) return accumulate(a.as<const float>(), 0, 0);
  const auto room = float_room(kStrip * kStripCols);
  for (std::int64_t i = 0; i < a.rows; i += kStrip)
    for (std::int64_t j = 0; j < a.cols; j += kStripCols)
      accumulate(
          as_floats(a.block(i, j, std::min(kStrip, a.rows - i), std::min(kStripCols, a.cols - j)),
                    room.get()),
          i, j);
}

/// x := T^-1 x in the calling thread, block after block.
void solve_triangle(Triangle triangle, MixedView t, float* x) {
  constexpr std::int64_t kBlock = 64;
  const auto room = float_room(kBlock * kBlock);
  const std::int64_t n = t.rows, blocks = (n + kBlock - 1) / kBlock;
  const bool lower = triangle == Triangle::Lower;
  for (std::int64_t step = 0; step < blocks; ++step) {
    const std::int64_t i = (lower ? step : blocks - 1 - step) * kBlock;
    const std::int64_t size = std::min(kBlock, n - i), end = i + size;
    const std::int64_t known = lower ? 0 : end, count = lower ? i : n - end;
    add_product(-1, t.block(i, known, size, count), x + known, x + i);
    host::trsm(triangle, lower ? Diagonal::Unit : Diagonal::NonUnit,
               as_floats(t.block(i, i, size, size), room.get()),
               FloatView{x + i, size, 1, size, Layout::ColumnMajor});
  }
}

// --- Diagonal blocks -----------------------------------------------------------------------------

/// Whether one may divide by it.
bool usable(float pivot) {
  return std::isfinite(pivot) && std::isfinite(1 / pivot);
}

/// a = L U, column-major; the first column whose pivot is not usable, or -1.
HPCX_CLONES std::int64_t factorize_small(float* a, std::int64_t ld, std::int64_t n) {
  for (std::int64_t k = 0; k < n; ++k) {
    float* const column = a + k * ld;
    if (!usable(column[k])) return k;
    for (std::int64_t i = k + 1; i < n; ++i)
      column[i] /= column[k];
    for (std::int64_t j = k + 1; j < n; ++j) {
      float* const other = a + j * ld;
      const float factor = other[k];
      for (std::int64_t i = k + 1; i < n; ++i)
        other[i] -= column[i] * factor;
    }
  }
  return -1;
}

/// The same of any size:
///
///     ( A11  A12 )     ( L11      ) ( U11  U12 )    U12 = L11^-1 A12, L21 = A21 U11^-1,
///     ( A21  A22 )  =  ( L21  L22 ) (      U22 ),   L22 U22 = A22 - L21 U12
std::int64_t factorize(FloatView a) {
  constexpr std::int64_t kSmall = 32;
  const std::int64_t n = a.rows;
  if (n <= kSmall) return factorize_small(a.data, a.ld, n);
  const std::int64_t half = (n / 2 + kSmall - 1) / kSmall * kSmall, rest = n - half;
  const FloatView a11 = a.block(0, 0, half, half), a12 = a.block(0, half, half, rest),
                  a21 = a.block(half, 0, rest, half), a22 = a.block(half, half, rest, rest);
  const std::int64_t bad = factorize(a11);
  if (bad >= 0) return bad;
  host::trsm(Triangle::Lower, Diagonal::Unit, a11, a12);
  host::trsm(Triangle::Lower, Diagonal::NonUnit, a11.transposed(), a21.transposed());
  host::gemm(-1.0F, a21, a12, 1.0F, a22);
  const std::int64_t later = factorize(a22);
  return later < 0 ? later : half + later;
}

/// The power of two that brings the largest column sum of |a| into (1/2, 1].
float unit_scale(ConstFloatView a) {
  double largest = 0;
  for (std::int64_t j = 0; j < a.cols; ++j) {
    double sum = 0;
    for (std::int64_t i = 0; i < a.rows; ++i)
      sum += std::abs(static_cast<double>(a(i, j)));
    largest = std::max(largest, sum);
  }
  int exponent = 0;
  const double mantissa = std::frexp(largest, &exponent);
  return std::ldexp(1.0F, std::clamp(mantissa == 0.5 ? 1 - exponent : -exponent, -126, 127));
}

// --- Matrices ------------------------------------------------------------------------------------

/// Elements of a MixedMatrix, in this thread.
class Elements {
 public:
  explicit Elements(const MixedMatrix& matrix)
      : matrix_(matrix),
        sequence_{matrix.order, matrix.seed},
        random_(matrix.form),
        product_(matrix.alpha * matrix.beta) {}

  bool is_random() const { return matrix_.kind == MixedMatrix::Kind::Random; }
  const Sequence& sequence() const { return sequence_; }
  ElementOf random() const { return random_; }

  /// The element whose row and column are `index`, given the random one there.
  double diagonal(std::int64_t index, double random) const {
    if (!is_random()) return 1 + product_ * static_cast<double>(index);
    return matrix_.diagonal != nullptr ? matrix_.diagonal[index] : random + matrix_.shift;
  }
  /// Of Fasi and Higham beside the diagonal.
  double below(std::int64_t col) const {
    return -matrix_.alpha + product_ * static_cast<double>(col);
  }
  double above(std::int64_t row) const {
    return -matrix_.beta + product_ * static_cast<double>(row);
  }

  /// `count` elements from (row, col) on, down the column or along the row, to `out`.
  void run(std::int64_t row, std::int64_t col, bool along_row, std::int64_t count,
           double* out) const {
    if (is_random()) {
      generate_run(random_, sequence_.state(row, col),
                   along_row ? sequence_.jump(0, 1) : sequence_.jump(1, 0), count, out);
    } else {
      for (std::int64_t k = 0; k < count; ++k) {
        const std::int64_t i = along_row ? row : row + k, j = along_row ? col + k : col;
        out[k] = i > j ? below(j) : above(i);
      }
    }
    const std::int64_t crossing = along_row ? row - col : col - row;
    if (crossing >= 0 && crossing < count)
      out[crossing] = diagonal(along_row ? row : col, out[crossing]);
  }

 private:
  MixedMatrix matrix_;
  Sequence sequence_;
  ElementOf random_;
  double product_;
};

/// kRowLanes rows of a MixedMatrix, column after column.
class RowGroup {
 public:
  RowGroup(const Elements& elements, IndexMap rows, std::int64_t first, std::int64_t count,
           std::int64_t first_col)
      : elements_(elements), count_(count) {
    for (std::int64_t l = 0; l < count; ++l) {
      rows_[l] = rows(first + l);
      const bool follows = l > 0 && rows_[l] == rows_[l - 1] + 1;
      states_[l] = follows ? elements.sequence().jump(1, 0)(states_[l - 1])
                           : elements.sequence().state(rows_[l], first_col);
    }
  }

  /// out[j kRowLanes + l] := element of row l in column `col` + j, j < columns.
  void columns(std::int64_t col, std::int64_t columns, double* out) {
    if (elements_.is_random())
      generate_columns(elements_.random(), states_, elements_.sequence().jump(0, 1), columns, out);
    else
      for (std::int64_t j = 0; j < columns; ++j)
        for (std::int64_t l = 0; l < count_; ++l)
          out[j * kRowLanes + l] =
              rows_[l] > col + j ? elements_.below(col + j) : elements_.above(rows_[l]);
    for_diagonal(col, columns, [&](std::int64_t l) {
      double& element = out[(rows_[l] - col) * kRowLanes + l];
      element = elements_.diagonal(rows_[l], element);
    });
  }
  void skip(generator::Jump jump) {
    for (std::uint64_t& state : states_)
      state = jump(state);
  }
  template <class Body>
  void for_diagonal(std::int64_t col, std::int64_t columns, Body body) const {
    if (rows_[count_ - 1] < col || rows_[0] >= col + columns) return;
    for (std::int64_t l = 0; l < count_; ++l)
      if (rows_[l] >= col && rows_[l] < col + columns) body(l);
  }
  std::int64_t row(std::int64_t l) const { return rows_[l]; }

 private:
  const Elements& elements_;
  std::int64_t count_;
  std::int64_t rows_[kRowLanes] = {};
  std::uint64_t states_[kRowLanes] = {};
};

/// sums[l] += elements[j kRowLanes + l] x[j], in the order of j.
HPCX_CLONES void add_columns(const double* elements, const double* x, std::int64_t columns,
                             double* sums) {
  constexpr std::int64_t kTogether = 16;  // whose sums fit in registers
  for (std::int64_t first = 0; first < kRowLanes; first += kTogether) {
    double sum[kTogether];
    std::copy_n(sums + first, kTogether, sum);
    for (std::int64_t j = 0; j < columns; ++j)
      for (std::int64_t l = 0; l < kTogether; ++l)
        sum[l] += elements[j * kRowLanes + first + l] * x[j];
    std::copy_n(sum, kTogether, sums + first);
  }
}

HPCX_CLONES void add_magnitudes(const double* elements, std::int64_t columns, double* sums) {
  for (std::int64_t j = 0; j < columns; ++j)
    for (std::int64_t l = 0; l < kRowLanes; ++l)
      sums[l] += std::abs(elements[j * kRowLanes + l]);
}

/// sums[i] += what add(group, elements, column, columns, sums of the group) adds up over all
/// columns.
template <class Add>
void launch_rows(StreamRef stream, const MixedMatrix& matrix, IndexMap rows, std::int64_t count,
                 IndexMap cols, std::int64_t columns, double* sums, Add add) {
  if (columns == 0) return;
  constexpr std::int64_t kColumns = 64;  // at a time, in L1
  const Elements elements(matrix);
  const generator::Jump next_block = elements.sequence().jump(0, cols.stride - cols.block);
  const auto run_group = [=](std::int64_t first) {
    const std::int64_t lanes = std::min(kRowLanes, count - first);
    RowGroup group(elements, rows, first, lanes, cols(0));
    double sum[kRowLanes] = {}, block[kColumns * kRowLanes] = {};
    for (std::int64_t j = 0; j < columns;) {
      const std::int64_t left = cols.block - j % cols.block;
      const std::int64_t some = std::min({kColumns, left, columns - j});
      group.columns(cols(j), some, block);
      add(group, block, cols(j), some, sum);
      if (some == left) group.skip(next_block);
      j += some;
    }
    for (std::int64_t l = 0; l < lanes; ++l)
      sums[first + l] += sum[l];
  };
  const std::int64_t groups = (count + kRowLanes - 1) / kRowLanes;
  launch_ranges(stream, groups, 8 * kRowLanes * columns,
                [=](std::int64_t first, std::int64_t some) {
                  for (std::int64_t g = first; g < first + some; ++g)
                    run_group(g * kRowLanes);
                });
}

class CpuMixedPrecision final : public MixedPrecision {
 public:
  void generate(StreamRef stream, const MixedMatrix& matrix, IndexMap rows, IndexMap cols,
                double factor, MixedView tile) override {
    if (tile.empty()) return;
    const Elements elements(matrix);
    const bool along_row = tile.layout == Layout::RowMajor;
    launch_runs(stream, rows, cols, tile.rows, tile.cols, tile.layout, bytes_of(tile.precision),
                [=](std::int64_t i, std::int64_t j, std::int64_t count) {
                  double exact[kChunk];
                  float rounded[kChunk];
                  for (std::int64_t k = 0; k < count; k += kChunk) {
                    const std::int64_t some = std::min(kChunk, count - k);
                    const std::int64_t row = along_row ? i : i + k, col = along_row ? j + k : j;
                    elements.run(rows(row), cols(col), along_row, some, exact);
                    if (tile.precision == Precision::Fp32)
                      double_to_float(exact, factor, some, rounded);
                    else
                      double_to_odd(exact, factor, some, rounded);
                    narrow(rounded, some, tile.precision, tile.block(row, col, 1, 1).data);
                  }
                });
  }

  void multiply(StreamRef stream, const MixedMatrix& matrix, IndexMap rows, std::int64_t count,
                IndexMap cols, std::int64_t columns, const double* x, double* y) override {
    launch_rows(stream, matrix, rows, count, cols, columns, y,
                [=](const RowGroup&, const double* block, std::int64_t col, std::int64_t some,
                    double* sum) { add_columns(block, x + col, some, sum); });
  }

  void row_sums(StreamRef stream, const MixedMatrix& matrix, IndexMap rows, std::int64_t count,
                IndexMap cols, std::int64_t columns, bool diagonal, double* sums) override {
    launch_rows(stream, matrix, rows, count, cols, columns, sums,
                [=](const RowGroup& group, double* block, std::int64_t col, std::int64_t some,
                    double* sum) {
                  if (!diagonal)
                    group.for_diagonal(col, some, [&](std::int64_t l) {
                      block[(group.row(l) - col) * kRowLanes + l] = 0;
                    });
                  add_magnitudes(block, some, sum);
                });
  }

  void convert(StreamRef stream, MixedView source, MixedView destination) override {
    HPCX_ASSERT(source.rows == destination.rows && source.cols == destination.cols &&
                source.layout == destination.layout);
    if (source.empty()) return;
    const std::int64_t line = source.rows * source.cols / lines(source);
    launch_ranges(stream, lines(source), 4 * line, [=](std::int64_t first, std::int64_t count) {
      convert_lines(source, destination, first, count);
    });
  }

  void gemm(StreamRef stream, float alpha, MixedView a, MixedView b, float beta,
            MixedView c) override {
    HPCX_ASSERT(a.precision == b.precision && a.rows == c.rows && b.cols == c.cols &&
                a.cols == b.rows);
    if (c.empty()) return;
    if (a.precision == Precision::Fp32 && c.precision == Precision::Fp32)
      return launch_gemm(stream, alpha, a.as<const float>(), b.as<const float>(), beta,
                         c.as<float>());
    constexpr std::int64_t kLargest = 1024;  // whose copies stay in the cache
    const Tiling tiling = tile(c.rows, c.cols, a.cols, thread_count(stream), kLargest);
    launch(stream, tiling.blocks(), [=](std::int64_t number) {
      const auto [i, m, j, n] = tiling.block(number);
      if (m == 0 || n == 0) return;
      multiply_narrow(alpha, a.row_range(i, m), b.col_range(j, n), beta, c.block(i, j, m, n));
    });
  }

  void factorize_diagonal(StreamRef stream, MixedView block, void* workspace,
                          MixedView inverse_lower, MixedView inverse_upper,
                          DiagonalResult* result) override {
    const std::int64_t n = block.rows;
    HPCX_ASSERT(block.cols == n);
    auto* const room = static_cast<float*>(workspace);
    const FloatView lu{room, n, n, std::max<std::int64_t>(n, 1), Layout::ColumnMajor};
    const FloatView by_block{room + n * n, n, n, lu.ld, block.layout};
    launch(stream, 1, [=](std::int64_t) {
      *result = {};
      convert_all(block, mixed(by_block));
      for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = 0; i < n; ++i)
          lu(i, j) = by_block(i, j);
      result->bad_column = factorize(lu);
      for (std::int64_t j = 0; j < n; ++j)
        for (std::int64_t i = 0; i < n; ++i)
          by_block(i, j) = lu(i, j);
      convert_all(mixed(by_block), block);
    });
    launch(stream, 2, [=](std::int64_t part) {
      if (result->bad_column >= 0) return;
      const bool upper = part == 1;
      const MixedView destination = upper ? inverse_upper : inverse_lower;
      const FloatView inverse = shaped_as(destination, room + (1 + part) * n * n);
      std::fill_n(inverse.data, n * n, 0.0F);
      if (upper) {
        invert_lower<float>(Diagonal::NonUnit, lu.transposed(), inverse.transposed());
        result->scale = unit_scale(inverse);
        for (std::int64_t k = 0; k < n * n; ++k)
          inverse.data[k] *= result->scale;
      } else {
        invert_lower<float>(Diagonal::Unit, lu, inverse);
      }
      convert_all(mixed(inverse), destination);
    });
  }

  void gemv(StreamRef stream, float alpha, MixedView a, const float* x, float* y) override {
    if (a.empty()) return;
    const Cut rows = tile(a.rows, 1, 64 * a.cols, thread_count(stream)).rows;
    launch(stream, rows.count, [=](std::int64_t part) {
      const std::int64_t i = rows.begin(part), m = rows.length(part);
      add_product(alpha, a.row_range(i, m), x, y + i);
    });
  }

  void solve(StreamRef stream, Triangle triangle, MixedView t, float* x) override {
    HPCX_ASSERT(t.rows == t.cols);
    launch(stream, t.empty() ? 0 : 1, [=](std::int64_t) { solve_triangle(triangle, t, x); });
  }
};

}  // namespace

std::unique_ptr<MixedPrecision> make_mixed_precision() {
  return std::make_unique<CpuMixedPrecision>();
}

}  // namespace hpcx::cpu
