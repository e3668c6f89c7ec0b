#pragma once

#include <string>

#include "hpl/report/page/run_file.h"

namespace hpl::page {

/// Power over the core phase, averages, energy by phase, and the level of the measurement, as a
/// part of a run's section; empty where nothing was measured.
std::string power_part(const Run& run);

/// GFLOP/s per watt by the meter, else by the sensors inside the devices, and which of them.
struct Efficiency {
  double gflops_per_watt = 0;
  std::string of;  ///< "component power, NVML of 8 devices"
};
std::optional<Efficiency> efficiency_of(const Run& run);

/// "Level 1 of 3", "No level"; empty where nothing was measured.
std::string level_text(const Run& run);

}  // namespace hpl::page
