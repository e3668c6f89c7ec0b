#include "hpl/lu/mixed/mixed_system.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hpl/base/error/error.h"
#include "hpl/lu/verify/residual.h"

namespace hpl {

namespace {

std::size_t bytes_of_doubles(std::int64_t count) {
  return static_cast<std::size_t>(8 * std::max<std::int64_t>(count, 1));
}

double sum_of_magnitudes(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0,
                         [](double sum, double value) { return sum + std::abs(value); });
}

}  // namespace

MixedSystem::MixedSystem(hpcx::Device& on, const mpi::Communicator& ranks, const RunSpec& run)
    : device(on),
      arithmetic(*on.mixed_precision()),
      spec(run),
      grid(ranks, spec.grid_rows, spec.grid_columns, spec.rank_order),
      shape(local_shape(spec, grid.position())),
      streams(device),
      rule_(mixed_rule(*spec.mixed, spec.order)),
      matrix_(device.allocate(static_cast<std::size_t>(shape.bytes()))),
      x_(device.allocate(bytes_of_doubles(spec.order))),
      y_(device.allocate(bytes_of_doubles(shape.stored_rows))) {
  generate();
}

MemoryAccount MixedSystem::memory(const LocalShape& shape, const MixedSpec& spec, bool) {
  const std::int64_t order = shape.rows.extent();
  const bool dominant =
      spec.entries == MixedEntries::DominantIcl || spec.entries == MixedEntries::DominantOpenMxp;
  MemoryAccount account;
  account.matrix.device = shape.bytes();
  account.solution.device = static_cast<std::int64_t>(bytes_of_doubles(order) * (dominant ? 2 : 1) +
                                                      bytes_of_doubles(shape.stored_rows));
  return account;
}

hpcx::MixedView MixedSystem::local(const RowRange& rows, const ColumnRange& columns) const {
  const hpcx::MixedView all{matrix_.as<void>(),   spec.mixed->storage,     shape.stored_rows,
                            shape.stored_columns, shape.leading_dimension, hpcx::Layout::RowMajor};
  return all.block(rows.begin.value, columns.begin.value, rows.count, columns.count);
}

template <class Body>
void MixedSystem::for_each_tile(Body body) const {
  const std::vector<ColumnMap::Run> columns = shape.columns.runs();
  for (const RowMap::Run& row : shape.rows.runs())
    for (const ColumnMap::Run& column : columns)
      body(row, column);
}

void MixedSystem::generate() {
  const hpcx::StreamRef stream = streams.update;
  device.kernels().clear(stream, matrix_);  // the padding
  if (rule_.dominant) {
    const std::vector<double> sums = row_sums(shape.local_rows, false);
    rule_.largest = std::max(rule_.largest, largest_magnitude(sums));
    diagonal_ = device.allocate(bytes_of_doubles(spec.order));
    stream.copy(diagonal_.as<double>(), sums.data(), sums.size() * sizeof(double));
    stream.synchronize();  // before `sums` goes
    rule_.matrix.diagonal = diagonal_.as<double>();
  }
  exponent_ = scale_exponent(rule_.largest);
  for_each_tile([&](const RowMap::Run& row, const ColumnMap::Run& column) {
    arithmetic.generate(stream, {rule_.matrix, row.map, column.map}, std::ldexp(1.0, exponent_),
                        local({row.begin, row.count}, {column.begin, column.count}));
  });
  stream.synchronize();
}

std::vector<double> MixedSystem::by_global_row(const double* values, std::int64_t rows) const {
  std::vector<double> here(static_cast<std::size_t>(rows));
  const hpcx::StreamRef stream = streams.update;
  stream.copy(here.data(), values, here.size() * sizeof(double));
  stream.synchronize();
  std::vector<double> all(static_cast<std::size_t>(spec.order), 0.0);
  for (std::int64_t i = 0; i < rows; ++i)
    all[static_cast<std::size_t>(shape.rows.to_global({i}).value)] =
        here[static_cast<std::size_t>(i)];
  grid.all().all_reduce(all, mpi::Reduce::Sum);
  return all;
}

std::vector<double> MixedSystem::product(const std::vector<double>& x) const {
  const hpcx::StreamRef stream = streams.update;
  stream.copy(x_.as<double>(), x.data(), x.size() * sizeof(double));
  device.kernels().clear(stream, y_);
  for_each_tile([&](const RowMap::Run& row, const ColumnMap::Run& column) {
    double* const y = y_.as<double>() + row.begin.value;
    arithmetic.multiply(stream, {{rule_.matrix, row.map, column.map}, row.count, column.count, y},
                        x_.as<double>());
  });
  return by_global_row(y_.as<double>(), shape.local_rows);
}

std::vector<double> MixedSystem::row_sums(std::int64_t most_rows, bool diagonal) const {
  const hpcx::StreamRef stream = streams.update;
  device.kernels().clear(stream, y_);
  for_each_tile([&](const RowMap::Run& row, const ColumnMap::Run& column) {
    const std::int64_t rows = std::clamp<std::int64_t>(most_rows - row.begin.value, 0, row.count);
    double* const sums = y_.as<double>() + row.begin.value;
    arithmetic.row_sums(stream, {{rule_.matrix, row.map, column.map}, rows, column.count, sums},
                        diagonal);
  });
  return by_global_row(y_.as<double>(), std::min(most_rows, shape.local_rows));
}

double MixedSystem::norm(std::int64_t most_rows) const {
  return largest_magnitude(row_sums(most_rows, true));
}

Residual MixedSystem::verify(const std::vector<double>& x, double threshold) const {
  std::vector<double> residual = product(x);
  for (std::size_t i = 0; i < residual.size(); ++i)
    residual[i] = rule_.right_side[i] - residual[i];
  Residual norms{.residual_infinity = largest_magnitude(residual),
                 .matrix_infinity = norm(shape.local_rows),
                 .solution_infinity = largest_magnitude(x),
                 .solution_one = sum_of_magnitudes(x),
                 .right_side_infinity = largest_magnitude(rule_.right_side)};
  norms.scaled = spec.order == 0 ? 0.0 : scaled_residual(norms, spec.order);
  norms.passed = std::isfinite(norms.scaled) && norms.scaled < threshold;
  return norms;
}

}  // namespace hpl
