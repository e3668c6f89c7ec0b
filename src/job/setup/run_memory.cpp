#include "hpl/job/setup/run_memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "hpl/base/error/error.h"
#include "hpl/base/number/bisection.h"
#include "hpl/comm/transport/transport_choice.h"
#include "hpl/lu/solve/back_substitution.h"

namespace hpl {

namespace {

/// Streams at once: those of the stages, and one that comes and goes while a panel solver is made.
constexpr std::int64_t kStreams = kWorkerCount + 1;

/// No process has a petabyte; the workspaces of larger parts need not fit into 64 bits.
constexpr std::int64_t kBeyondAnyMemory = 1'000'000'000'000'000;

/// Communicators of the grid along which a run sends from and to device memory.
std::int64_t links(const RunSpec& spec) {
  return (spec.grid_rows > 1 ? 1 : 0) + (spec.grid_columns > 1 ? 1 : 0);
}

/// What libraries take: an estimate, stated in docs/machine.md.
std::int64_t reserve(const RunSpec& spec, std::int64_t allocated, const hpcx::Device& device) {
  constexpr std::int64_t kMiB = std::int64_t{1} << 20;
  // Of a GPU: code and handles of the BLAS; buffers and connections of each communicator. Measured
  // on H200 (CUDA 13.0, NCCL 2.28): 20 MB alone, 1.1 GB with a communicator along the column.
  if (!device.shares_host_memory()) return (256 + 1024 * links(spec)) * kMiB;
  // Of the host: packing buffers of the BLAS, unexpected messages, records. Measured: 13 MB with
  // one thread and 1.2 MB for each further one, less in small runs.
  return std::min((64 + 2 * device.properties().compute_units) * kMiB, allocated / 4);
}

}  // namespace

std::int64_t least_piece_bytes(const RunSpec& spec) {
  return exchange_column_bytes(std::min(spec.block_size, spec.order));
}

MemoryAccount memory_account(const RunSpec& spec, const LocalShape& shape,
                             const RunSettings& settings, const hpcx::Device& device) {
  MemoryAccount account;
  if (spec.order == 0) return account;
  const bool shared = device.shares_host_memory();
  account = Stages::memory(shape, settings.stages, shared);
  account.matrix.device = shape.bytes();
  if (settings.stages.device_panel)
    account.panel_solver.device =
        DevicePanel::device_bytes(device, spec, settings.stages.panel_compute_units);
  if (spec.checksums)
    account.checksums =
        StepChecksums::bytes(shape, panel_workspaces(settings.stages.schedule.look_ahead), shared);
  account.solution = DistributedSolution::bytes(shape, shared);
  if (settings.staged_messages)
    account.staging = pinned_bytes(links(spec) * staging_bytes(least_piece_bytes(spec)), shared);
  account.blas_workspace.device = kStreams * device.stream_bytes();
  account.reserve.device = reserve(spec, account.allocated().device, device);
  return account;
}

MemoryAccount memory_account(const RunSpec& spec, const RunSettings& settings,
                             const hpcx::Device& device) {
  // More columns never need less. Rows do: whoever has no part of the first diagonal block has room
  // for a copy of it in its panels, and may need more than one that has as many rows, or a block of
  // them more. Dealt in turn, one of the first two process rows needs most.
  const LocalShape largest = largest_local_shape(spec);
  if (largest.bytes() > kBeyondAnyMemory) return {.matrix = {largest.bytes(), 0}};
  const int column = largest.columns.rank();
  const int rows = spec.row_weights.empty() ? std::min(spec.grid_rows, 2) : spec.grid_rows;
  MemoryAccount most;
  for (int row = 0; row < rows; ++row) {
    const MemoryAccount account =
        memory_account(spec, local_shape(spec, {row, column}), settings, device);
    if (account.total().device > most.total().device) most = account;
  }
  return most;
}

std::int64_t bytes_per_rank(const RunSpec& spec, const RunSettings& settings,
                            const hpcx::Device& device) {
  return memory_account(spec, settings, device).total().device;
}

std::int64_t largest_order(RunSpec spec, const RunSettings& settings, const hpcx::Device& device,
                           std::int64_t bytes, std::int64_t step) {
  const auto fits = [&](std::int64_t order) {
    spec.order = order;
    return bytes_per_rank(spec, settings, device) <= bytes;
  };
  const std::int64_t limit = spec.order / step * step;
  return fits(limit) ? limit : largest_multiple(step, limit, fits);
}

void check_memory(const std::vector<RunSpec>& plan, const std::vector<RunSettings>& settings,
                  const hpcx::Device& device, const MemoryBound& memory) {
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const RunSpec& spec = plan[i];
    const MemoryAccount account = memory_account(spec, settings[i], device);
    if (account.total().device <= memory.bytes) continue;
    throw ConfigError(fmt::format(
        "N = {} on a {} x {} grid needs {:.2f} GB on a rank ({}), and {:.2f} GB are there ({}); "
        "the largest N that fits with NB = {} is {}",
        spec.order, spec.grid_rows, spec.grid_columns,
        1e-9 * static_cast<double>(account.total().device), describe(account),
        1e-9 * static_cast<double>(memory.bytes), memory.source, spec.block_size,
        largest_order(spec, settings[i], device, memory.bytes, spec.block_size)));
  }
}

}  // namespace hpl
