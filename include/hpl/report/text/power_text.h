#pragma once

#include <string>

#include "hpl/report/result/run_result.h"

namespace hpl {

/// Core phase, power and energy of a run as lines that begin with "# "; empty without any sensor.
std::string power_lines(const RunResult& result);

}  // namespace hpl
