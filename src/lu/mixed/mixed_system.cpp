#include "hpl/lu/mixed/mixed_system.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "hpl/base/error/error.h"
#include "hpl/comm/mpi/vector_exchange.h"
#include "hpl/lu/verify/residual.h"

namespace hpl {

namespace {

std::size_t bytes_of_doubles(std::int64_t count) {
  return static_cast<std::size_t>(8 * std::max<std::int64_t>(count, 1));
}

/// Elements of the longest vector along a line of processes.
std::int64_t longest_part(const LocalShape& shape) {
  return std::max(shape.local_rows, shape.local_columns);
}

double sum_of_magnitudes(std::span<const double> values) {
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
      right_side_(elements_of(rule_.right_side, shape.rows)),
      row_parts_(line_parts(shape, Axis::Row)),
      column_parts_(line_parts(shape, Axis::Column)),
      matrix_(device.allocate(static_cast<std::size_t>(shape.bytes()))),
      x_(device.allocate(bytes_of_doubles(spec.order))),
      y_(device.allocate(bytes_of_doubles(shape.stored_rows))),
      exchange_(device.allocate_pinned(bytes_of_doubles(longest_part(shape)))) {
  generate();
}

MemoryAccount MixedSystem::memory(const LocalShape& shape, const MixedSpec& spec,
                                  bool shares_host_memory) {
  const std::int64_t order = shape.rows.extent();
  const bool dominant =
      spec.entries == MixedEntries::DominantIcl || spec.entries == MixedEntries::DominantOpenMxp;
  MemoryAccount account;
  account.matrix.device = shape.bytes();
  account.solution.device = static_cast<std::int64_t>(bytes_of_doubles(order) * (dominant ? 2 : 1) +
                                                      bytes_of_doubles(shape.stored_rows));
  account.solution += pinned_bytes(static_cast<std::int64_t>(bytes_of_doubles(longest_part(shape))),
                                   shares_host_memory);
  return account;
}

MixedSystem::LineParts MixedSystem::line_parts(const LocalShape& shape, Axis axis) {
  const bool of_rows = axis == Axis::Row;
  LineParts line;
  line.counts.assign(
      static_cast<std::size_t>(of_rows ? shape.columns.processes() : shape.rows.processes()), 0);
  for (std::int64_t step = 0; step < step_count(shape); ++step) {
    const StepGeometry g = step_geometry(shape, step);
    if (!(of_rows ? g.on_owner_row : g.on_owner_column)) continue;
    line.parts.push_back({.block = g, .owner = of_rows ? g.owner_column : g.owner_row});
  }
  for (std::size_t owner = 0; owner < line.counts.size(); ++owner)
    for (BlockPart& part : line.parts)
      if (part.owner == static_cast<int>(owner)) {
        part.place = line.elements;
        line.counts[owner] += part.block.width;
        line.elements += static_cast<std::size_t>(part.block.width);
      }
  return line;
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
    rule_.largest = std::max(rule_.largest,
                             grid.column().all_reduce(largest_magnitude(sums), mpi::Reduce::Max));
    // Diagonal elements of this process lie in its own rows.
    std::vector<double> diagonal(static_cast<std::size_t>(spec.order), 0.0);
    for (std::int64_t i = 0; i < shape.local_rows; ++i)
      diagonal[static_cast<std::size_t>(shape.rows.to_global({i}).value)] =
          sums[static_cast<std::size_t>(i)];
    diagonal_ = device.allocate(bytes_of_doubles(spec.order));
    stream.copy(diagonal_.as<double>(), diagonal.data(), diagonal.size() * sizeof(double));
    stream.synchronize();  // before `diagonal` goes
    rule_.matrix.diagonal = diagonal_.as<double>();
  }
  exponent_ = scale_exponent(rule_.largest);
  for_each_tile([&](const RowMap::Run& row, const ColumnMap::Run& column) {
    arithmetic.generate(stream, {rule_.matrix, row.map, column.map}, std::ldexp(1.0, exponent_),
                        local({row.begin, row.count}, {column.begin, column.count}));
  });
  stream.synchronize();
}

void MixedSystem::sum_over_row(std::span<double> sums) const {
  const hpcx::StreamRef stream = streams.update;
  stream.copy(sums.data(), y_.as<double>(), sums.size_bytes());
  stream.synchronize();
  mpi::all_sum(grid.row(), sums, {exchange_.as<double>(), sums.size()});
}

void MixedSystem::spread(std::span<double> vector) const {
  const std::span<double> line(exchange_.as<double>(), row_parts_.elements);
  const auto here = [&](const BlockPart& part) {
    return vector.subspan(static_cast<std::size_t>(part.block.row_begin.value),
                          static_cast<std::size_t>(part.block.width));
  };
  for (const BlockPart& part : row_parts_.parts)
    if (part.block.on_owner_column) std::ranges::copy(here(part), line.subspan(part.place).begin());
  mpi::all_gather(grid.row(), row_parts_.counts, line);
  for (const BlockPart& part : row_parts_.parts)
    std::ranges::copy(line.subspan(part.place, here(part).size()), here(part).begin());
}

void MixedSystem::product(std::span<const double> x, std::span<double> y) const {
  const hpcx::StreamRef stream = streams.update;
  // x moves from the distribution of rows to that of columns.
  const std::span<double> line(exchange_.as<double>(), column_parts_.elements);
  for (const BlockPart& part : column_parts_.parts)
    if (part.block.on_owner_row)
      std::ranges::copy(x.subspan(static_cast<std::size_t>(part.block.row_begin.value),
                                  static_cast<std::size_t>(part.block.width)),
                        line.subspan(part.place).begin());
  mpi::all_gather(grid.column(), column_parts_.counts, line);
  for (const BlockPart& part : column_parts_.parts)
    stream.copy(x_.as<double>() + part.block.first, line.subspan(part.place).data(),
                static_cast<std::size_t>(part.block.width) * sizeof(double));
  device.kernels().clear(stream, y_);
  for_each_tile([&](const RowMap::Run& row, const ColumnMap::Run& column) {
    double* const sums = y_.as<double>() + row.begin.value;
    arithmetic.multiply(stream,
                        {{rule_.matrix, row.map, column.map}, row.count, column.count, sums},
                        x_.as<double>());
  });
  sum_over_row(y);
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
  std::vector<double> all(static_cast<std::size_t>(std::min(most_rows, shape.local_rows)));
  sum_over_row(all);
  return all;
}

double MixedSystem::norm(std::int64_t most_rows) const {
  return grid.column().all_reduce(largest_magnitude(row_sums(most_rows, true)), mpi::Reduce::Max);
}

Residual MixedSystem::verify(std::span<const double> x, double threshold) const {
  const mpi::Communicator& column = grid.column();
  const auto largest = [&](std::span<const double> values) {
    return column.all_reduce(largest_magnitude(values), mpi::Reduce::Max);
  };
  std::vector<double> residual(right_side_.size());
  product(x, residual);
  for (std::size_t i = 0; i < residual.size(); ++i)
    residual[i] = right_side_[i] - residual[i];
  Residual norms{.residual_infinity = largest(residual),
                 .matrix_infinity = norm(shape.local_rows),
                 .solution_infinity = largest(x),
                 .solution_one = column.all_reduce(sum_of_magnitudes(x), mpi::Reduce::Sum),
                 .right_side_infinity = largest(right_side_)};
  norms.scaled = spec.order == 0 ? 0.0 : scaled_residual(norms, spec.order);
  norms.passed = std::isfinite(norms.scaled) && norms.scaled < threshold;
  return norms;
}

}  // namespace hpl
