#include "hpl/report/json/fleet_json.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "health_json.h"
#include "hpl/base/record/record.h"
#include "hpl/base/text/zoned_time.h"
#include "hpl/report/result/json_values.h"

namespace hpl {
namespace {

using Json = nlohmann::ordered_json;

Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

Json values_object(const NamedValues& values) {
  Json object = Json::object();
  for (const auto& [name, value] : values)
    if (!value.empty()) object[name] = value;
  return object;
}

Json figures_object(const FleetFigures& figures) {
  Json object = Json::object();
  for (int number = 0; number < kFleetFigureCount; ++number) {
    const auto figure = static_cast<FleetFigure>(number);
    object[info(figure).key] = number_or_null(figures[figure]);
  }
  return object;
}

Json finding_array(const std::vector<FleetFinding>& findings) {
  Json array = Json::array();
  for (const FleetFinding& finding : findings)
    array.push_back({{"severity", to_string(finding.severity)},
                     {"basis", to_string(finding.basis)},
                     {"figure", finding.figure ? Json(info(*finding.figure).key) : Json(nullptr)},
                     {"value", number_or_null(finding.value)},
                     {"expected", number_or_null(finding.expected)},
                     {"threshold", number_or_null(finding.threshold)},
                     {"text", finding.text}});
  return array;
}

Json range_object(const std::optional<SensorRange>& range) {
  return range ? to_json_value(*range) : Json(nullptr);
}

Json device_object(const FleetDevice& device) {
  Json object{{"rank", device.rank},
              {"host", device.host},
              {"backend", device.backend},
              {"index", device.index},
              {"model", device.model},
              {"serial", device.identity.serial},
              {"uuid", device.identity.uuid},
              {"firmware", device.identity.firmware},
              {"driver", device.identity.driver}};
  object.update(health_object(device.health));
  return object;
}

Json device_round_object(const DeviceRound& device) {
  Json reasons = Json::array();
  for (const auto& [reason, share] : device.sensors.throttle_reasons)
    reasons.push_back({{"reason", reason}, {"share", number_or_null(share)}});
  return {{"rank", device.rank},
          {"samples", device.sensors.samples},
          {"clock_mhz", range_object(device.sensors.clock_mhz)},
          {"power_watts", range_object(device.sensors.power_watts)},
          {"temperature_celsius", range_object(device.sensors.temperature_celsius)},
          {"energy_joules", number_or_null(device.sensors.energy_joules)},
          {"throttle_reasons", std::move(reasons)},
          {"corrected_errors", value_or_null(device.corrected_errors)},
          {"uncorrected_errors", value_or_null(device.uncorrected_errors)}};
}

Json round_object(const FleetRound& round) {
  Json phases = Json::object(), devices = Json::array(), rank_rates = Json::array();
  for (const double rate : round.rank_gflops)
    rank_rates.push_back(number_or_null(rate));
  for (std::size_t phase = 0; phase < round.phases.seconds.size(); ++phase)
    if (round.phases.seconds[phase] > 0 && std::isfinite(round.phases.seconds[phase]))
      phases[to_string(static_cast<Phase>(phase))] = round.phases.seconds[phase];
  for (const DeviceRound& device : round.devices)
    devices.push_back(device_round_object(device));
  return {{"round", round.round},
          {"started", text_or_null(iso_time(round.started))},
          {"ended", text_or_null(iso_time(round.ended))},
          {"seconds", number_or_null(round.seconds)},
          {"gflops", number_or_null(round.gflops)},
          {"status", to_string(round.status)},
          {"scaled_residual", number_or_null(round.scaled_residual)},
          {"zero_pivot_column", value_or_null(round.zero_pivot_column)},
          {"failures", round.failures},
          {"checksums", round.checksums ? to_json_value(*round.checksums) : Json(nullptr)},
          {"ceiling_gflops", number_or_null(round.attainable_gflops)},
          {"rpeak_gflops", number_or_null(round.peak_gflops)},
          {"rank_gflops", std::move(rank_rates)},
          {"phases", std::move(phases)},
          {"devices", std::move(devices)}};
}

Json unit_object(const FleetUnit& unit) {
  Json devices = Json::array(), rounds = Json::array();
  for (const FleetDevice& device : unit.devices)
    devices.push_back(device_object(device));
  for (const FleetRound& round : unit.rounds)
    rounds.push_back(round_object(round));
  return {{"name", unit.name},
          {"kind", unit.kind},
          {"hosts", unit.hosts},
          {"ranks", unit.ranks},
          {"verdict", to_string(unit.verdict)},
          {"figures", figures_object(unit.figures)},
          {"findings", finding_array(unit.findings)},
          {"devices", std::move(devices)},
          {"rounds", std::move(rounds)}};
}

Json host_object(const FleetHost& host) {
  return {{"name", host.name},
          {"ranks", host.ranks},
          {"devices", host.devices},
          {"out", text_or_null(host.why_out)},
          {"facts", values_object(host.facts)},
          {"verdict", to_string(host.verdict)},
          {"findings", finding_array(host.findings)}};
}

std::string_view word_of(Better better) {
  switch (better) {
    case Better::Higher:
      return "higher";
    case Better::Lower:
      return "lower";
    case Better::NearZero:
    case Better::Neither:
      return "neither";
  }
  return "neither";
}

Json kind_array(const std::vector<FleetKind>& kinds) {
  Json array = Json::array();
  for (const FleetKind& kind : kinds) {
    Json figures = Json::array();
    for (const FigureStatistics& of : kind.figures) {
      const FleetFigureInfo& about = info(of.figure);
      figures.push_back({{"figure", about.key},
                         {"label", about.label},
                         {"unit", about.unit},
                         {"better", word_of(about.better)},
                         {"count", of.count},
                         {"minimum", number_or_null(of.minimum)},
                         {"median", number_or_null(of.median)},
                         {"maximum", number_or_null(of.maximum)},
                         {"spread", number_or_null(of.spread)},
                         {"threshold", number_or_null(of.threshold)},
                         {"worst_unit", of.worst_unit}});
    }
    array.push_back({{"kind", kind.kind},
                     {"units", kind.units},
                     {"remark", text_or_null(kind.remark)},
                     {"figures", std::move(figures)}});
  }
  return array;
}

Json difference_array(const std::vector<FleetDifference>& differences) {
  Json array = Json::array();
  for (const FleetDifference& difference : differences) {
    Json others = Json::array();
    for (const auto& [value, hosts] : difference.others)
      others.push_back({{"value", value}, {"hosts", hosts}});
    array.push_back({{"fact", difference.fact},
                     {"majority", difference.majority},
                     {"count", difference.count},
                     {"others", std::move(others)}});
  }
  return array;
}

Json threshold_object(const FleetThresholds& thresholds) {
  return {{"tolerance_percent", thresholds.tolerance},
          {"spreads", thresholds.spreads},
          {"gates",
           {{"min_gflops", number_or_null(thresholds.gates.min_gflops)},
            {"min_efficiency", number_or_null(thresholds.gates.min_efficiency)},
            {"min_peak_efficiency", number_or_null(thresholds.gates.min_peak_efficiency)},
            {"max_spread", number_or_null(thresholds.gates.max_spread)}}}};
}

Json reference_object(const std::optional<FleetReference>& reference) {
  if (!reference) return nullptr;
  return {{"source", reference->source},
          {"written", text_or_null(reference->written)},
          {"kinds", kind_array(reference->kinds)}};
}

Json power_object(const std::optional<FleetPower>& power) {
  if (!power) return nullptr;
  Json meters = Json::array();
  for (const FleetMeter& meter : power->meters)
    meters.push_back({{"host", text_or_null(meter.host)},
                      {"core_seconds", number_or_null(meter.core_seconds)},
                      {"average_watts", number_or_null(meter.watts)},
                      {"energy_joules", number_or_null(meter.joules)},
                      {"covered", number_or_null(meter.covered)},
                      {"samples", meter.samples},
                      {"longest_gap_seconds", number_or_null(meter.longest_gap)},
                      {"gflops_per_watt", number_or_null(meter.gflops_per_watt)}});
  return {{"source", power->source},   {"scope", to_string(power->scope)},
          {"level", power->level},     {"missing", power->missing},
          {"remarks", power->remarks}, {"meters", std::move(meters)}};
}

}  // namespace

std::string fleet_json(const FleetReport& report) {
  Json hosts = Json::array(), units = Json::array();
  for (const FleetHost& host : report.hosts)
    hosts.push_back(host_object(host));
  for (const FleetUnit& unit : report.units)
    units.push_back(unit_object(unit));
  const Json document = {
      {"schema_version", kFleetSchemaVersion},
      {"program",
       {{"name", report.header.program.name}, {"version", report.header.program.version}}},
      {"environment", values_object(report.header.environment)},
      {"remarks", report.header.remarks},
      {"fleet",
       {{"each", name_of(kFleetUnitKinds, report.each)},
        {"started", text_or_null(iso_time(report.started))},
        {"ended", text_or_null(iso_time(report.ended))},
        {"wanted_seconds", number_or_null(report.wanted_seconds)},
        {"spec", to_json_value(report.spec)},
        {"thresholds", threshold_object(report.thresholds)},
        {"reference", reference_object(report.reference)},
        {"kinds", kind_array(report.kinds)},
        {"differences", difference_array(report.differences)},
        {"remarks", report.remarks},
        {"pass_list", report.pass_list},
        {"fail_list", report.fail_list},
        {"power", power_object(report.power)},
        {"hosts", std::move(hosts)},
        {"units", std::move(units)}}},
      {"exit_code", report.exit_code ? Json(static_cast<int>(*report.exit_code)) : Json(nullptr)},
      {"error", value_or_null(report.error)}};
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string reference_json(const FleetReport& report) {
  FleetReport figures = report;
  figures.hosts.clear();
  figures.units.clear();
  return fleet_json(figures);
}

}  // namespace hpl
