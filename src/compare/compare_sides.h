#pragma once

#include <optional>
#include <vector>

#include "snapshot.h"

namespace hpl {

/// Compares snapshots in their order: each member along the sides, and what changed between them.
/// Two runs are the same if run_difference() finds none; other runs are named without a change of
/// their rates. Pure.
/// `strict`: what is not decided by `fail_below` was missed.
Comparison compare_sides(std::vector<Snapshot> sides, std::optional<double> fail_below,
                         bool strict = false);

}  // namespace hpl
