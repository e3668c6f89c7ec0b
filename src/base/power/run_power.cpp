#include "hpl/base/power/run_power.h"

#include <utility>

#include <fmt/format.h>

namespace hpl {

const PowerAverages* best_averages(const RunPower& power) {
  if (power.meter && power.meter->averages) return &*power.meter->averages;
  return power.components ? &power.components->averages : nullptr;
}

std::optional<PowerEvidence> power_evidence(const RunPower& power) {
  const PowerAverages* const averages = best_averages(power);
  if (averages == nullptr) return std::nullopt;
  const bool metered = power.meter && power.meter->averages;
  return PowerEvidence{.averages = *averages,
                       .core_seconds = power.seconds(),
                       .scope = metered ? power.meter->scope
                                        : PowerScope{.fraction = 1.0,
                                                     .subsystems = PowerSubsystems::Unknown,
                                                     .place = PowerPlace::Component},
                       .nodes = power.nodes};
}

MeterPower meter_power(const RunPower& run, std::string source, const PowerSeries& samples,
                       const PowerScope& scope) {
  MeterPower meter{.source = std::move(source),
                   .trace = thinned(samples, run.begin, run.end),
                   .averages = power_averages(samples, run.begin, run.end),
                   .scope = scope,
                   .complaints = {}};
  for (PowerSample& sample : meter.trace)
    sample.seconds -= run.begin;
  return meter;
}

std::vector<std::string> meter_remarks(const MeterPower& meter, double core_seconds,
                                       double expected_gap) {
  std::vector<std::string> remarks;
  if (!meter.averages) {
    remarks.push_back("no reading in the core phase");
    return remarks;
  }
  // A second at either end is no loss: readings come once a second.
  constexpr double kNearlyAll = 1;
  const PowerAverages& seen = *meter.averages;
  if ((1 - seen.covered) * core_seconds > kNearlyAll)
    remarks.push_back(fmt::format(
        "readings cover {:.1f} of {:.1f} s of the core phase; average and energy are of that part",
        seen.covered * core_seconds, core_seconds));
  if (expected_gap > 0 && seen.longest_gap > 2 * expected_gap + 1)
    remarks.push_back(fmt::format("readings came up to {:.1f} s apart, one every {:.0f} s expected",
                                  seen.longest_gap, expected_gap));
  return remarks;
}

}  // namespace hpl
