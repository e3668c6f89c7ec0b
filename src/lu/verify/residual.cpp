#include "hpl/lu/verify/residual.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "hpl/lu/verify/own_product.h"

namespace hpl {

namespace {

using hpcx::MatrixView;
using hpcx::VectorView;

double largest_over(const mpi::Communicator& comm, const std::vector<double>& values) {
  return comm.all_reduce(largest_magnitude(values), mpi::Reduce::Max);
}

std::vector<double> to_host(hpcx::StreamRef stream, const double* values, std::int64_t count) {
  std::vector<double> result(static_cast<std::size_t>(count));
  stream.copy(result.data(), values, result.size() * sizeof(double));
  stream.synchronize();
  return result;
}

/// Compares sampled rows of r = b - A x with own ones. A wrong row of r gets the larger of both
/// values, NaN being larger than any. Collective over the grid, same result on every rank.
SampledRows judge_samples(const ProcessGrid& grid, const LocalShape& shape,
                          const std::vector<double>& x, std::vector<double>& r) {
  const std::vector<std::int64_t> rows = sampled_rows(shape.rows);
  OwnProduct own = own_product(shape, rows, x);
  grid.row().all_reduce(own.residual, mpi::Reduce::Sum);
  grid.row().all_reduce(own.magnitude, mpi::Reduce::Sum);

  SampledRows found{.rows = static_cast<std::int64_t>(rows.size()),
                    .first_row = std::numeric_limits<std::int64_t>::max()};
  std::vector<double> values(3, 0.0);  // of the first wrong row here: r, own, tolerance
  for (std::size_t k = 0; k < rows.size(); ++k) {
    double& here = r[static_cast<std::size_t>(rows[k])];
    const double tolerance = product_tolerance(shape.rows.extent(), own.magnitude[k]);
    if (std::abs(here - own.residual[k]) <= tolerance) continue;
    // NaN in x shows in both, and fails by itself.
    if (!std::isfinite(here) && !std::isfinite(own.residual[k])) continue;
    if (found.wrong++ == 0) {
      found.first_row = shape.rows.to_global({rows[k]}).value;
      values = {here, own.residual[k], tolerance};
    }
    if (std::isnan(own.residual[k]) || std::abs(own.residual[k]) > std::abs(here))
      here = own.residual[k];
  }
  const mpi::Communicator& column = grid.column();
  found.rows = column.all_reduce(found.rows, mpi::Reduce::Sum);
  found.wrong = column.all_reduce(found.wrong, mpi::Reduce::Sum);
  if (found.wrong == 0) return {.rows = found.rows};
  const std::int64_t first = column.all_reduce(found.first_row, mpi::Reduce::Min);
  if (first != found.first_row) values.assign(values.size(), 0.0);
  column.all_reduce(values, mpi::Reduce::Sum);
  return {.rows = found.rows,
          .wrong = found.wrong,
          .first_row = first,
          .residual = values[0],
          .own = values[1],
          .tolerance = values[2]};
}

bool all_finite(const Residual& norms) {
  const double values[] = {norms.scaled, norms.residual_infinity, norms.matrix_infinity,
                           norms.solution_infinity, norms.right_side_infinity};
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

/// The part of this process, before sums over the grid.
struct OwnPart {
  std::vector<double> row_sums, column_sums;  ///< of magnitudes of A
  std::vector<double> residual;               ///< r = b - A x
  std::vector<double> right_side;             ///< empty where b is another's
};

/// Generates the matrix anew.
OwnPart multiply(hpcx::Device& device, hpcx::StreamRef stream, const SystemParts& system) {
  const DistributedMatrix& matrix = system.matrix;
  const LocalShape& shape = matrix.shape();
  hpcx::Kernels& kernels = device.kernels();
  const VectorView x = system.x.view();
  const std::int64_t longest = std::max({shape.local_rows, x.size, std::int64_t{1}});
  const hpcx::Buffer sums_memory = device.allocate(static_cast<std::size_t>(8 * longest));
  const hpcx::Buffer r_memory = device.allocate(static_cast<std::size_t>(8 * longest));
  auto* const sums = sums_memory.as<double>();
  const VectorView r{r_memory.as<double>(), shape.local_rows, 1};
  OwnPart own;

  // b counts once in every process row.
  matrix.generate(stream, matrix.resident_columns(), matrix.resident(matrix.resident_columns()));
  const MatrixView r_column{r.data, shape.local_rows, 1, longest, hpcx::Layout::ColumnMajor};
  const GlobalColumn b{matrix.order()};
  if (shape.columns.mine(b)) {
    kernels.copy(stream,
                 matrix.resident({shape.columns.to_local(b), 1}).row_range(0, shape.local_rows),
                 r_column);
    own.right_side = to_host(stream, r.data, shape.local_rows);
  } else {
    kernels.fill(stream, 0.0, r_column);
  }
  // Rows are spread over the process row, columns over the process column.
  own.row_sums.resize(static_cast<std::size_t>(shape.local_rows), 0);
  const auto add = [&](MatrixView columns, std::int64_t begin) {
    const MatrixView a = columns.row_range(0, shape.local_rows);
    kernels.row_sums(stream, a, sums);
    const std::vector<double> more = to_host(stream, sums, shape.local_rows);
    for (std::size_t i = 0; i < more.size(); ++i)
      own.row_sums[i] += more[i];
    kernels.column_sums(stream, a, sums);
    const std::vector<double> here = to_host(stream, sums, a.cols);
    own.column_sums.insert(own.column_sums.end(), here.begin(), here.end());
    device.blas().gemv(stream, {-1.0, a, x.range(begin, a.cols), 1.0, r});
  };
  const std::int64_t resident = matrix.visited_columns();
  for (const ColumnRange& columns : matrix.visits()) {
    matrix.generate(stream, columns, matrix.slot(0, columns.count));
    add(matrix.slot(0, columns.count), columns.begin.value);
  }
  add(matrix.resident({{resident}, x.size - resident}), resident);
  own.residual = to_host(stream, r.data, shape.local_rows);
  return own;
}

}  // namespace

double largest_magnitude(std::span<const double> values) {
  double largest = 0;
  for (const double value : values) {
    if (std::isnan(value)) return std::numeric_limits<double>::infinity();
    largest = std::max(largest, std::abs(value));
  }
  return largest;
}

double scaled_residual(const Residual& norms, std::int64_t order) {
  constexpr double kEpsilon = 0x1p-53;
  return norms.residual_infinity /
         (kEpsilon * (norms.matrix_infinity * norms.solution_infinity + norms.right_side_infinity) *
          static_cast<double>(order));
}

Residual verify_solution(hpcx::Device& device, const SystemParts& system, double threshold) {
  const ProcessGrid& grid = system.grid;
  const LocalShape& shape = system.matrix.shape();
  const hpcx::Stream stream = device.create_stream(hpcx::Priority::Normal);
  OwnPart own = multiply(device, stream, system);

  Residual norms;
  grid.row().all_reduce(own.row_sums, mpi::Reduce::Sum);
  norms.matrix_infinity = largest_over(grid.all(), own.row_sums);
  grid.column().all_reduce(own.column_sums, mpi::Reduce::Sum);
  norms.matrix_one = largest_over(grid.all(), own.column_sums);

  const std::vector<double> x_here = to_host(stream, system.x.view().data, system.x.view().size);
  norms.solution_infinity = largest_over(grid.all(), x_here);
  double one = 0;
  for (const double value : x_here)
    one += std::abs(value);
  norms.solution_one = grid.row().all_reduce(one, mpi::Reduce::Sum);

  norms.right_side_infinity = largest_over(grid.all(), own.right_side);
  grid.row().all_reduce(own.residual, mpi::Reduce::Sum);
  norms.samples = judge_samples(grid, shape, x_here, own.residual);
  norms.residual_infinity = largest_over(grid.all(), own.residual);

  // An empty system has nothing wrong with it: 0 / 0 is no failure.
  norms.scaled = shape.rows.extent() == 0 ? 0.0 : scaled_residual(norms, shape.rows.extent());
  norms.passed = all_finite(norms) && norms.samples.wrong == 0 && norms.scaled < threshold;
  return norms;
}

}  // namespace hpl
