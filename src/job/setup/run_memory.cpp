#include "hpl/job/setup/run_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "hpl/base/error/error.h"
#include "hpl/base/number/bisection.h"
#include "hpl/comm/transport/transport_choice.h"
#include "hpl/lu/solve/back_substitution.h"

namespace hpl {

namespace {

/// Streams of the device at once: those of all workers but the host's own, of which two only copy
/// columns that live in host memory, and one that comes and goes while a panel solver is made.
std::int64_t stream_count(bool visits) {
  return kWorkerCount - 1 - (visits ? 0 : 2) + 1;
}

/// Of the host's memory, beside a matrix there: the process, MPI, the BLAS, page tables, a staging
/// area where the matrix is not pinned.
constexpr std::int64_t kHostReserve = std::int64_t{3} << 30;

/// Chunks of what is resident stand between visits, which are one block column wide at most.
constexpr std::int64_t kChunkBetweenVisits = 4096;

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
  const VisitedPart visited = visited_part(shape, settings.stages.schedule.visits);
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
  if (account.matrix.host > 0 && !shared) {
    account.reserve.host = kHostReserve;
    if (settings.stages.schedule.host_takes_part)
      account.reserve.host += HostUpdate::bytes(shape, visited.slot_columns);
  }
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

/// What a process needs of the host, where its device may be.
std::int64_t host_bytes(const MemoryAccount& account, const hpcx::Device& device) {
  const MemoryBytes needed = account.total();
  return needed.host + (device.shares_host_memory() ? needed.device : 0);
}

/// Whether what a process needs is there: in two memories, or in one that both are.
bool fits(const MemoryAccount& account, const hpcx::Device& device, const MemoryBounds& memory) {
  if (account.total().device > memory.device.bytes) return false;
  return account.matrix.host == 0 || host_bytes(account, device) <= memory.host.bytes;
}

}  // namespace

bool fits(const RunSpec& spec, const RunSettings& settings, const hpcx::Device& device,
          const MemoryBounds& memory) {
  return fits(memory_account(spec, settings, device), device, memory);
}

void place_matrix(const RunSpec& spec, RunSettings& settings, const hpcx::Device& device,
                  const MemoryBounds& memory) {
  SchedulePolicy& schedule = settings.stages.schedule;
  schedule.visits = {};
  schedule.host_takes_part = false;
  if (settings.matrix == MatrixRequest::Device || spec.order == 0) return;
  const bool three_stage = settings.host_schedule == HostSchedule::ThreeStage;
  if (!three_stage && memory_account(spec, settings, device).total().device <= memory.device.bytes)
    return;
  const LocalShape shape = largest_local_shape(spec);
  if (shape.bytes() > kBeyondAnyMemory) return;
  if (!settings.chunk_is_given)
    schedule.chunk_columns =
        std::min(schedule.chunk_columns, std::max(kChunkBetweenVisits, 2 * spec.block_size));
  schedule.host_takes_part = settings.host_takes_part;
  const auto needs = [&, settings](const VisitPolicy& visits) mutable {
    settings.stages.schedule.visits = visits;
    return memory_account(spec, settings, device).total().device;
  };
  schedule.visits = choose_visits(shape, {.look_ahead = schedule.look_ahead,
                                          .device_bytes = memory.device.bytes,
                                          .needs = needs,
                                          .steps = settings.visit_steps,
                                          .columns = settings.visit_columns,
                                          .three_stage = three_stage});
}

namespace {

/// Copies that take more of the products' time are not hidden everywhere.
constexpr double kHidden = 0.9;

/// Of the run, placed in this memory; empty where it does not fit.
struct Copies {
  double share = 0;
  int steps = 1;
};
std::optional<Copies> copies_with(const RunSpec& spec, RunSettings settings,
                                  const hpcx::Device& device, const MemoryBounds& memory) {
  place_matrix(spec, settings, device, memory);
  if (!fits(spec, settings, device, memory)) return std::nullopt;
  const SchedulePolicy& schedule = settings.stages.schedule;
  return Copies{copy_share(largest_local_shape(spec), schedule.visits, schedule.look_ahead),
                schedule.visits.steps};
}

}  // namespace

std::string advice_on_copies(const RunSpec& spec, const RunSettings& settings,
                             const hpcx::Device& device, const MemoryBounds& memory) {
  constexpr std::int64_t kBlock = 256, kLeastBlock = 512, kStep = std::int64_t{1} << 28;
  if (device.shares_host_memory() || spec.order == 0 ||
      settings.host_schedule == HostSchedule::ThreeStage)
    return {};
  const auto now = copies_with(spec, settings, device, memory);
  if (!now || now->share <= kHidden) return {};
  std::vector<std::string> ways;
  RunSpec other = spec;
  for (other.block_size = (spec.block_size - 1) / kBlock * kBlock;
       other.block_size >= kLeastBlock && !settings.visit_columns; other.block_size -= kBlock) {
    const auto copies = copies_with(other, settings, device, memory);
    if (!copies || copies->share > kHidden) continue;
    ways.push_back(fmt::format("NB = {} (visits of {} steps)", other.block_size, copies->steps));
    break;
  }
  MemoryBounds more = memory;
  for (int i = 0; i < 400 && ways.size() < 2; ++i) {
    more.device.bytes += std::max(kStep, more.device.bytes / 50);
    const auto copies = copies_with(spec, settings, device, more);
    if (!copies || copies->share > kHidden) continue;
    ways.push_back(fmt::format("{} of device memory", bytes_text(more.device.bytes)));
    break;
  }
  return fmt::format(
      "matrix in host memory: its copies take about {:.0f} % of the time of the products{}",
      100 * now->share,
      ways.empty() ? "" : fmt::format("; less with {}", fmt::join(ways, ", or with ")));
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
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const RunSpec& spec = plan[i];
    const MemoryAccount account = memory_account(spec, settings[i], device);
    if (fits(account, device, memory)) continue;
    const bool of_device = account.total().device > memory.device.bytes;
    const MemoryBound& bound = of_device ? memory.device : memory.host;
    const std::string needed =
        of_device
            ? fmt::format("{} on a rank ({})", bytes_text(account.total().device),
                          describe(account))
            : fmt::format("{} of host memory on a rank", bytes_text(host_bytes(account, device)));
    const std::int64_t largest = largest_order(spec, settings[i], device, memory, spec.block_size);
    throw ConfigError(fmt::format(
        "N = {} on a {} x {} grid needs {}, but {} are available ({}); the largest N that "
        "fits with NB = {} is {}{}{}",
        spec.order, spec.grid_rows, spec.grid_columns, needed, bytes_text(bound.bytes),
        bound.source, spec.block_size, largest,
        largest == 0 ? "; a smaller NB needs smaller workspaces" : "",
        settings[i].matrix == MatrixRequest::Device ? "; --matrix host uses host memory as well"
                                                    : ""));
  }
}

}  // namespace hpl
