#pragma once

#include <cstdint>
#include <span>

#include "hpl/report/result/run_result.h"

namespace hpl {

/// Projects the result of a run of order N that ended after `steps`, `seconds` after its start.
EarlyStop project(std::int64_t order, std::span<const StepRecord> steps, double seconds);

}  // namespace hpl
