#include "hpl/run/report/run_tables.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "hpl/base/text/quantity.h"
#include "hpl/report/result/device_telemetry.h"
#include "hpl/report/result/expectation.h"
#include "hpl/report/result/time_account.h"

namespace hpl {

Table account_table(const RunResult& result, double least) {
  Table table{.title = "Account of the time",
              .columns = columns_of("time of the mean rank (adds up to 100 %)|>% run")};
  double others = 0;
  const auto add = [&](std::string_view name, double share) {
    table.add({name, fmt::format("{:.1f}", 100 * share)});
  };
  for (const AccountEntry& entry : account_entries(result))
    if (entry.share < least)
      others += entry.share;
    else
      add(entry.name, entry.share);
  if (others > 0) add("others", others);
  return table;
}

Table phase_table(const RunResult& result) {
  Table table{.title = "Phases", .columns = columns_of("phase|>max s|>% run|>rank|>min s|>rank")};
  const auto idle = [](const PhaseRange& spread) { return !(spread.maximum > 0); };
  if (std::ranges::all_of(result.phases, idle)) return table;
  for (std::size_t phase = 0; phase < result.phases.size(); ++phase) {
    const PhaseRange& spread = result.phases[phase];
    // Most matrices are on the device.
    const bool of_host_memory = static_cast<Phase>(phase) >= Phase::MatrixLoad;
    if (of_host_memory && idle(spread)) continue;
    const double share = result.seconds > 0 ? 100 * spread.maximum / result.seconds : 0;
    table.add({to_string(static_cast<Phase>(phase)), fmt::format("{:.4f}", spread.maximum),
               fmt::format("{:.1f}", share), std::to_string(spread.maximum_rank),
               fmt::format("{:.4f}", spread.minimum), std::to_string(spread.minimum_rank)});
  }
  table.notes = {"phases overlap; panel pivot exchange is part of panel factorization"};
  return table;
}

Table expectation_table(const RunResult& result) {
  Table table{.title = "Expected and got",
              .columns = columns_of("phase without waiting|>expected s|>got s|>rank")};
  const std::optional<ExpectationComparison> comparison = compare_with_expectation(result);
  if (!comparison) return table;
  for (const PhaseComparison& phase : comparison->phases)
    table.add({to_string(phase.phase), fmt::format("{:.4f}", phase.expected_seconds),
               fmt::format("{:.4f}", phase.seconds), std::to_string(phase.rank)},
              !phase.ranks_beyond.empty());
  return table;
}

Table sensor_table(const RunResult& result) {
  Table table{.title = "Sensors of the devices",
              .columns = columns_of("sensor|>mean|>min|>max|>devices")};
  const std::vector<DeviceTelemetry> devices = distinct_devices(result.devices);
  constexpr std::array<std::pair<const char*, std::optional<SensorRange> TelemetrySummary::*>, 3>
      kSensors{{{"clock, MHz", &TelemetrySummary::clock_mhz},
                {"power, W", &TelemetrySummary::power_watts},
                {"temperature, C", &TelemetrySummary::temperature_celsius}}};
  for (const auto& [name, sensor] : kSensors) {
    SensorRange all{.minimum = std::numeric_limits<double>::infinity(), .mean = 0, .maximum = 0};
    int count = 0;
    for (const DeviceTelemetry& device : devices) {
      const std::optional<SensorRange>& range = device.sensors.*sensor;
      if (!range) continue;
      all.minimum = std::min(all.minimum, range->minimum);
      all.maximum = std::max(all.maximum, range->maximum);
      all.mean += range->mean;
      ++count;
    }
    if (count > 0)
      table.add({name, fmt::format("{:.1f}", all.mean / count), fmt::format("{:.1f}", all.minimum),
                 fmt::format("{:.1f}", all.maximum), std::to_string(count)});
  }
  return table;
}

Table power_table(const RunResult& result) {
  Table table{.title = "Power, averages",
              .columns = columns_of("source|>average, W|>kJ|>GFLOP/s per W|>W of the tenths|"
                                    ">samples|>longest gap, s")};
  if (!result.power) return table;
  const auto add = [&](const std::string& source, const PowerAverages& averages) {
    std::string tenths;
    for (const auto& watts : averages.tenths)
      tenths += fmt::format("{}{}", tenths.empty() ? "" : " ",
                            watts ? fmt::format("{:.1f}", *watts) : "-");
    const bool has_rate = !result.stopped && averages.watts > 0;
    table.add({source, fmt::format("{:.1f}", averages.watts), short_number(averages.joules / 1e3),
               has_rate ? significant(result.gflops / averages.watts, 4) : "", tenths,
               std::to_string(averages.samples), fmt::format("{:.1f}", averages.longest_gap)});
  };
  const auto& [meter, components] = std::pair(result.power->meter, result.power->components);
  if (meter && meter->averages) add("Meter: " + meter->source, *meter->averages);
  if (components) add("Component power: " + components->sensors, components->averages);
  return table;
}

Table power_level_table(const RunResult& result) {
  Table table{.title = "Level of the measurement",
              .columns = columns_of("aspect|>level|missing for the next")};
  const auto evidence = result.power ? power_evidence(*result.power) : std::nullopt;
  if (!evidence) return table;
  for (const PowerAspect& aspect : power_aspects(*evidence))
    table.add(
        {aspect.name, aspect.level > 0 ? std::to_string(aspect.level) : "none", aspect.missing});
  return table;
}

std::vector<Table> tables_of(const RunResult& result) {
  std::vector<Table> tables;
  for (Table table : {account_table(result, 0), expectation_table(result), power_table(result),
                      power_level_table(result)})
    if (!table.rows.empty()) tables.push_back(std::move(table));
  return tables;
}

}  // namespace hpl
