#include "power_part.h"

namespace hpl::page {

std::optional<Efficiency> efficiency_of(const Run& run) {
  if (run.gflops && run.power) {
    const RunPower& power = *run.power;
    const PowerAverages* const averages = best_averages(power);
    if (averages != nullptr && averages->watts > 0)
      return Efficiency{*run.gflops / averages->watts,
                        power.meter && power.meter->averages
                            ? "meter: " + power.meter->source
                            : "component power, " + power.components->sensors};
  }
  if (run.gflops_per_watt) return Efficiency{*run.gflops_per_watt, "component power"};
  return std::nullopt;
}

}  // namespace hpl::page
