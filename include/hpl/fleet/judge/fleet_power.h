#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hpl/base/power/power_level.h"
#include "hpl/base/result/remark.h"

namespace hpl {

class Record;
struct FleetReport;

/// Readings of a meter during the runs of the members that it sees.
struct FleetMeter {
  std::string host{};        ///< empty: all of the fleet that the log sees
  double core_seconds = 0;   ///< timed parts of runs; what went on at the same time counts once
  double watts = 0;          ///< energy over the part of them that the log covers
  double joules = 0;         ///< within `covered`
  double covered = 0;        ///< share of `core_seconds`, 0 to 1
  std::int64_t samples = 0;  ///< within `core_seconds`
  double longest_gap = 0;    ///< s, within one run
  std::optional<double> gflops_per_watt{};
};
void describe(Record& record, FleetMeter& meter);

/// Power of a fleet by the log of a meter.
struct FleetPower {
  std::string source;  ///< file name
  PowerScope scope{};
  std::vector<FleetMeter> meters;    ///< the whole first, then the hosts that have a column
  int level = 0;                     ///< of the whole, that of the run that reaches least
  std::vector<std::string> missing;  ///< for the next level, by aspect
  std::vector<Remark> remarks;       ///< each once
};
void describe(Record& record, FleetPower& power);

/// The source of a log, and the way to read it.
struct PowerLogFile {
  std::string name;  ///< as it is shown
  std::string_view text;
  double offset = 0;  ///< to add to its times, s
  PowerScope scope{};
};

/// Fills `power` of the fleet: of each host that the head of the log names, where it does, and of
/// them together; else of the fleet by the first column. False where the log reaches no run. Throws
/// ConfigError where it cannot be read.
bool add_power_log(FleetReport& fleet, const PowerLogFile& log);

}  // namespace hpl
