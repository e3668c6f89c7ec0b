#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "hpl/base/power/power_series.h"

namespace hpl {

/// The parts of the machine that a meter sees.
enum class PowerSubsystems {
  Unknown,
  Compute,    ///< nodes and network
  Estimated,  ///< all that take part in the run, some of them estimated
  All         ///< all that take part, measured
};

/// The meter's place in the distribution of power.
enum class PowerPlace {
  Unknown,
  Component,   ///< sensors inside chips
  Downstream,  ///< behind a power supply whose losses are left out
  Modeled,     ///< behind a power supply, losses added from its maker's data
  Upstream     ///< before all power supplies
};

/// The user's statement on a meter, which no program can see:
/// `fraction=1/8,subsystems=all,place=upstream`.
struct PowerScope {
  std::optional<double> fraction;  ///< of the machine's compute nodes, in (0, 1]
  PowerSubsystems subsystems = PowerSubsystems::Unknown;
  PowerPlace place = PowerPlace::Unknown;
  bool operator==(const PowerScope&) const = default;
};

/// Reads the words of --power-scope. Throws ConfigError with the word found and what is allowed.
PowerScope parse_power_scope(std::string_view flag, std::string_view text);
/// The same words; empty where nothing is known.
std::string to_string(const PowerScope& scope);

/// Evidence for the level of a measurement.
struct PowerEvidence {
  PowerAverages averages;
  double core_seconds = 0;
  PowerScope scope;
  std::int64_t nodes = 0;  ///< that take part in the run; 0: unknown
};

/// The level that one of the four aspects reaches.
struct PowerAspect {
  std::string_view name;  ///< "sampling"
  int level = 0;          ///< 0: not even the first
  std::string missing;    ///< for the next level; empty at the highest
};

/// Sampling, fraction of the machine, subsystems, place of the meter, after the EE HPC WG's "Power
/// Measurement Methodology", version 2.0, section 3.
std::array<PowerAspect, 4> power_aspects(const PowerEvidence& evidence);
/// A measurement has the level of its lowest aspect.
int power_level(const std::array<PowerAspect, 4>& aspects);

}  // namespace hpl
