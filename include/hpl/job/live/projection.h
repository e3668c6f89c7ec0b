#pragma once

#include <cstdint>
#include <span>

#include "hpl/report/result/run_result.h"

namespace hpl {

/// Steps of NB columns after which at least `fraction` of the operations of the factorization of
/// order N are done; 1 at least. Pure, so that all ranks stop at the same place.
std::int64_t steps_until(std::int64_t order, std::int64_t block_size, double fraction);

/// What a run of order N that ended after `steps`, `seconds` after its start, would have come to.
EarlyStop project(std::int64_t order, std::span<const StepRecord> steps, double seconds);

}  // namespace hpl
