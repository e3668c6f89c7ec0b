#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hpl/base/power/power_level.h"
#include "hpl/base/power/power_series.h"
#include "hpl/base/result/timeline.h"

namespace hpl {

/// Power by the sensors inside the devices, all devices together.
struct ComponentPower {
  std::string sensors;  ///< "NVML of 8 devices"
  PowerAverages averages;
  std::vector<std::optional<double>> trace;                  ///< W, every second of the core phase
  std::vector<std::pair<std::string, double>> phase_joules;  ///< phases overlap in time
};

/// Power by a meter outside the devices.
struct MeterPower {
  std::string source;  ///< the program or file
  PowerSeries trace;   ///< seconds since the begin of the core phase, at most one a second
  std::optional<PowerAverages> averages;  ///< empty: no reading in the core phase
  PowerScope scope;
  std::vector<std::string> complaints;  ///< each once
};

/// Power and energy of a run over its core phase, the timed part.
struct RunPower {
  double begin = 0, end = 0;  ///< seconds since 1970, clock of rank 0
  int utc_offset = 0;         ///< seconds that local time is ahead of UTC
  std::int64_t nodes = 0;     ///< that took part; 0: unknown
  std::optional<ComponentPower> components;
  std::optional<MeterPower> meter;

  double seconds() const { return end - begin; }
};

/// The average that counts: the meter's; else that of the components. Empty where there is none.
const PowerAverages* best_averages(const RunPower& power);
/// Evidence for the level of a run's measurement; empty if nothing was measured.
std::optional<PowerEvidence> power_evidence(const RunPower& power);

/// A meter's readings as a part of a run: `samples` in seconds since 1970.
MeterPower meter_power(const RunPower& run, std::string source, const PowerSeries& samples,
                       const PowerScope& scope);

/// In words: what the meter did not do as asked, and what it says, all of it about this core phase.
/// `expected_gap` is the time between readings that were asked for; 0: none.
std::vector<std::string> meter_remarks(const MeterPower& meter, double core_seconds,
                                       double expected_gap);

/// Energy while work of each phase went on, J, by Phase: of phases that overlap, each counts it.
/// Times of `spans` count from `begin` on the clock of the samples.
std::vector<double> phase_energies(const PowerSeries& samples, double begin,
                                   std::span<const Span> spans);

}  // namespace hpl
