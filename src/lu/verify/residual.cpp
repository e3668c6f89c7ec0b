#include "hpl/lu/verify/residual.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace hpl {

namespace {

using hpcx::MatrixView;
using hpcx::VectorView;

/// The largest magnitude; infinite when any value is NaN, so that no comparison can lose it.
double largest_magnitude(const std::vector<double>& values) {
  double largest = 0;
  for (const double value : values) {
    if (std::isnan(value)) return std::numeric_limits<double>::infinity();
    largest = std::max(largest, std::abs(value));
  }
  return largest;
}

double largest_over(const mpi::Communicator& comm, const std::vector<double>& values) {
  return comm.all_reduce(largest_magnitude(values), mpi::Reduce::Max);
}

std::vector<double> to_host(hpcx::StreamRef stream, const double* values, std::int64_t count) {
  std::vector<double> result(static_cast<std::size_t>(count));
  stream.copy(result.data(), values, result.size() * sizeof(double));
  stream.synchronize();
  return result;
}

}  // namespace

double scaled_residual(const Residual& norms, std::int64_t order) {
  constexpr double kEpsilon = 0x1p-53;
  return norms.residual_infinity /
         (kEpsilon * (norms.matrix_infinity * norms.solution_infinity + norms.right_side_infinity) *
          static_cast<double>(order));
}

Residual verify_solution(hpcx::Device& device, const ProcessGrid& grid,
                         const DistributedMatrix& matrix, const DistributedSolution& solution,
                         double threshold) {
  const LocalShape& shape = matrix.shape();
  const hpcx::Stream owned = device.create_stream(hpcx::Priority::Normal);
  const hpcx::StreamRef stream = owned;
  hpcx::Kernels& kernels = device.kernels();
  matrix.generate(stream);

  const VectorView x = solution.view();
  const MatrixView a = matrix.view().block(0, 0, shape.local_rows, x.size);
  const std::int64_t longest = std::max({shape.local_rows, x.size, std::int64_t{1}});
  const hpcx::Buffer buffer = device.allocate(static_cast<std::size_t>(8 * longest));
  const VectorView values{buffer.as<double>(), shape.local_rows, 1};

  // Rows are spread over the process row, columns over the process column.
  kernels.row_sums(stream, a, values.data);
  std::vector<double> sums = to_host(stream, values.data, shape.local_rows);
  grid.row().all_reduce(sums, mpi::Reduce::Sum);
  Residual norms;
  norms.matrix_infinity = largest_over(grid.all(), sums);

  kernels.column_sums(stream, a, values.data);
  sums = to_host(stream, values.data, x.size);
  grid.column().all_reduce(sums, mpi::Reduce::Sum);
  norms.matrix_one = largest_over(grid.all(), sums);

  const std::vector<double> x_here = to_host(stream, x.data, x.size);
  norms.solution_infinity = largest_over(grid.all(), x_here);
  double one = 0;
  for (const double value : x_here)
    one += std::abs(value);
  norms.solution_one = grid.row().all_reduce(one, mpi::Reduce::Sum);

  // r = b - A x, the part of this process; b counts once in every process row.
  const GlobalColumn b{matrix.order()};
  const MatrixView r{values.data, shape.local_rows, 1, longest, hpcx::Layout::ColumnMajor};
  std::vector<double> right_side;
  if (shape.columns.mine(b)) {
    kernels.copy(stream,
                 matrix.view().block(0, shape.columns.to_local(b).value, shape.local_rows, 1), r);
    right_side = to_host(stream, values.data, shape.local_rows);
  } else {
    kernels.fill(stream, 0.0, r);
  }
  norms.right_side_infinity = largest_over(grid.all(), right_side);
  device.blas().gemv(stream, -1.0, a, x, 1.0, values);
  sums = to_host(stream, values.data, shape.local_rows);
  grid.row().all_reduce(sums, mpi::Reduce::Sum);
  norms.residual_infinity = largest_over(grid.all(), sums);

  // An empty system has nothing wrong with it: 0 / 0 is no failure.
  norms.scaled = matrix.order() == 0 ? 0.0 : scaled_residual(norms, matrix.order());
  norms.passed = std::isfinite(norms.scaled) && norms.scaled < threshold;
  return norms;
}

}  // namespace hpl
