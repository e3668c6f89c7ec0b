#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hpcx/device.h"
#include "hpl/base/number/memory_account.h"
#include "hpl/job/setup/run_settings.h"
#include "hpl/lu/matrix/distributed_matrix.h"
#include "hpl/machine/host/memory.h"

namespace hpl {

/// What the transports of a run must be able to carry as one: a column of a row exchange.
std::int64_t least_piece_bytes(const RunSpec& spec);

/// What a process with this part of the matrix needs for a run on such a device. N is chosen by
/// this account and judged by it.
///
/// All but the reserve is what hpcx is asked for between the generation of the matrix and the end
/// of back substitution, to the byte, except for two upper bounds: how the panel solvers of a
/// process column form groups, and whether messages pass through the host, is found out at the
/// start of a run. What is needed before (trials of links) and after (the residual) is less, and
/// given back.
MemoryAccount memory_account(const RunSpec& spec, const LocalShape& shape,
                             const RunSettings& settings, const hpcx::Device& device);
/// Of the process that needs most of the device's memory.
MemoryAccount memory_account(const RunSpec& spec, const RunSettings& settings,
                             const hpcx::Device& device);

/// Bytes of the device's memory that no process needs more of.
std::int64_t bytes_per_rank(const RunSpec& spec, const RunSettings& settings,
                            const hpcx::Device& device);

/// Whether the run's memory is there.
bool fits(const RunSpec& spec, const RunSettings& settings, const hpcx::Device& device,
          const MemoryBounds& memory);

/// Decides what of the matrix lives in host memory and how it visits the device: nothing where all
/// fits the device, else as choose_visits() says, and the host takes part if it is to. Pure.
void place_matrix(const RunSpec& spec, RunSettings& settings, const hpcx::Device& device,
                  const MemoryBounds& memory);

/// Where copies of a matrix in host memory take most of the products' time: the block size and the
/// device memory with which they would not. Else empty. Pure.
std::string advice_on_copies(const RunSpec& spec, const RunSettings& settings,
                             const hpcx::Device& device, const MemoryBounds& memory);

/// The largest order, a multiple of `step` and at most that of `spec`, with which the run fits into
/// `memory` on every rank; 0 where there is none.
std::int64_t largest_order(RunSpec spec, const RunSettings& settings, const hpcx::Device& device,
                           const MemoryBounds& memory, std::int64_t step);

/// Throws ConfigError when a run of the plan needs more memory than there is; says how much, for
/// what, and what would fit. Pure.
void check_memory(const std::vector<RunSpec>& plan, const std::vector<RunSettings>& settings,
                  const hpcx::Device& device, const MemoryBounds& memory);

}  // namespace hpl
