#pragma once

#include <string>
#include <vector>

#include "hpl/fleet/judge/fleet_report.h"
#include "hpl/report/csv/csv_file.h"

namespace hpl {

/// The table of members of fleets: xhpl fleet --csv.
CsvTable fleet_table();

/// A row for each member of a fleet that was judged, and for each host without a member.
std::vector<std::string> fleet_rows(const FleetReport& fleet);

}  // namespace hpl
