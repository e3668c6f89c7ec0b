#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "hpl/comm/mpi/failure.h"
#include "hpl/lu/panel/device_panel.h"
#include "hpl/lu/pipeline/factorization_stages.h"
#include "hpl/lu/pipeline/system_solver.h"
#include "hpl/lu/verify/residual.h"

/// Factorization, solution and check of one system from the parts that the program makes it of.
namespace hpl::test {

struct RunSetup {
  PipelineKind pipeline = PipelineKind::Fine;
  std::int64_t chunk_columns = 24;
  std::int64_t solve_rows = 0;               ///< see PipelineSettings
  VisitPolicy visits = {};                   ///< the place of the matrix
  std::optional<HostShare> host_share = {};  ///< of its updates; empty: the host takes no part
  hpcx::HostMemorySpec host_memory = {};     ///< memory of the visited part
  SubstitutionPolicy substitution = {};      ///< for a matrix in host memory
  std::int64_t checksum_interval = 1;        ///< if the spec asks for checksums
  /// Called between generation and factorization.
  std::function<void(const DistributedMatrix&)> change_matrix = {};
  std::function<void(const StepRecord&)> on_step = {};
  /// Called between factorization and back substitution.
  std::function<void()> on_factorized = {};
  /// Called between back substitution and check.
  std::function<void()> on_solved = {};
  JobControl* control = nullptr;  ///< in place of one of its own: others may stop the run
  /// In place of the device for the factorization.
  hpcx::Device* factorizing_device = nullptr;
  /// Factorizes panels on the host's threads; null: the factorizing device, which is the CPU then.
  hpcx::Device* host_device = nullptr;
  bool device_panel = false;
  bool pivots_by_host = false;
  std::optional<TransportKind> transport = {};
  std::int64_t piece_bytes = std::int64_t{1} << 16;  ///< of transfers through the host
};

struct RunOutcome {
  std::optional<std::int64_t> zero_column;
  std::vector<double> x;  ///< all of it, on every rank; empty when a pivot was zero
  Residual residual;
  std::vector<std::int64_t> steps;          ///< as on_step named them
  std::optional<ChecksumFault> fault;       ///< of this rank
  std::optional<std::int64_t> comparisons;  ///< of checksums on this rank
  std::optional<HostWork> host_work;
};

/// The whole solution on every rank. Differences between the copies within a process column show
/// as NaN. Collective over the grid.
inline std::vector<double> gather_solution(hpcx::StreamRef stream, const SystemParts& system) {
  const ProcessGrid& grid = system.grid;
  const LocalShape& shape = system.matrix.shape();
  const hpcx::VectorView in_device = system.x.view();
  std::vector<double> mine(static_cast<std::size_t>(in_device.size));
  stream.copy(mine.data(), in_device.data, mine.size() * sizeof(double));
  stream.synchronize();
  const auto size = static_cast<std::int64_t>(mine.size());
  std::vector<double> x(static_cast<std::size_t>(shape.rows.extent()), 0.0);
  for (std::int64_t i = 0; i < size && grid.position().row == 0; ++i)
    x[shape.columns.to_global({i}).value] = mine[i];
  grid.all().all_reduce(x, mpi::Reduce::Sum);
  std::vector<double> wrong(x.size(), 0.0);
  for (std::int64_t i = 0; i < size; ++i) {
    const std::int64_t global = shape.columns.to_global({i}).value;
    if (x[global] != mine[i]) wrong[global] = 1;
  }
  grid.all().all_reduce(wrong, mpi::Reduce::Sum);
  for (std::size_t i = 0; i < x.size(); ++i)
    if (wrong[i] > 0) x[i] = std::nan("");
  return x;
}

inline std::unique_ptr<Transport> transport_of(const mpi::Communicator& comm, hpcx::Device& device,
                                               const RunSetup& setup) {
  if (setup.transport == TransportKind::MpiHost ||
      (!setup.transport && !device.shares_host_memory()))
    return make_mpi_host_transport(comm, device, setup.piece_bytes, 3);
  if (setup.transport == TransportKind::Nccl && comm.size() > 1)
    return make_device_transport(comm, device,
                                 {row_exchange_peers(comm.rank(), comm.size()), true});
  if (setup.transport == TransportKind::Peer && comm.size() > 1)
    return make_peer_transport(comm, device);
  return make_mpi_device_transport(comm);
}

/// Collective over `ranks`, exactly grid_rows x grid_columns of them.
inline RunOutcome run_whole(hpcx::Device& device, const mpi::Communicator& ranks,
                            const RunSpec& spec, const RunSetup& setup) {
  const SchedulePolicy policy{.visits = setup.visits,
                              .look_ahead = spec.depth,
                              .chunk_columns = setup.chunk_columns,
                              .host_ahead = host_ahead(setup.pipeline),
                              .host_takes_part = setup.host_share.has_value()};
  LinearSystem system(device, ranks, spec, {setup.visits, setup.host_memory});
  if (setup.change_matrix) setup.change_matrix(system.matrix);
  if (spec.checksums) system.carry_checksums(setup.checksum_interval, policy);

  PipelineSettings settings{.schedule = policy,
                            .host_share = setup.host_share.value_or(HostShare{}),
                            .device_panel = setup.device_panel,
                            .emulated_moduli = spec.emulated_moduli,
                            .solve_rows = setup.solve_rows,
                            .pivot_wait = mpi::WaitPolicy::sleeping(),
                            .message_wait = mpi::WaitPolicy::sleeping()};
  JobControl own_control;
  Recorder recorder(system.streams.update);
  hpcx::Device& factorizing =
      setup.factorizing_device != nullptr ? *setup.factorizing_device : device;
  const ProcessGrid& grid = system.grid;
  if (settings.device_panel) {
    PanelGroups groups = find_panel_groups(factorizing, grid.column(), setup.pivots_by_host);
    settings.device_panel =
        mpi::common_reason(ranks, groups.sizes.empty() ? groups.reason : "").empty();
    settings.panel_groups = std::move(groups.sizes);
  }
  hpcx::Device& host = setup.host_device != nullptr ? *setup.host_device : factorizing;
  // As the program does, see run_benchmark().
  const std::unique_ptr<hpcx::ComputeLease> lease =
      setup.pipeline == PipelineKind::Serial ? host.compute_here() : nullptr;
  const auto row = transport_of(grid.row(), factorizing, setup);
  const auto column = transport_of(grid.column(), factorizing, setup);
  RunOutcome outcome;
  SystemSolver solver(system,
                      {.device = factorizing,
                       .host = host,
                       .transports = {*row, *column},
                       .pipeline = setup.pipeline,
                       .settings = settings,
                       .control = setup.control != nullptr ? *setup.control : own_control,
                       .recorder = recorder,
                       .on_step =
                           [&](const StepRecord& record) {
                             outcome.steps.push_back(record.step);
                             if (setup.on_step) setup.on_step(record);
                           }},
                      setup.substitution);
  solver.factorize();
  if (setup.on_factorized) setup.on_factorized();
  outcome.zero_column = solver.stages().zero_pivot_column();
  if (system.checksums) {
    outcome.fault = system.checksums->fault();
    outcome.comparisons = system.checksums->comparisons(solver.stages().steps());
  }
  outcome.host_work = solver.stages().host_work();
  if (outcome.zero_column) return outcome;
  solver.substitute();
  if (setup.on_solved) setup.on_solved();
  outcome.x = gather_solution(system.streams.panel, system.parts());
  outcome.residual = system.verify();
  return outcome;
}

/// Largest difference relative to the largest element; infinite where anything is NaN.
inline double relative_distance(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return INFINITY;
  double difference = 0, largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(a[i] - b[i])) return INFINITY;
    difference = std::max(difference, std::abs(a[i] - b[i]));
    largest = std::max(largest, std::abs(b[i]));
  }
  return largest > 0 ? difference / largest : difference;
}

struct GridShape {
  int rows, columns;
};
/// All grids of exactly so many ranks.
inline std::vector<GridShape> grids_of(int ranks) {
  std::vector<GridShape> grids;
  for (int rows = 1; rows <= ranks; ++rows)
    if (ranks % rows == 0) grids.push_back({rows, ranks / rows});
  return grids;
}

/// Hands out values one after the other: a walk over other variants meets every value without
/// trying each with each. The number of values must not divide the length of the walk's inner loop.
template <class T>
class InTurn {
 public:
  /// Begins with value number `first`: jobs of other sizes meet other pairs.
  explicit InTurn(std::vector<T> values, int first = 0)
      : values_(std::move(values)), turn_(static_cast<std::size_t>(first)) {}

  const T& next() { return values_[turn_++ % values_.size()]; }

 private:
  std::vector<T> values_;
  std::size_t turn_;
};

/// The grids of so many ranks in turn.
class GridsInTurn : public InTurn<GridShape> {
 public:
  explicit GridsInTurn(int ranks) : InTurn(grids_of(ranks)) {}

  /// The next one on which panels are broadcast, where there is any.
  GridShape next_with_broadcast() {
    GridShape grid = next();
    if (grid.columns == 1) grid = next();
    return grid;
  }
};

}  // namespace hpl::test
