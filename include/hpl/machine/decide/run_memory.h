#pragma once

#include <cstdint>

#include "hpl/machine/decide/decide.h"

namespace hpl {

/// Bytes that the transports of a run must be able to carry as one: a column of a row exchange.
std::int64_t least_piece_bytes(const RunSpec& spec);

/// Memory that a process with this part of the matrix needs for a run. N is chosen and judged by
/// this account, in jobs and in predictions.
///
/// All but the reserve is what hpcx is asked for between the generation of the matrix and the end
/// of back substitution, to the byte, except for two upper bounds: how the panel solvers of a
/// process column form groups, and whether messages pass through the host, is found out at the
/// start of a run. What is needed before (trials of links) and after (the residual) is less, and
/// given back.
MemoryAccount memory_account(const RunSpec& spec, const LocalShape& shape,
                             const RunSettings& settings, const Facts& facts);
/// The account of the process that needs most of the device's memory.
MemoryAccount memory_account(const RunSpec& spec, const RunSettings& settings, const Facts& facts);

/// Whether the memory for the run is there.
bool fits(const RunSpec& spec, const RunSettings& settings, const Facts& facts);

/// The largest order, a multiple of `step` and at most that of `spec`, with which the run fits into
/// the memory of every rank; 0 where there is none. Pure.
std::int64_t largest_order(RunSpec spec, const Facts& facts, const Wishes& wishes,
                           std::int64_t step);

/// Throws ConfigError where a run needs more memory than there is; says how much, for what, and
/// what would fit. `settings`: what decide() says. Pure.
void check_memory(const RunSpec& spec, const RunSettings& settings, const Facts& facts,
                  const Wishes& wishes);

}  // namespace hpl
