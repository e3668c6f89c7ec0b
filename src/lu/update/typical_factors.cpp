#include "typical_factors.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "hpcx/copy.h"
#include "hpcx/generator.h"

namespace hpl {

using hpcx::Layout;

namespace {

constexpr std::int64_t kOrder = 512;
/// L21 is kSize x kDepth, U12 kDepth x kSize: those of the second quarter's columns.
constexpr std::int64_t kSize = kOrder / 2, kDepth = kOrder / 4;

struct Factors {
  std::vector<double> l21;  ///< column by column
  std::vector<double> u12;  ///< row by row
};

/// The first half of the columns of the benchmark's matrix, by right-looking elimination with row
/// exchanges.
std::vector<double> half_factorized() {
  std::vector<double> memory(kOrder * kOrder);
  const hpcx::MatrixView a{memory.data(), kOrder, kOrder, kOrder, Layout::ColumnMajor};
  for (std::int64_t j = 0; j < kOrder; ++j)
    for (std::int64_t i = 0; i < kOrder; ++i)
      a(i, j) = hpcx::generator::value(hpcx::generator::state_of(
          kOrder, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j)));
  for (std::int64_t k = 0; k < kOrder / 2; ++k) {
    std::int64_t pivot = k;
    for (std::int64_t i = k + 1; i < kOrder; ++i)
      if (std::abs(a(i, k)) > std::abs(a(pivot, k))) pivot = i;
    for (std::int64_t j = 0; j < kOrder; ++j)
      std::swap(a(k, j), a(pivot, j));
    for (std::int64_t i = k + 1; i < kOrder; ++i)
      a(i, k) /= a(k, k);
    for (std::int64_t j = k + 1; j < kOrder; ++j)
      for (std::int64_t i = k + 1; i < kOrder; ++i)
        a(i, j) -= a(i, k) * a(k, j);
  }
  return memory;
}

Factors make_factors() {
  std::vector<double> memory = half_factorized();
  const hpcx::MatrixView a{memory.data(), kOrder, kOrder, kOrder, Layout::ColumnMajor};
  // The root of the mean square of U grows as the square root of the step: it is 9.8 in row 8192 of
  // order 14000.
  constexpr double kTypical = 10;
  double squares = 0;
  Factors factors;
  for (std::int64_t k = kDepth; k < 2 * kDepth; ++k)
    for (std::int64_t i = kSize; i < kOrder; ++i) {
      factors.l21.push_back(a(i, k));
      factors.u12.push_back(a(k, i));
      squares += a(k, i) * a(k, i);
    }
  const double scale = kTypical / std::sqrt(squares / (kDepth * kSize));
  for (double& u : factors.u12)
    u *= scale;
  return factors;
}

/// `sample` again and again.
void repeat(hpcx::StreamRef stream, hpcx::ConstMatrixView sample, hpcx::MatrixView destination) {
  for (std::int64_t j = 0; j < destination.cols; j += sample.cols)
    for (std::int64_t i = 0; i < destination.rows; i += sample.rows) {
      const std::int64_t rows = std::min(sample.rows, destination.rows - i),
                         cols = std::min(sample.cols, destination.cols - j);
      hpcx::copy(stream, sample.block(0, 0, rows, cols), destination.block(i, j, rows, cols));
    }
}

}  // namespace

void fill_with_typical_factors(hpcx::Device& device, hpcx::StreamRef stream, hpcx::MatrixView l21,
                               hpcx::MatrixView u12) {
  static const Factors factors = make_factors();
  constexpr std::size_t kBytes = sizeof(double) * kSize * kDepth;
  const hpcx::Buffer l_memory = device.allocate(kBytes), u_memory = device.allocate(kBytes);
  stream.copy(l_memory.as<double>(), factors.l21.data(), kBytes);
  stream.copy(u_memory.as<double>(), factors.u12.data(), kBytes);
  repeat(stream, {l_memory.as<double>(), kSize, kDepth, kSize, Layout::ColumnMajor}, l21);
  repeat(stream, {u_memory.as<double>(), kDepth, kSize, kSize, Layout::RowMajor}, u12);
  stream.synchronize();
}

}  // namespace hpl
