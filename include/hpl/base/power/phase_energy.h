#pragma once

#include <span>
#include <vector>

#include "hpl/base/power/power_series.h"
#include "hpl/base/result/timeline.h"

namespace hpl {

/// Energy while work of each phase went on, J, by Phase: of phases that overlap, each counts it.
/// Times of `spans` count from `begin` on the clock of the samples.
std::vector<double> phase_energies(const PowerSeries& samples, double begin,
                                   std::span<const Span> spans);

}  // namespace hpl
