#include "hpl/job/setup/run_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "hpl/base/error/error.h"
#include "hpl/base/number/bisection.h"
#include "hpl/comm/transport/transport_choice.h"
#include "hpl/lu/solve/back_substitution.h"

namespace hpl {

namespace {

/// Streams at once: those of the stages, of which two only copy columns that live in host memory,
/// and one that comes and goes while a panel solver is made.
std::int64_t stream_count(bool visits) {
  return kWorkerCount - (visits ? 0 : 2) + 1;
}

/// Of the host's memory, beside a matrix there: the process, MPI, the BLAS, page tables.
constexpr std::int64_t kHostReserve = std::int64_t{3} << 30;

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
  const VisitedPart visited = visited_part(shape, settings.stages.schedule);
  account.matrix = DistributedMatrix::bytes(shape, spec, visited);
  if (settings.stages.device_panel)
    account.panel_solver.device =
        DevicePanel::device_bytes(device, spec, settings.stages.panel_compute_units);
  if (spec.checksums)
    account.checksums =
        StepChecksums::bytes(shape, panel_workspaces(settings.stages.schedule), shared);
  account.solution = DistributedSolution::bytes(shape, visited.columns, shared);
  if (settings.staged_messages)
    account.staging = pinned_bytes(links(spec) * staging_bytes(least_piece_bytes(spec)), shared);
  account.blas_workspace.device = stream_count(visited.columns > 0) * device.stream_bytes();
  account.reserve.device = reserve(spec, account.allocated().device, device);
  return account;
}

MemoryAccount memory_account(const RunSpec& spec, const RunSettings& settings,
                             const hpcx::Device& device) {
  // More columns never need less. Rows do: whoever has no part of the first diagonal block needs
  // space for a copy of it in its panels, and may need more than one that has as many rows, or a
  // block of them more. Distributed round-robin, one of the first two process rows needs most.
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

namespace {

/// Whether what a process needs is there: in two memories, or in one that both are.
bool fits(const MemoryAccount& account, const hpcx::Device& device, const MemoryBounds& memory) {
  const MemoryBytes needed = account.total();
  if (needed.device > memory.device.bytes) return false;
  if (account.matrix.host == 0) return true;
  const std::int64_t beside = device.shares_host_memory() ? needed.device : kHostReserve;
  return needed.host + beside <= memory.host.bytes;
}

/// Depth at which a product of the device takes as long as moving its result in and out beside it:
/// k* = 4 F / B, with F = 55 TFLOP/s and B = 47 GB/s of an H200 on PCI Express 5.
constexpr double kBalancedDepth = 4700;
/// Part of the products' time that the copies may take: they come in bursts, and neighbours on the
/// host use the same memory.
constexpr double kCopyShare = 0.5;
constexpr int kMostVisitSteps = 64;
constexpr std::int64_t kChunkBetweenVisits = 4096;

double product_flops(const RunSpec& spec) {
  const auto order = static_cast<double>(spec.order);
  return 2.0 / 3 * order * order * order / (spec.grid_rows * spec.grid_columns);
}

}  // namespace

bool fits(const RunSpec& spec, const RunSettings& settings, const hpcx::Device& device,
          const MemoryBounds& memory) {
  return fits(memory_account(spec, settings, device), device, memory);
}

double visit_bytes(const LocalShape& shape, const SchedulePolicy& policy) {
  const std::int64_t block = shape.columns.block(), visited = visited_columns(shape, policy);
  const std::int64_t steps = policy.visits.steps;
  double bytes = 0;
  for (std::int64_t column = 0; column < visited; column += block) {
    const std::int64_t panel = shape.columns.to_global({column}).value / block;
    // The last visit ends with the step before the column is ahead, the others s steps apart.
    for (std::int64_t last = panel - policy.look_ahead - 1; last >= 0; last -= steps) {
      const std::int64_t first = std::max<std::int64_t>(last - steps + 1, 0);
      const std::int64_t above = shape.rows.lower_bound({first * block}).value;
      bytes += 8.0 * static_cast<double>(shape.stored_rows - above) * static_cast<double>(block);
    }
  }
  return bytes;
}

namespace {

/// The widest part of a block column that is no wider than a product needs.
std::int64_t default_visit_columns(const RunSpec& spec) {
  constexpr std::int64_t kWideEnough = 1024;
  std::int64_t parts = (spec.block_size + kWideEnough - 1) / kWideEnough;
  while (spec.block_size % parts != 0)
    ++parts;
  return spec.block_size / parts;
}

}  // namespace

void place_matrix(const RunSpec& spec, RunSettings& settings, const hpcx::Device& device,
                  const MemoryBounds& memory) {
  VisitPolicy& visits = settings.stages.schedule.visits;
  visits = {};
  if (settings.matrix == MatrixRequest::Device || spec.order == 0) return;
  const bool streams_all = settings.host_schedule == HostSchedule::ThreeStage;
  if (!streams_all && memory_account(spec, settings, device).total().device <= memory.device.bytes)
    return;
  const LocalShape shape = largest_local_shape(spec);
  if (shape.bytes() > kBeyondAnyMemory) return;
  // Chunks of what is resident stand between visits, which are one block column wide.
  std::int64_t& chunk = settings.stages.schedule.chunk_columns;
  chunk = std::min(chunk, std::max(kChunkBetweenVisits, 2 * spec.block_size));
  // Of the numbers of steps that are possible: the first that hides the copies, else that which
  // moves least.
  const std::int64_t columns = settings.visit_columns.value_or(default_visit_columns(spec));
  VisitPolicy best{.resident_columns = 0, .steps = 1, .columns = columns};
  double least_bytes = std::numeric_limits<double>::infinity();
  const int from = streams_all ? 1 : settings.visit_steps.value_or(1);
  const int to = streams_all ? 1 : settings.visit_steps.value_or(kMostVisitSteps);
  for (int steps = from; steps <= to; ++steps) {
    visits = {.resident_columns = 0, .steps = steps, .columns = columns};
    const std::int64_t spare =
        memory.device.bytes - memory_account(spec, settings, device).total().device;
    if (spare < 0) break;
    if (!streams_all)
      visits.resident_columns = spare / (8 * shape.stored_rows) / spec.block_size * spec.block_size;
    // The storage of what is resident has padding.
    while (visits.resident_columns > 0 &&
           memory_account(spec, settings, device).total().device > memory.device.bytes)
      visits.resident_columns -= std::min(visits.resident_columns, spec.block_size);
    const double bytes = visit_bytes(shape, settings.stages.schedule);
    if (bytes < least_bytes) {
      best = visits;
      least_bytes = bytes;
    }
    if (bytes * kBalancedDepth / 4 <= kCopyShare * product_flops(spec)) break;
  }
  visits = best;
}

std::int64_t largest_order(RunSpec spec, const RunSettings& settings, const hpcx::Device& device,
                           const MemoryBounds& memory, std::int64_t step) {
  const auto fits_with = [&](std::int64_t order) {
    spec.order = order;
    RunSettings placed = settings;
    place_matrix(spec, placed, device, memory);
    return fits(spec, placed, device, memory);
  };
  const std::int64_t limit = spec.order / step * step;
  return fits_with(limit) ? limit : largest_multiple(step, limit, fits_with);
}

void check_memory(const std::vector<RunSpec>& plan, const std::vector<RunSettings>& settings,
                  const hpcx::Device& device, const MemoryBounds& memory) {
  const auto gigabytes = [](std::int64_t bytes) { return 1e-9 * static_cast<double>(bytes); };
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const RunSpec& spec = plan[i];
    const MemoryAccount account = memory_account(spec, settings[i], device);
    if (fits(account, device, memory)) continue;
    const bool of_device = account.total().device > memory.device.bytes;
    const MemoryBound& bound = of_device ? memory.device : memory.host;
    const std::string needed =
        of_device
            ? fmt::format("{:.2f} GB on a rank ({})", gigabytes(account.total().device),
                          describe(account))
            : fmt::format("{:.2f} GB of host memory on a rank", gigabytes(account.total().host));
    throw ConfigError(fmt::format(
        "N = {} on a {} x {} grid needs {}, but {:.2f} GB are available ({}); the largest N that "
        "fits "
        "with NB = {} is {}{}",
        spec.order, spec.grid_rows, spec.grid_columns, needed, gigabytes(bound.bytes), bound.source,
        spec.block_size, largest_order(spec, settings[i], device, memory, spec.block_size),
        settings[i].matrix == MatrixRequest::Device ? "; --matrix host uses host memory as well"
                                                    : ""));
  }
}

}  // namespace hpl
