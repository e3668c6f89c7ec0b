#pragma once

#include <span>
#include <string>
#include <vector>

#include "hpl/page/run_file.h"
#include "hpl/page/verdict.h"

namespace hpl::page {

/// Hosts that are not in the last document, and that no document failed: they died or are silent.
std::vector<std::string> lost_hosts(std::span<const RunFile> files,
                                    std::span<const std::string> hosts);

/// The print view of an acceptance, as HTML: machine, steps with their settings, verdict, nodes
/// with serial numbers, and lines to sign, unless there are reservations. Each file is a step.
std::string sheet_section(std::span<const RunFile> files, const PageOptions& options);

}  // namespace hpl::page
