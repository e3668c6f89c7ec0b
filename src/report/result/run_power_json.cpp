#include "hpl/report/result/run_power_json.h"

#include <cmath>

#include "hpl/base/text/zoned_time.h"
#include "hpl/report/result/json_values.h"

namespace hpl {
namespace {

using Json = nlohmann::ordered_json;

/// A tenth of a watt is more than any sensor knows, and traces are long.
Json short_watts(const std::optional<double>& watts) {
  return watts ? number_or_null(std::round(10 * *watts) / 10) : Json(nullptr);
}

Json efficiency(const std::optional<double>& gflops, const std::optional<PowerAverages>& averages) {
  if (!gflops || !averages || !(averages->watts > 0)) return nullptr;
  return number_or_null(*gflops / averages->watts);
}

Json components_object(const ComponentPower& components, const std::optional<double>& gflops) {
  Json trace = Json::array();
  for (const auto& watts : components.trace)
    trace.push_back(short_watts(watts));
  Json phases = Json::array();
  for (const auto& [phase, joules] : components.phase_joules)
    phases.push_back({{"phase", phase}, {"joules", number_or_null(joules)}});
  return {{"sensors", components.sensors},
          {"averages", averages_object(components.averages)},
          {"gflops_per_watt", efficiency(gflops, components.averages)},
          {"trace_watts", std::move(trace)},
          {"phases", std::move(phases)}};
}

Json meter_object(const MeterPower& meter, const std::optional<double>& gflops) {
  Json trace = Json::array();
  for (const PowerSample& sample : meter.trace)
    trace.push_back({{"seconds", std::round(1e3 * sample.seconds) / 1e3},
                     {"watts", short_watts(sample.watts)}});
  return {{"source", meter.source},
          {"scope", to_string(meter.scope)},
          {"averages", averages_object(meter.averages)},
          {"gflops_per_watt", efficiency(gflops, meter.averages)},
          {"trace", std::move(trace)},
          {"remarks", meter.complaints}};
}

Json level_object(const RunPower& power) {
  const auto evidence = power_evidence(power);
  if (!evidence) return nullptr;
  const auto aspects = power_aspects(*evidence);
  Json list = Json::array();
  for (const PowerAspect& aspect : aspects)
    list.push_back({{"aspect", aspect.name}, {"level", aspect.level}, {"missing", aspect.missing}});
  return {{"level", power_level(aspects)}, {"aspects", std::move(list)}};
}

}  // namespace

Json averages_object(const std::optional<PowerAverages>& averages) {
  if (!averages) return nullptr;
  Json tenths = Json::array();
  for (const auto& watts : averages->tenths)
    tenths.push_back(number_or_null(watts));
  return {{"average_watts", number_or_null(averages->watts)},
          {"energy_joules", number_or_null(averages->joules)},
          {"covered", number_or_null(averages->covered)},
          {"tenth_watts", std::move(tenths)},
          {"samples", averages->samples},
          {"longest_gap_seconds", number_or_null(averages->longest_gap)}};
}

std::optional<PowerAverages> averages_of(const Json& value) {
  if (value.is_null() || value.at("average_watts").is_null()) return std::nullopt;
  const auto real = [&](const char* key) {
    return value.at(key).is_null() ? 0 : value.at(key).get<double>();
  };
  PowerAverages averages{.watts = real("average_watts"),
                         .joules = real("energy_joules"),
                         .covered = real("covered"),
                         .tenths = {},
                         .samples = value.at("samples"),
                         .longest_gap = real("longest_gap_seconds")};
  for (const Json& watts : value.at("tenth_watts"))
    averages.tenths.push_back(watts.is_null() ? std::nullopt : std::optional(watts.get<double>()));
  return averages;
}

Json run_power_object(const std::optional<RunPower>& power, const std::optional<double>& gflops) {
  if (!power) return nullptr;
  return {{"core_begin", iso_time({power->begin, power->utc_offset})},
          {"core_end", iso_time({power->end, power->utc_offset})},
          {"core_seconds", number_or_null(power->seconds())},
          {"nodes", power->nodes},
          {"components",
           power->components ? components_object(*power->components, gflops) : Json(nullptr)},
          {"meter", power->meter ? meter_object(*power->meter, gflops) : Json(nullptr)},
          {"level", level_object(*power)}};
}

}  // namespace hpl
