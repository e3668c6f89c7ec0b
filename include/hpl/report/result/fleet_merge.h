#pragma once

#include <string>
#include <vector>

#include "hpl/report/result/fleet_report.h"

namespace hpl {

/// Adds those of `expected` that the fleet has not, as hosts that did not report. "node01" is there
/// as "node01.cluster" as well.
void expect_hosts(FleetReport& fleet, const std::vector<std::string>& expected);

/// The fleets of several jobs, one a node for instance, as one: judged anew, with the thresholds
/// and the reference of the first. Of a unit or host that several jobs had the later ones' rounds
/// follow those of the earlier ones. Hosts of `expected` that none had are missing; a host whose
/// own job did not come to its end has failed. Throws ConfigError where the jobs did not run the
/// same; there must be one at least. Pure.
FleetReport merge_fleets(std::vector<FleetReport> reports,
                         const std::vector<std::string>& expected = {});

}  // namespace hpl
