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

/// How many blocks each process row and column has, and what that brings at these rates, in words.
std::string describe_distribution(const RunSpec& spec, std::span<const double> rank_rates);

}  // namespace hpl
