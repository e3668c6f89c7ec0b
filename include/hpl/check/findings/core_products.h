#pragma once

#include <span>
#include <vector>

#include "hpl/check/findings/record.h"

namespace hpl {

/// The products of a core, of the stretches of time in which it made most of them: a tenth of the
/// stretches, three at least. The first and the last twentieth are left out, when other cores may
/// be idle. Needs at least one stretch.
CoreProducts of_best_stretches(std::span<const CoreProducts> stretches);

/// Takes over what is better in a repetition. Returns the gain, a fraction of the rate.
double keep_better(CoreProducts& products, const CoreProducts& again);

/// Finds the cores that other work crowded whenever they were measured: their width is below that
/// of undisturbed cores of the same processor model. A rank's host DGEMM is the mean
/// of the others; of all, and marked as crowded, where there are no others.
void settle_host_dgemm(std::vector<RankRecord>& ranks);

}  // namespace hpl
