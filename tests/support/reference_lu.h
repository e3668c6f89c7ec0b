#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "hpcx/generator.h"
#include "hpcx/matrix_view.h"

/// Linear algebra written as the textbook has it: what the program's results are compared with.
namespace hpl::test {

/// A dense matrix in host memory, stored by columns without gaps.
struct Dense {
  Dense(std::int64_t row_count, std::int64_t column_count)
      : rows(row_count),
        cols(column_count),
        data(static_cast<std::size_t>(row_count * column_count), 0.0) {}

  double& operator()(std::int64_t i, std::int64_t j) { return data[i + j * rows]; }
  double operator()(std::int64_t i, std::int64_t j) const { return data[i + j * rows]; }

  std::int64_t rows, cols;
  std::vector<double> data;
};

inline Dense random_dense(std::int64_t rows, std::int64_t cols, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(-0.5, 0.5);
  Dense a(rows, cols);
  for (double& value : a.data)
    value = uniform(engine);
  return a;
}

/// [A|b] of the benchmark.
inline Dense benchmark_matrix(std::int64_t order) {
  Dense a(order, order + 1);
  for (std::int64_t j = 0; j <= order; ++j)
    for (std::int64_t i = 0; i < order; ++i)
      a(i, j) = hpcx::generator::value(hpcx::generator::state_of(static_cast<std::uint64_t>(order),
                                                                 static_cast<std::uint64_t>(i),
                                                                 static_cast<std::uint64_t>(j)));
  return a;
}

struct Pivots {
  std::vector<std::int64_t> rows;  ///< row exchanged with row c, counted in the matrix
  std::int64_t zero_column = -1;   ///< first column without a pivot
};

/// Gaussian elimination with partial pivoting of the first `columns` columns, one column at a
/// time, those before `first` being eliminated already; all columns of `a` are updated.
inline Pivots eliminate(Dense& a, std::int64_t columns, std::int64_t first = 0) {
  Pivots pivots;
  for (std::int64_t c = first; c < columns; ++c) {
    std::int64_t best = c;
    double largest = 0;  // NaN never wins
    for (std::int64_t i = c; i < a.rows; ++i)
      if (std::abs(a(i, c)) > largest) {
        largest = std::abs(a(i, c));
        best = i;
      }
    pivots.rows.push_back(best);
    for (std::int64_t j = 0; j < a.cols; ++j)
      std::swap(a(c, j), a(best, j));
    if (largest == 0) {
      if (pivots.zero_column < 0) pivots.zero_column = c;
      continue;
    }
    // Tests are compiled without optimisation: columns, without calls.
    double* const l = &a(0, c);
    for (std::int64_t i = c + 1; i < a.rows; ++i)
      l[i] /= l[c];
    for (std::int64_t j = c + 1; j < a.cols; ++j) {
      double* const column = &a(0, j);
      const double u = column[c];
      for (std::int64_t i = c + 1; i < a.rows; ++i)
        column[i] -= l[i] * u;
    }
  }
  return pivots;
}

/// x of A x = b.
inline std::vector<double> reference_solution(std::int64_t order) {
  Dense a = benchmark_matrix(order);
  eliminate(a, order);
  std::vector<double> x(static_cast<std::size_t>(order));
  for (std::int64_t i = order - 1; i >= 0; --i) {
    double sum = a(i, order);
    for (std::int64_t j = i + 1; j < order; ++j)
      sum -= a(i, j) * x[j];
    x[i] = sum / a(i, i);
  }
  return x;
}

}  // namespace hpl::test
