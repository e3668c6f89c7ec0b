#pragma once

#include <string>
#include <vector>

#include "hpl/machine/decide/decide.h"
#include "hpl/machine/host/memory.h"
#include "hpl/plan/time_estimate.h"

namespace hpl {

/// A plan as text: every run with its memory per rank and, if it can be estimated, its time. The
/// memory of the run that needs most is shown by parts.
std::string describe_plan(const std::vector<RunSpec>& plan,
                          const std::vector<RunSettings>& settings, const MemoryBound& memory,
                          const TimeEstimate& estimate);

}  // namespace hpl
