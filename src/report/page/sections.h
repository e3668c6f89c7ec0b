#pragma once

#include <span>
#include <string>
#include <vector>

#include "hpl/report/page/run_file.h"
#include "selection.h"

namespace hpl::page {

// The parts of a page, as HTML; empty where a part has nothing to say.

/// How it ended, what stands out, and the figures of the fastest run.
std::string verdict_section(std::span<const RunFile> files, std::span<const Group> groups);
/// All runs beside each other; empty for a single run.
std::string comparison_section(std::span<const Group> groups, std::span<const std::size_t> in_full);
/// Charts of one group: rate, phases, devices of its fastest repetition.
std::string run_section(const Group& group, bool open, bool alone);
/// `findings`: what the devices showed in words as well, where the verdict does not say it.
std::string device_section(const Run& run, bool findings);
/// What the check before the runs found and measured.
std::string preflight_section(std::span<const RunFile> files);
/// What xhpl-gemm measured.
std::string product_section(std::span<const RunFile> files);
/// What xhpl --tune tried and found.
std::string tuning_section(std::span<const RunFile> files);
/// What the runs were made of and where they ran.
std::string configuration_section(std::span<const RunFile> files, std::span<const Group> groups);

}  // namespace hpl::page
