#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "hpl/page/run_file.h"

namespace hpl::page {

/// N1/2: the order at which a machine reaches half of Rmax.
struct HalfRateOrder {
  std::int64_t order = 0;
  bool measured = false;  ///< else predicted
  std::string how;
};

/// From two runs, one below half of the rate of `best` and one not, the order between them on a
/// straight line. Else from the steps of `best`: what is left of a factorization at a step is one
/// of that order, so the rate of the rest tells that of a smaller run. Empty where neither is
/// known.
std::optional<HalfRateOrder> half_rate_order(const RunResult& best,
                                             std::span<const RunResult* const> runs);

}  // namespace hpl::page
