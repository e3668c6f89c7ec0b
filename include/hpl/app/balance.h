#pragma once

#include <span>
#include <string>
#include <vector>

#include "hpl/config/run_spec.h"

namespace hpl {

/// By process column the rate at which it gets on, that of its slowest rank; from the rates of the
/// grid's ranks.
std::vector<double> column_rates(const RunSpec& spec, std::span<const double> rank_rates);

/// Block columns and rates by process column, in words, for a run with column_weights.
std::string describe_deal(const RunSpec& spec);

}  // namespace hpl
