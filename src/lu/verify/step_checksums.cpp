#include "hpl/lu/verify/step_checksums.h"

#include <algorithm>
#include <cmath>

#include "hpcx/emulation.h"
#include "hpl/base/error/error.h"

namespace hpl {

namespace {

using hpcx::Layout;
using hpcx::MatrixView;
using hpcx::StreamRef;

MatrixView as_column(double* data, std::int64_t rows) {
  return {data, rows, 1, std::max<std::int64_t>(1, rows), Layout::ColumnMajor};
}

std::size_t bytes_of(std::int64_t numbers) {
  return 8 * static_cast<std::size_t>(std::max<std::int64_t>(1, numbers));
}

}  // namespace

double checksum_tolerance(std::int64_t order, double largest_sum, int emulated_moduli) {
  // In units of roundoff N times the largest sum. Random systems of orders 65 to 8000 stay below
  // 0.2 compared after every step, below 1 compared once, at the end. A wrong element that makes
  // the residual fail is orders of magnitude above.
  constexpr double kRounding = 8;
  constexpr double kEpsilon = 0x1p-53;
  // Emulated products round each factor to integers once more, with the roundoff of a line.
  const double of_factors = emulated_moduli > 0 ? 2 * hpcx::emulation_roundoff(emulated_moduli) : 0;
  return kRounding * (kEpsilon + of_factors) * static_cast<double>(order) * largest_sum;
}

std::int64_t checksum_interval(std::int64_t block_size) {
  // Reading an element takes as long as this many multiply-adds in a product: about 15 on a core
  // with AVX-512 (measured), 50 on an H200 (by its data sheet).
  constexpr std::int64_t kReadInMultiplications = 40;
  constexpr std::int64_t kShare = 100;  // 1/100 of the time
  return std::max<std::int64_t>(1, (kReadInMultiplications * kShare + block_size - 1) / block_size);
}

StepChecksums::StepChecksums(hpcx::Device& device, const DistributedMatrix& matrix,
                             const ChecksumRule& rule, const SchedulePolicy& policy)
    : matrix_(matrix),
      rule_(rule),
      steps_(steps_to_make(matrix.shape(), policy)),
      ones_(device.allocate(bytes_of(matrix.shape().stored_columns))),
      carried_(device.allocate(bytes_of(panel_workspaces(policy) * matrix.shape().stored_rows))),
      sums_(device.allocate(bytes_of(panel_workspaces(policy) * matrix.shape().stored_rows))),
      host_(device.allocate_pinned(2 * bytes_of(matrix.shape().stored_rows))),
      summed_(static_cast<std::size_t>(panel_workspaces(policy)), 0) {
  HPL_ASSERT(matrix.shape().checksum_columns > 0 && rule.interval > 0);
}

MemoryBytes StepChecksums::bytes(const LocalShape& shape, int panels, bool shares_host_memory) {
  const std::size_t device =
      bytes_of(shape.stored_columns) + 2 * bytes_of(panels * shape.stored_rows);
  return MemoryBytes{static_cast<std::int64_t>(device), 0} +
         pinned_bytes(2 * static_cast<std::int64_t>(bytes_of(shape.stored_rows)),
                      shares_host_memory);
}

void StepChecksums::begin(StreamRef stream) {
  const LocalShape& shape = matrix_.shape();
  hpcx::Kernels& kernels = stream.device().kernels();
  kernels.fill(stream, 1.0, as_column(ones_.as<double>(), shape.stored_columns));
  double beta = 0;
  const auto add = [&](hpcx::ConstMatrixView columns) {
    stream.device().blas().gemv(
        stream, {1.0, columns, ones(columns.cols), beta, {sums(0), shape.stored_rows, 1}});
    beta = 1;
  };
  for (const ColumnRange& columns : matrix_.visits()) {
    matrix_.load(stream, columns, {{0}, shape.stored_rows}, 0);
    add(matrix_.slot(0, columns.count));
  }
  const std::int64_t resident = matrix_.visited_columns();
  add(matrix_.resident({{resident}, shape.local_columns - resident}));
  kernels.copy(stream, as_column(sums(0), shape.stored_rows),
               matrix_.resident({{shape.local_columns}, 1}));
  // Sums shrink towards the end, their rounding errors do not.
  stream.copy(host_.as<double>(), sums(0), bytes_of(shape.stored_rows));
  stream.host_task([this, rows = shape.local_rows] { add_to_scale(host_.as<double>(), rows); });
}

void StepChecksums::add_to_scale(const double* sums, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i)
    if (std::isfinite(sums[i])) scale_ = std::max(scale_, std::abs(sums[i]));
}

bool StepChecksums::has_tail(const StepGeometry& g) const {
  return g.below_rows > 0 && g.tail_columns > 0;
}

bool StepChecksums::due(const StepGeometry& g) const {
  if (!has_tail(g)) return false;
  // A tail has rows of a next step.
  return (g.step + 1) % rule_.interval == 0 || g.step + 1 == steps_ ||
         !has_tail(step_geometry(matrix_.shape(), g.step + 1));
}

std::optional<std::int64_t> StepChecksums::comparisons(std::int64_t end) const {
  const LocalShape& shape = matrix_.shape();
  if (step_count(shape) == 0 || !has_tail(step_geometry(shape, 0))) return std::nullopt;
  return std::ranges::count_if(compared_, [&](std::int64_t step) { return step < end; });
}

void StepChecksums::updated(StreamRef stream, const StepGeometry& g, const ColumnRange& chunk,
                            hpcx::ConstMatrixView stored, int panel) {
  if (!due(g)) return;
  const LocalShape& shape = matrix_.shape();
  const hpcx::ConstMatrixView below = stored.row_range(g.below_begin.value, g.below_stored);
  std::int64_t& summed = summed_[static_cast<std::size_t>(panel)];
  // The first chunk may be padding alone, and clears the sums all the same.
  const std::int64_t columns =
      std::max<std::int64_t>(0, std::min(chunk.end(), shape.local_columns) - chunk.begin.value);
  const hpcx::VectorView y{sums(panel), g.below_stored};
  stream.device().blas().gemv(
      stream, {1.0, below.col_range(0, columns), ones(columns), summed == 0 ? 0.0 : 1.0, y});
  if (chunk.end() == shape.stored_columns)
    stream.device().kernels().copy(stream,
                                   below.col_range(shape.local_columns - chunk.begin.value, 1),
                                   as_column(carried(panel), g.below_stored));
  summed += chunk.count;
  if (summed < g.tail_columns) return;

  summed = 0;
  stream.copy(host_.as<double>(), sums(panel), bytes_of(g.below_stored));
  stream.copy(host_.as<double>() + g.below_stored, carried(panel), bytes_of(g.below_stored));
  stream.host_task([this, g, first_step = next_step_] { compare(g, first_step); });
  next_step_ = g.step + 1;
}

void StepChecksums::compare(const StepGeometry& g, std::int64_t first_step) {
  if (fault_) return;  // everything after the first comes from it
  const double* const found = host_.as<double>();
  const double* const carried = found + g.below_stored;
  // Any weights of the columns would do but 0: a BLAS that made no sums has nothing to compare.
  if (std::any_of(carried, carried + g.below_rows, [](double sum) { return sum != 0; }))
    compared_.push_back(g.step);
  add_to_scale(carried, g.below_rows);
  ChecksumFault fault{
      .first_step = first_step,
      .last_step = g.step,
      .tolerance = checksum_tolerance(matrix_.order(), scale_, rule_.emulated_moduli)};
  for (std::int64_t i = 0; i < g.below_rows; ++i) {
    const double difference = std::abs(found[i] - carried[i]);
    if (difference <= fault.tolerance) continue;  // NaN is not
    if (fault.rows++ == 0)
      fault.first_row = matrix_.shape().rows.to_global({g.below_begin.value + i}).value;
    if (!(difference <= fault.difference)) fault.difference = difference;
  }
  if (fault.rows > 0) fault_ = fault;
}

}  // namespace hpl
