#pragma once

#include <span>
#include <string>

#include "hpl/report/page/run_file.h"

namespace hpl::page {

/// The fleets that the files hold, the newest in full: map of hosts and devices, distribution, the
/// worst with their reasons, software that differs; and of several their history. Empty where no
/// file holds one.
std::string fleet_section(std::span<const RunFile> files);

/// "11 of 12 hosts passed"; empty where no file holds a fleet.
std::string fleet_tally(std::span<const RunFile> files);

}  // namespace hpl::page
