#pragma once

#include <string>

#include "hpl/base/error/error.h"
#include "hpl/base/text/text_style.h"
#include "hpl/fleet/judge/fleet_report.h"
#include "hpl/job/ranks/job_start.h"

namespace hpl {

/// Shows what changed between two fleets. Comparisons stand above the fleet's jobs.
using FleetChanges = std::string (*)(const FleetReport& before, const FleetReport& now,
                                     Detail detail);

/// `xhpl fleet`: every member of the fleet makes the same run at the same time, again and again as
/// the options say; the members are judged by each other. A rank without a device is left out and
/// stands in the report; a run that breaks ends with the process. Collective over the world.
ExitCode run_fleet(const JobStart& start, FleetChanges changes);

}  // namespace hpl
