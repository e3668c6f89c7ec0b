#pragma once

#include <string>
#include <vector>

#include "hpl/report/result/run_result.h"

namespace hpl {

/// Reasons for which the rate of a run is no measure of its machine, a sentence each: other
/// processes on the cores that computed, and products whose rate alone changed meanwhile.
std::vector<std::string> disturbances(const RunResult& run);

}  // namespace hpl
