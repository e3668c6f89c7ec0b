#include <algorithm>
#include <cmath>

#include "cpu/clones.h"
#include "cpu/cpu_device.h"
#include "cpu/cpu_mixed.h"
#include "cpu/mixed_conversions.h"
#include "cpu/tiling.h"
#include "cpu/triangles.h"
#include "hpcx/error.h"

namespace hpcx::cpu {

namespace {

// --- Products and solves in 16 bits --------------------------------------------------------------

/// C := alpha A B + beta C in the calling thread, C rounded once.
void multiply_narrow(const MixedProduct& product) {
  const auto& [alpha, a, b, beta, c] = product;
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
    host::gemm({alpha, as_floats(a.col_range(k, some), room_a.get()),
                as_floats(b.row_range(k, some), room_b.get()), k == 0 ? beta : 1, sum});
    k += some;
  } while (k < a.cols);
  if (!in_place) convert_all(mixed(sum), c);
}

constexpr std::int64_t kStrip = 128, kStripCols = 512;

/// In the calling thread.
void add_product(const MixedVectorProduct& product) {
  const MixedView& a = product.a;
  const auto accumulate = [&](ConstFloatView part, std::int64_t i, std::int64_t j) {
    host::gemv({product.alpha, part, {product.x + j, part.cols}, 1.0F, {product.y + i, part.rows}});
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
    add_product({-1, t.block(i, known, size, count), x + known, x + i});
    host::trsm({triangle, lower ? Diagonal::Unit : Diagonal::NonUnit,
                as_floats(t.block(i, i, size, size), room.get())},
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
  host::trsm({Triangle::Lower, Diagonal::Unit, a11}, a12);
  host::trsm({Triangle::Lower, Diagonal::NonUnit, a11.transposed()}, a21.transposed());
  host::gemm({-1.0F, a21, a12, 1.0F, a22});
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

}  // namespace

void CpuMixed::convert(StreamRef stream, MixedView source, MixedView destination) {
  HPCX_ASSERT(source.rows == destination.rows && source.cols == destination.cols &&
              source.layout == destination.layout);
  if (source.empty()) return;
  const std::int64_t line = source.rows * source.cols / lines(source);
  launch_ranges(stream, lines(source), 4 * line, [=](std::int64_t first, std::int64_t count) {
    convert_lines(source, destination, first, count);
  });
}

void CpuMixed::gemm(StreamRef stream, const MixedProduct& product) {
  const auto& [alpha, a, b, beta, c] = product;
  HPCX_ASSERT(a.precision == b.precision && product.fits());
  if (a.precision == Precision::Fp32 && c.precision == Precision::Fp32)
    return launch_gemm<float>(
        stream, {alpha, a.as<const float>(), b.as<const float>(), beta, c.as<float>()});
  constexpr std::int64_t kLargest = 1024;  // whose copies stay in the cache
  launch_tiles(stream, product, kLargest, multiply_narrow);
}

void CpuMixed::factorize_diagonal(StreamRef stream, const DiagonalBlock& all) {
  const MixedView block = all.block;
  DiagonalResult* const result = all.result;
  const std::int64_t n = block.rows;
  HPCX_ASSERT(block.cols == n);
  auto* const room = static_cast<float*>(all.workspace);
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
    const MixedView destination = upper ? all.inverse_upper : all.inverse_lower;
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

void CpuMixed::gemv(StreamRef stream, const MixedVectorProduct& p) {
  if (p.a.empty()) return;
  const Cut rows = tile({.rows = p.a.rows, .depth = 64 * p.a.cols}, thread_count(stream)).rows;
  launch(stream, rows.count, [=](std::int64_t part) {
    const std::int64_t i = rows.begin(part), m = rows.length(part);
    add_product({p.alpha, p.a.row_range(i, m), p.x, p.y + i});
  });
}

void CpuMixed::solve(StreamRef stream, Triangle triangle, MixedView t, float* x) {
  HPCX_ASSERT(t.rows == t.cols);
  launch(stream, t.empty() ? 0 : 1, [=](std::int64_t) { solve_triangle(triangle, t, x); });
}

std::unique_ptr<MixedPrecision> make_mixed_precision() {
  return std::make_unique<CpuMixed>();
}

}  // namespace hpcx::cpu
