#pragma once

#include <span>
#include <string>
#include <vector>

#include "hpl/page/run_file.h"
#include "verdict.h"

namespace hpl::page {

/// Hosts that are not in the last document, and that no document failed: they died or are silent.
std::vector<std::string> lost_hosts(std::span<const RunFile> files,
                                    std::span<const std::string> hosts);

/// The verdict of a sheet: a lost host fails it, and a step that other processes disturbed is to be
/// repeated.
Verdict verdict_of_sheet(std::span<const RunFile> files, std::span<const std::string> hosts);

/// The print view of an acceptance, as HTML: machine, steps with their settings, verdict, nodes
/// with serial numbers, and lines to sign, unless there are reservations. Each file is a step.
/// `hosts`: of the machine, besides those in the files.
std::string sheet_section(std::span<const RunFile> files, std::span<const std::string> hosts);

}  // namespace hpl::page
