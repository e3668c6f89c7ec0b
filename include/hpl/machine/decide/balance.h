#pragma once

#include <span>
#include <string>

#include "hpl/input/run_spec/run_spec.h"

namespace hpl {

/// Has blocks distributed so that all processes of the grid get the same share of every step, see
/// distribute_blocks().
void distribute_evenly(RunSpec& spec);

/// Has blocks distributed in proportion to what the processes can do: `rank_rates`, in the grid's
/// order. A process column counts as fast as its slowest rank; process rows share out what that
/// leaves.
void distribute_by_rates(RunSpec& spec, std::span<const double> rank_rates);

/// The number of blocks of each process row and column, and the gain at these rates, in words.
std::string describe_distribution(const RunSpec& spec, std::span<const double> rank_rates);

}  // namespace hpl
