#pragma once

#include <span>
#include <string>
#include <vector>

#include "hpl/base/record/record.h"
#include "hpl/fleet/judge/fleet_report.h"

namespace hpl::page {

// The part of a page about fleets: acceptances in the order of their time, the last is the newest.
using Fleets = std::span<const FleetReport* const>;

/// Sorts fleets by their time.
std::vector<const FleetReport*> by_time(std::vector<const FleetReport*> fleets);

/// "3 of 4 hosts passed", of the newest fleet; empty without one.
std::string fleet_tally(Fleets fleets);

/// Nothing failed in a fleet, but not all of it was checked.
bool is_only_unchecked(const FleetReport& fleet);

/// Lists and labels of the newest fleet as HTML, and the place of what is drawn of it; empty
/// without one.
std::string fleet_section(Fleets fleets);

/// The data that fleet.js draws: the fleets without their runs, and a remark where the runs of the
/// acceptances are not the same.
Record::Json fleet_data(Fleets fleets);

}  // namespace hpl::page
