#pragma once

#include <span>
#include <string>
#include <vector>

#include "hpl/report/page/run_file.h"

namespace hpl::page {

/// The fleets of the files in the order of their time; borrows them. The last is the newest.
std::vector<const FleetReport*> fleets_by_time(std::span<const RunFile> files);

/// A remark where the runs of acceptances are not the same; empty where they are.
std::string difference_of_runs(std::span<const FleetReport* const> fleets);

/// "3 of 4 hosts passed", of the newest fleet; empty without one.
std::string fleet_tally(std::span<const RunFile> files);

}  // namespace hpl::page
