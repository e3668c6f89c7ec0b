#pragma once

#include <string>
#include <vector>

#include "hpl/base/text/table.h"
#include "hpl/base/text/text_style.h"
#include "hpl/fleet/judge/fleet_report.h"

namespace hpl {

/// The head: program, environment, the run of every unit, remarks.
std::string fleet_head(const FleetReport& report, const TextStyle& style = {});

/// The figures of each kind of hardware, with the expected rate of its data sheet; then the power,
/// if a meter's log was added.
std::vector<Table> tables_of(const FleetReport& report);
/// Members and hosts with findings, the worst first, with their reasons; of many the first.
Table worst_table(const FleetReport& report);
/// "kernel 5.1 on node3, 6.2 on 7 other hosts"
std::vector<std::string> difference_lines(const FleetReport& report);

/// The judged fleet: one line a unit (of a large fleet only those that stand out), the distribution
/// by kind of hardware, what is wrong and what is worth a look with its reason, differences between
/// hosts, and who has passed. `changes`: since its reference, lines to show. Its length does not
/// grow with the units that are sound, unless every detail is asked for.
std::string fleet_text(const FleetReport& report, const TextStyle& style = {},
                       const std::string& changes = {});

}  // namespace hpl
