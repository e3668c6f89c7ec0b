#include "hpl/lu/mixed/mixed_solver.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "hpl/base/error/error.h"
#include "hpl/comm/mpi/vector_exchange.h"
#include "hpl/lu/mixed/refine.h"
#include "hpl/lu/verify/residual.h"

namespace hpl {

namespace {

std::size_t bytes_of_floats(std::int64_t count) {
  return static_cast<std::size_t>(round_up(4 * std::max<std::int64_t>(count, 1), 8));
}

}  // namespace

MixedFactors::MixedFactors(const MixedSystem& system)
    : system_(system),
      stream_(system.streams.panel),
      later_stream_(system.streams.update),
      rest_(system.device.allocate(bytes_of_floats(system.shape.stored_rows))),
      piece_(system.device.allocate(bytes_of_floats(system.shape.rows.block()))),
      local_(system.device.allocate_pinned(bytes_of_floats(system.shape.stored_rows))),
      host_(system.device.allocate_pinned(bytes_of_floats(system.shape.rows.block()))) {}

MemoryBytes MixedFactors::bytes(const LocalShape& shape, bool shares_host_memory) {
  const auto bytes = static_cast<std::int64_t>(bytes_of_floats(shape.rows.block()) +
                                               bytes_of_floats(shape.stored_rows));
  return MemoryBytes{bytes, 0} + pinned_bytes(bytes, shares_host_memory);
}

void MixedFactors::solve(const std::vector<float>& scales, std::span<const double> v,
                         std::span<double> x) const {
  const LocalShape& shape = system_.shape;
  const double largest = system_.grid.column().all_reduce(largest_magnitude(v), mpi::Reduce::Max);
  // The processes of a row add up their parts when its turn comes: v counts once.
  const std::span<float> local(local_.as<float>(), static_cast<std::size_t>(shape.stored_rows));
  std::ranges::fill(local, 0.0F);
  if (system_.grid.position().column == 0 && largest > 0)
    for (std::size_t i = 0; i < v.size(); ++i)
      local[i] = static_cast<float>(v[i] / largest);
  stream_.copy(rest_.as<float>(), local.data(), local.size_bytes());

  const std::int64_t steps = step_count(shape);
  Sweep lower{hpcx::Triangle::Lower}, upper{hpcx::Triangle::Upper};
  for (std::int64_t k = 0; k < steps; ++k)
    step(k, lower, 1 / scales[static_cast<std::size_t>(k)]);
  stream_.wait(lower.later);
  for (std::int64_t k = steps; k-- > 0;)
    step(k, upper, 1);
  stream_.wait(upper.later);

  stream_.copy(local.data(), rest_.as<float>(), local.size_bytes());
  stream_.synchronize();
  // The factors are those of 2^e A. Elements of other processes are zero until spread().
  const double factor = std::ldexp(largest, system_.exponent());
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = factor * static_cast<double>(local[i]);
  system_.spread(x);
}

MixedFactors::RowsToUpdate MixedFactors::rows_to_update(const StepGeometry& g,
                                                        hpcx::Triangle triangle) const {
  const LocalShape& shape = system_.shape;
  const bool lower = triangle == hpcx::Triangle::Lower;
  std::int64_t next = g.step;
  do
    next += lower ? 1 : -1;
  while (next >= 0 && next < step_count(shape) && !step_geometry(shape, next).on_owner_column);
  // In L the next step's rows lie below, in U above.
  if (lower) {
    const std::int64_t begin = g.below_begin.value;
    const std::int64_t border =
        next == step_count(shape) ? shape.local_rows : step_geometry(shape, next).row_begin.value;
    return {{{begin}, border - begin}, {{border}, shape.local_rows - border}};
  }
  const std::int64_t border = next < 0 ? 0 : step_geometry(shape, next).below_begin.value;
  return {{{border}, g.row_begin.value - border}, {{0}, border}};
}

void MixedFactors::step(std::int64_t k, Sweep& sweep, float scale) const {
  const StepGeometry g = step_geometry(system_.shape, k);
  const ColumnRange columns{g.panel_begin, g.width};
  auto* const rest = rest_.as<float>();
  float* const elements = rest + g.row_begin.value;
  if (g.on_owner_column) stream_.wait(sweep.later);
  if (g.on_owner_row) bring_together(elements, g);
  if (!g.on_owner_column) return;
  if (g.on_owner_row)
    system_.arithmetic.solve(stream_, sweep.triangle,
                             system_.local({g.row_begin, g.width}, columns), elements);
  const float* const solved = pass_down(elements, g);
  const auto subtract = [&](hpcx::StreamRef stream, const RowRange& rows) {
    if (rows.count > 0)
      system_.arithmetic.gemv(
          stream, {-scale, system_.local(rows, columns), solved, rest + rows.begin.value});
  };
  const RowsToUpdate rows = rows_to_update(g, sweep.triangle);
  subtract(stream_, rows.soon);
  if (system_.grid.columns() == 1) return subtract(stream_, rows.later);
  // Other process columns go on with their steps meanwhile.
  later_stream_.wait(stream_.record());
  subtract(later_stream_, rows.later);
  sweep.later = later_stream_.record();
}

void MixedFactors::bring_together(float* elements, const StepGeometry& g) const {
  if (system_.grid.columns() == 1) return;
  const std::span<float> host(host_.as<float>(), static_cast<std::size_t>(g.width));
  stream_.copy(host.data(), elements, host.size_bytes());
  stream_.synchronize();
  std::vector<double> sums(host.begin(), host.end()), scratch(host.size());
  mpi::sum_to(system_.grid.row(), sums, scratch, g.owner_column);
  for (std::size_t i = 0; i < host.size(); ++i)
    host[i] = g.on_owner_column ? static_cast<float>(sums[i]) : 0.0F;
  stream_.copy(elements, host.data(), host.size_bytes());
  stream_.synchronize();  // before `host` is used again
}

const float* MixedFactors::pass_down(float* elements, const StepGeometry& g) const {
  if (system_.grid.rows() == 1) return elements;
  const std::span<float> host(host_.as<float>(), static_cast<std::size_t>(g.width));
  if (g.on_owner_row) {
    stream_.copy(host.data(), elements, host.size_bytes());
    stream_.synchronize();
  }
  mpi::send_to_all(system_.grid.column(), std::as_writable_bytes(host), g.owner_row);
  if (g.on_owner_row) return elements;
  stream_.copy(piece_.as<float>(), host.data(), host.size_bytes());
  stream_.synchronize();
  return piece_.as<float>();
}

MemoryAccount MixedFactorization::memory(const LocalShape& shape, const MixedSpec& spec,
                                         const PipelineSettings& settings,
                                         bool shares_host_memory) {
  MemoryAccount account = MixedSystem::memory(shape, spec, shares_host_memory) +
                          MixedStages::memory(shape, spec, settings, shares_host_memory);
  account.solution += MixedFactors::bytes(shape, shares_host_memory) +
                      pinned_bytes(vector_bytes(shape, spec), shares_host_memory);
  return account;
}

std::int64_t MixedFactorization::vector_bytes(const LocalShape& shape, const MixedSpec& spec) {
  return refinement_vectors(spec.solver) * shape.local_rows *
         static_cast<std::int64_t>(sizeof(double));
}

std::vector<double> MixedFactorization::refine(Refinement& refinement) const {
  const RefinementProblem problem{
      .order = system_.spec.order,
      .right_side = system_.right_side(),
      .matrix_norm = system_.norm(kRowsOfNorm),
      .product = [this](std::span<const double> x, std::span<double> y) { system_.product(x, y); },
      .approximate = [this](std::span<const double> v,
                            std::span<double> x) { factors_.solve(stages_.scales(), v, x); },
      .over_parts = [this](
                        double value,
                        mpi::Reduce how) { return system_.grid.column().all_reduce(value, how); },
      .agreed = [this](double value) { return system_.grid.all().broadcast_value(value, 0); }};
  refinement.scale_exponent = system_.exponent();
  const MixedSpec& mixed = *system_.spec.mixed;
  const auto numbers =
      static_cast<std::size_t>(vector_bytes(system_.shape, mixed)) / sizeof(double);
  return hpl::refine(mixed.solver, problem, {vectors_.as<double>(), numbers}, refinement);
}

}  // namespace hpl
