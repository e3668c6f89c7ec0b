#include "hpl/machine/decide/run_memory.h"

#include <algorithm>

#include <fmt/format.h>

#include "hpl/base/error/error.h"
#include "hpl/base/number/bisection.h"
#include "hpl/comm/transport/transport_choice.h"
#include "hpl/lu/mixed/mixed_solver.h"
#include "hpl/lu/pipeline/stages.h"
#include "hpl/lu/solve/back_substitution.h"
#include "hpl/lu/update/tail_chunks.h"
#include "residency.h"

namespace hpl {

namespace {

/// Streams of the device at once: those of all workers but the host's own, of which two only copy
/// columns that live in host memory, and one that comes and goes while a panel solver is made.
std::int64_t stream_count(bool visits) {
  return kWorkerCount - 1 - (visits ? 0 : 2) + 1;
}

/// The workspaces of a GPU's streams, or the packed operands of a CPU's updates.
std::int64_t blas_workspace_bytes(const RunSpec& spec, const LocalShape& shape,
                                  const RunSettings& settings, const Facts& facts) {
  const SchedulePolicy& policy = settings.stages.schedule;
  if (!facts.shares_host_memory)
    return stream_count(visited_part(shape, policy.visits).columns > 0) * facts.stream_bytes;
  if (spec.mixed || spec.emulated_moduli > 0) return 0;
  return hpcx::cpu_product_bytes(facts.threads, shape.stored_rows, widest_chunk(shape, policy),
                                 spec.block_size);
}

/// Of the host's memory, beside a matrix there: the process, MPI, the BLAS, page tables, a staging
/// area where the matrix is not pinned.
constexpr std::int64_t kHostReserve = std::int64_t{3} << 30;

/// Communicators of the grid along which a run sends from and to device memory. HPL-MxP has one of
/// its own for the inverses of diagonal blocks.
std::int64_t links(const RunSpec& spec) {
  return (spec.grid_rows > 1 ? (spec.mixed ? 2 : 1) : 0) + (spec.grid_columns > 1 ? 1 : 0);
}

/// The memory of libraries: an estimate, stated in docs/model.md.
std::int64_t reserve(const RunSpec& spec, std::int64_t allocated, const Facts& facts) {
  constexpr std::int64_t kMiB = std::int64_t{1} << 20;
  // Of a GPU: code and handles of the BLAS; buffers and connections of each communicator. Measured
  // on H200 (CUDA 13.0, NCCL 2.28): 20 MB alone, 1.1 GB with a communicator along the column.
  if (!facts.shares_host_memory)
    return 256 * kMiB + facts.link_bytes.value_or(1024 * kMiB * links(spec));
  // Of the host: packing buffers of the BLAS, unexpected messages, records. Measured: 13 MB with
  // one thread and 1.2 MB for each further one, less in small runs.
  return std::min((64 + 2 * facts.threads) * kMiB, allocated / 4);
}

/// The host memory that a process needs; its device may be the host.
std::int64_t host_bytes(const MemoryAccount& account, const Facts& facts) {
  const MemoryBytes needed = account.total();
  return needed.host + (facts.shares_host_memory ? needed.device : 0);
}

/// Whether what a process needs is there: in two memories, or in one that both are.
bool fits(const MemoryAccount& account, const Facts& facts) {
  if (account.total().device > facts.memory.device.bytes) return false;
  return account.matrix.host == 0 || host_bytes(account, facts) <= facts.memory.host.bytes;
}

/// Of the system of HPL and what solves it.
MemoryAccount system_account(const RunSpec& spec, const LocalShape& shape,
                             const RunSettings& settings, const VisitedPart& visited, bool shared) {
  MemoryAccount account = Stages::memory(shape, settings.stages, shared);
  account.matrix = DistributedMatrix::bytes(shape, spec, visited);
  if (settings.stages.device_panel)
    account.panel_solver = DevicePanel::bytes(spec, settings.stages.panel_compute_units, shared);
  if (spec.checksums)
    account.checksums =
        StepChecksums::bytes(shape, panel_workspaces(settings.stages.schedule), shared);
  account.solution = DistributedSolution::bytes(shape, visited.columns, shared);
  return account;
}

}  // namespace

std::int64_t least_piece_bytes(const RunSpec& spec) {
  return exchange_column_bytes(std::min(spec.block_size, spec.order));
}

MemoryAccount memory_account(const RunSpec& spec, const LocalShape& shape,
                             const RunSettings& settings, const Facts& facts) {
  MemoryAccount account;
  if (spec.order == 0) return account;
  const bool shared = facts.shares_host_memory;
  const VisitedPart visited = visited_part(shape, settings.stages.schedule.visits);
  account = spec.mixed ? MixedFactorization::memory(shape, *spec.mixed, settings.stages, shared)
                       : system_account(spec, shape, settings, visited, shared);
  if (settings.staged_messages)
    account.staging = pinned_bytes(links(spec) * staging_bytes(least_piece_bytes(spec)), shared);
  account.blas_workspace.device = blas_workspace_bytes(spec, shape, settings, facts);
  account.reserve.device = reserve(spec, account.allocated().device, facts);
  if (account.matrix.host > 0 && !shared) {
    account.reserve.host = kHostReserve;
    if (settings.stages.schedule.host_takes_part)
      account.reserve.host += HostUpdate::bytes(shape, visited.slot_columns);
  }
  return account;
}

MemoryAccount memory_account(const RunSpec& spec, const RunSettings& settings, const Facts& facts) {
  // More columns never need less. Rows do: whoever has no part of the first diagonal block needs
  // space for a copy of it in its panels, and may need more than one that has as many rows, or a
  // block of them more. Distributed round-robin, one of the first two process rows needs most.
  const LocalShape largest = largest_local_shape(spec);
  if (is_beyond_any_memory(largest)) return {.matrix = {largest.bytes(), 0}};
  const int column = largest.columns.rank();
  const int rows = spec.row_weights.empty() ? std::min(spec.grid_rows, 2) : spec.grid_rows;
  MemoryAccount most;
  for (int row = 0; row < rows; ++row) {
    const MemoryAccount account =
        memory_account(spec, local_shape(spec, {row, column}), settings, facts);
    if (account.total().device > most.total().device) most = account;
  }
  return most;
}

bool is_beyond_any_memory(const LocalShape& shape) {
  constexpr std::int64_t kPetabyte = 1'000'000'000'000'000;
  return shape.bytes() > kPetabyte;
}

bool fits(const RunSpec& spec, const RunSettings& settings, const Facts& facts) {
  return fits(memory_account(spec, settings, facts), facts);
}

std::int64_t largest_order(RunSpec spec, const Facts& facts, const Wishes& wishes,
                           std::int64_t step) {
  const auto fits_with = [&](std::int64_t order) {
    spec.order = order;
    // Anew, since the rows decide where panels are made.
    RunSettings placed = decide_regardless_of_memory(spec, facts, wishes);
    place_matrix(spec, facts, wishes, placed);
    return fits(spec, placed, facts);
  };
  const std::int64_t limit = spec.order / step * step;
  return fits_with(limit) ? limit : largest_multiple(step, limit, fits_with);
}

void check_memory(const RunSpec& spec, const RunSettings& settings, const Facts& facts,
                  const Wishes& wishes) {
  const MemoryAccount& account = settings.memory;
  if (fits(account, facts)) return;
  const bool of_device = account.total().device > facts.memory.device.bytes;
  const MemoryBound& bound = of_device ? facts.memory.device : facts.memory.host;
  const std::string needed =
      of_device
          ? fmt::format("{} on a rank ({})", bytes_text(account.total().device), describe(account))
          : fmt::format("{} of host memory on a rank", bytes_text(host_bytes(account, facts)));
  const std::int64_t largest = largest_order(spec, facts, wishes, spec.block_size);
  throw ConfigError(
      "N = {} on a {} x {} grid needs {}, but {} are available ({}); the largest N that fits with "
      "NB = {} is {}{}{}",
      spec.order, spec.grid_rows, spec.grid_columns, needed, bytes_text(bound.bytes), bound.source,
      spec.block_size, largest, largest == 0 ? "; a smaller NB needs smaller workspaces" : "",
      wishes.matrix == MatrixRequest::Device ? "; --matrix host uses host memory as well" : "");
}

}  // namespace hpl
