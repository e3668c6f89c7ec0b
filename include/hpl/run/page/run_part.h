#pragma once

#include <span>
#include <string>

#include "hpl/base/record/record.h"
#include "hpl/run/page/run_groups.h"

namespace hpl::page {

// The part of a page about runs, as HTML; empty where it has nothing to say.

/// The figures of a run.
std::string result_tiles(const Group& group);
/// A line for each run, what they carried and remarked, and the place of their comparison.
std::string result_section(std::span<const Group> groups);
/// The settings of the runs.
std::string settings_table(std::span<const Group> groups);

/// The data that run.js and comparison.js draw. `in_full`: positions of the groups that get charts
/// of their own.
Record::Json runs_data(std::span<const Group> groups, std::span<const std::size_t> in_full);

}  // namespace hpl::page
