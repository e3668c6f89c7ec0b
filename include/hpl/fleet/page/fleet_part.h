#pragma once

#include <span>
#include <string>
#include <vector>

#include "hpl/base/record/record.h"
#include "hpl/fleet/judge/fleet_report.h"

namespace hpl::page {

// The part of a page about fleets: acceptances in the order of their time. Those of the same
// members, devices or nodes or pairs, are the history of the newest of them.
using Fleets = std::span<const FleetReport* const>;

/// Sorts fleets by their time.
std::vector<const FleetReport*> by_time(std::vector<const FleetReport*> fleets);

/// Whether a later fleet of the same members takes its place.
bool is_history(const FleetReport& fleet, Fleets fleets);

/// "3 of 4 hosts passed", of the newest fleet of devices, nodes and pairs each; empty without one.
std::string fleet_tally(Fleets fleets);

/// Why members and hosts failed or were warned, a sentence each, failures first: "node02 cuda 0:
/// rate ...". Those that were disturbed are summed up by disturbance_of().
std::vector<std::string> reasons_of(const FleetReport& fleet);

/// Nothing failed in a fleet, but not all of it was checked.
bool is_only_unchecked(const FleetReport& fleet);

/// Lists and labels of the newest fleets as HTML, and the places of what is drawn of them; empty
/// without one.
std::string fleet_section(Fleets fleets);

/// The fleets of each kind of members: devices, nodes, pairs.
std::vector<std::vector<const FleetReport*>> by_member(Fleets fleets);

/// The data that fleet.js draws: a fleet without its runs, which its figures sum up.
Record::Json fleet_data(const FleetReport& fleet);

}  // namespace hpl::page
