#pragma once

#include <optional>
#include <string>

#include "hpl/report/page/run_file.h"

namespace hpl::page {

/// GFLOP/s per watt by the meter, else by the sensors inside the devices, and which of them.
struct Efficiency {
  double gflops_per_watt = 0;
  std::string of;  ///< "component power, NVML of 8 devices"
};
std::optional<Efficiency> efficiency_of(const Run& run);

}  // namespace hpl::page
