#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "hpl/base/error/error.h"
#include "hpl/base/text/zoned_time.h"
#include "hpl/report/json/fleet_json.h"
#include "spec_json.h"

namespace hpl {
namespace {

/// The enumerator whose word stands there.
template <class Enum>
Enum word_at(const JsonCursor& from, const char* key, std::initializer_list<Enum> all) {
  const JsonCursor value = from.at(key);
  const std::string word = value.text();
  std::string allowed;
  for (const Enum one : all) {
    if (to_string(one) == word) return one;
    allowed += fmt::format("{}{}", allowed.empty() ? "" : ", ", to_string(one));
  }
  value.refuse("one of " + allowed);
}

FleetFigure figure_of(const JsonCursor& value) {
  const std::string key = value.text();
  const auto all = all_fleet_figures();
  const auto found = std::ranges::find(all, key, &FleetFigureInfo::key);
  if (found == all.end()) value.refuse("the name of a figure");
  return static_cast<FleetFigure>(found - all.begin());
}

ZonedTime time_at(const JsonCursor& from, const char* key) {
  const auto value = from.find(key);
  if (!value) return {};
  const auto time = parse_iso_time(value->text());
  if (!time) value->refuse("a time such as 2026-11-22T07:30:00+01:00");
  return *time;
}

int int_at(const JsonCursor& from, const char* key) {
  const JsonCursor value = from.at(key);
  const std::int64_t number = value.integer();
  if (number < 0 || number > 1'000'000'000) value.refuse("from 0 to 1000000000");
  return static_cast<int>(number);
}

double number_at(const JsonCursor& from, const char* key) {
  return from.find_number(key).value_or(0);
}

NamedValues values_at(const JsonCursor& from, const char* key) {
  NamedValues values;
  for (const auto& [name, value] : from.members(key))
    values.emplace_back(name, value.text());
  return values;
}

std::optional<bool> find_truth(const JsonCursor& from, const char* key) {
  const auto value = from.find(key);
  return value ? std::optional(value->truth()) : std::nullopt;
}

std::optional<SensorRange> range_at(const JsonCursor& from, const char* key) {
  const auto range = from.find(key);
  if (!range) return std::nullopt;
  return SensorRange{.minimum = number_at(*range, "minimum"),
                     .mean = number_at(*range, "mean"),
                     .maximum = number_at(*range, "maximum")};
}

std::vector<FleetFinding> read_findings(const JsonCursor& from) {
  std::vector<FleetFinding> findings;
  for (const JsonCursor& finding : from.elements("findings")) {
    const auto figure = finding.find("figure");
    findings.push_back(
        {.severity = word_at(finding, "severity", {FleetSeverity::Fault, FleetSeverity::Remark}),
         .basis = word_at(
             finding, "basis",
             {FleetBasis::Residual, FleetBasis::Fleet, FleetBasis::Gate, FleetBasis::Reference,
              FleetBasis::Device, FleetBasis::Count, FleetBasis::Unit}),
         .figure = figure ? std::optional(figure_of(*figure)) : std::nullopt,
         .value = finding.find_number("value"),
         .expected = finding.find_number("expected"),
         .threshold = finding.find_number("threshold"),
         .text = finding.at("text").text()});
  }
  return findings;
}

FleetVerdict read_verdict(const JsonCursor& from) {
  return word_at(
      from, "verdict",
      {FleetVerdict::Passed, FleetVerdict::Failed, FleetVerdict::NotRun, FleetVerdict::Missing});
}

FleetDevice read_device(const JsonCursor& from) {
  FleetDevice device{.rank = int_at(from, "rank"),
                     .host = from.at("host").text(),
                     .backend = from.at("backend").text(),
                     .index = int_at(from, "index"),
                     .model = from.at("model").text(),
                     .identity = {.serial = from.find_text("serial").value_or(""),
                                  .uuid = from.find_text("uuid").value_or(""),
                                  .firmware = from.find_text("firmware").value_or(""),
                                  .driver = from.find_text("driver").value_or("")},
                     .health = {}};
  hpcx::DeviceHealth& health = device.health;
  health.pci_address = from.find_text("pci_address").value_or("");
  health.maximum_clock_mhz = from.find_number("maximum_clock_mhz");
  health.power_limit_watts = from.find_number("power_limit_watts");
  health.default_power_limit_watts = from.find_number("default_power_limit_watts");
  health.ecc = find_truth(from, "ecc");
  health.corrected_errors = from.find_integer("corrected_errors");
  health.uncorrected_errors = from.find_integer("uncorrected_errors");
  health.uncorrected_errors_ever = from.find_integer("uncorrected_errors_ever");
  if (const auto rows = from.find("remapped_rows"))
    health.remapped_rows =
        hpcx::RemappedRows{.after_corrected = int_at(*rows, "after_corrected"),
                           .after_uncorrected = int_at(*rows, "after_uncorrected"),
                           .pending = rows->at("pending").truth(),
                           .failed = rows->at("failed").truth()};
  return device;
}

DeviceRound read_device_round(const JsonCursor& from) {
  DeviceRound device{.rank = int_at(from, "rank"),
                     .sensors = {.samples = from.find_integer("samples").value_or(0),
                                 .clock_mhz = range_at(from, "clock_mhz"),
                                 .power_watts = range_at(from, "power_watts"),
                                 .temperature_celsius = range_at(from, "temperature_celsius"),
                                 .energy_joules = from.find_number("energy_joules"),
                                 .throttle_reasons = {}},
                     .corrected_errors = from.find_integer("corrected_errors"),
                     .uncorrected_errors = from.find_integer("uncorrected_errors")};
  for (const JsonCursor& reason : from.elements("throttle_reasons"))
    device.sensors.throttle_reasons.push_back(
        {reason.at("reason").text(), number_at(reason, "share")});
  return device;
}

FleetRound read_round(const JsonCursor& from) {
  FleetRound round{.round = int_at(from, "round"),
                   .started = time_at(from, "started"),
                   .ended = time_at(from, "ended"),
                   .seconds = number_at(from, "seconds"),
                   .gflops = number_at(from, "gflops"),
                   .status = word_at(from, "status",
                                     {RunStatus::Passed, RunStatus::Failed, RunStatus::Unchecked}),
                   .scaled_residual = from.find_number("scaled_residual"),
                   .zero_pivot_column = from.find_integer("zero_pivot_column"),
                   .attainable_gflops = from.find_number("ceiling_gflops"),
                   .phases = {},
                   .devices = {}};
  // Phases that this program does not know are of a later one.
  for (const auto& [name, seconds] : from.members("phases"))
    for (int phase = 0; phase < kPhaseCount; ++phase)
      if (to_string(static_cast<Phase>(phase)) == name)
        round.phases[static_cast<Phase>(phase)] = seconds.number();
  for (const JsonCursor& device : from.elements("devices"))
    round.devices.push_back(read_device_round(device));
  return round;
}

FleetUnit read_unit(const JsonCursor& from) {
  FleetUnit unit{.name = from.at("name").text(),
                 .kind = from.at("kind").text(),
                 .hosts = from.texts("hosts"),
                 .ranks = {},
                 .devices = {},
                 .rounds = {},
                 .verdict = read_verdict(from),
                 .findings = read_findings(from)};
  if (unit.hosts.empty() || unit.hosts.size() > 2)
    from.at("hosts").refuse("one host, or the two of a pair");
  for (const JsonCursor& rank : from.elements("ranks"))
    unit.ranks.push_back(static_cast<int>(rank.integer()));
  for (const JsonCursor& device : from.elements("devices"))
    unit.devices.push_back(read_device(device));
  for (const JsonCursor& round : from.elements("rounds"))
    unit.rounds.push_back(read_round(round));
  if (const auto figures = from.find("figures"))
    for (int number = 0; number < kFleetFigureCount; ++number) {
      const auto figure = static_cast<FleetFigure>(number);
      unit.figures[figure] = figures->find_number(info(figure).key);
    }
  return unit;
}

FleetHost read_host(const JsonCursor& from) {
  return {.name = from.at("name").text(),
          .ranks = int_at(from, "ranks"),
          .devices = int_at(from, "devices"),
          .why_out = from.find_text("out").value_or(""),
          .facts = values_at(from, "facts"),
          .verdict = read_verdict(from),
          .findings = read_findings(from)};
}

std::vector<FleetKind> read_kinds(const JsonCursor& from) {
  std::vector<FleetKind> kinds;
  for (const JsonCursor& kind : from.elements("kinds")) {
    kinds.push_back({.kind = kind.at("kind").text(),
                     .units = int_at(kind, "units"),
                     .remark = kind.find_text("remark").value_or("")});
    for (const JsonCursor& of : kind.elements("figures"))
      kinds.back().figures.push_back({.figure = figure_of(of.at("figure")),
                                      .count = int_at(of, "count"),
                                      .minimum = number_at(of, "minimum"),
                                      .median = number_at(of, "median"),
                                      .maximum = number_at(of, "maximum"),
                                      .spread = number_at(of, "spread"),
                                      .threshold = of.find_number("threshold"),
                                      .worst_unit = of.find_text("worst_unit").value_or("")});
  }
  return kinds;
}

std::vector<FleetDifference> read_differences(const JsonCursor& from) {
  std::vector<FleetDifference> differences;
  for (const JsonCursor& one : from.elements("differences")) {
    differences.push_back({.fact = one.at("fact").text(),
                           .majority = one.at("majority").text(),
                           .count = int_at(one, "count")});
    for (const JsonCursor& other : one.elements("others"))
      differences.back().others.emplace_back(other.at("value").text(), other.texts("hosts"));
  }
  return differences;
}

FleetUnitKind read_each(const JsonCursor& fleet) {
  const JsonCursor value = fleet.at("each");
  const std::string word = value.text();
  for (const auto& choice : kFleetUnitKinds)
    if (choice.name == word) return choice.value;
  value.refuse(allowed_choices(kFleetUnitKinds, ChoiceNumbers::None));
}

FleetThresholds read_thresholds(const JsonCursor& from) {
  FleetThresholds thresholds{.tolerance = from.at("tolerance_percent").number(),
                             .spreads = from.at("spreads").number()};
  if (const auto gates = from.find("gates"))
    thresholds.gates = {.min_gflops = gates->find_number("min_gflops"),
                        .min_efficiency = gates->find_number("min_efficiency"),
                        .max_spread = gates->find_number("max_spread")};
  return thresholds;
}

std::optional<FleetPower> read_power(const JsonCursor& fleet) {
  const auto from = fleet.find("power");
  if (!from) return std::nullopt;
  FleetPower power{.source = from->at("source").text(),
                   .scope = {},
                   .meters = {},
                   .level = int_at(*from, "level"),
                   .missing = from->texts("missing"),
                   .remarks = from->texts("remarks")};
  if (const auto scope = from->find_text("scope"); scope && !scope->empty())
    power.scope = parse_power_scope("fleet.power.scope", *scope);
  for (const JsonCursor& meter : from->elements("meters"))
    power.meters.push_back({.host = meter.find_text("host").value_or(""),
                            .core_seconds = number_at(meter, "core_seconds"),
                            .watts = number_at(meter, "average_watts"),
                            .joules = number_at(meter, "energy_joules"),
                            .covered = number_at(meter, "covered"),
                            .samples = meter.find_integer("samples").value_or(0),
                            .longest_gap = number_at(meter, "longest_gap_seconds"),
                            .gflops_per_watt = meter.find_number("gflops_per_watt")});
  return power;
}

}  // namespace

bool is_fleet(const JsonCursor& document) {
  return document.find("fleet").has_value();
}

FleetReport read_fleet(const JsonCursor& document) {
  if (const std::int64_t version = document.at("schema_version").integer();
      version != kFleetSchemaVersion)
    document.at("schema_version").refuse(fmt::format("{}", kFleetSchemaVersion));
  const JsonCursor fleet = document.at("fleet");
  FleetReport report;
  report.header.program = {document.at("program").at("name").text(),
                           document.at("program").at("version").text()};
  report.header.environment = values_at(document, "environment");
  report.header.remarks = document.texts("remarks");
  report.each = read_each(fleet);
  report.spec = read_spec(fleet.at("spec"));
  report.started = time_at(fleet, "started");
  report.ended = time_at(fleet, "ended");
  report.wanted_seconds = fleet.find_number("wanted_seconds");
  report.thresholds = read_thresholds(fleet.at("thresholds"));
  if (const auto before = fleet.find("reference"))
    report.reference = FleetReference{.source = before->at("source").text(),
                                      .each = report.each,
                                      .written = before->find_text("written").value_or(""),
                                      .order = report.spec.order,
                                      .block_size = report.spec.block_size,
                                      .grid_rows = report.spec.grid_rows,
                                      .grid_columns = report.spec.grid_columns,
                                      .kinds = read_kinds(*before)};
  report.kinds = read_kinds(fleet);
  report.differences = read_differences(fleet);
  report.remarks = fleet.texts("remarks");
  report.pass_list = fleet.find_text("pass_list").value_or("");
  report.fail_list = fleet.find_text("fail_list").value_or("");
  report.power = read_power(fleet);
  for (const JsonCursor& host : fleet.elements("hosts"))
    report.hosts.push_back(read_host(host));
  for (const JsonCursor& unit : fleet.elements("units"))
    report.units.push_back(read_unit(unit));
  if (const auto code = document.find_integer("exit_code")) {
    if (*code < 0 || *code > 3) document.at("exit_code").refuse("from 0 to 3");
    report.exit_code = static_cast<ExitCode>(*code);
  }
  report.error = document.find_text("error");
  return report;
}

FleetReference read_reference(const JsonCursor& document, const std::string& source) {
  FleetReport report = read_fleet(document);
  const auto measured = [](const FleetKind& kind) { return !kind.figures.empty(); };
  if (!std::ranges::any_of(report.kinds, measured))
    document.at("fleet").refuse("a fleet that has made its runs");
  return {.source = source,
          .each = report.each,
          .written = iso_time(report.started),
          .order = report.spec.order,
          .block_size = report.spec.block_size,
          .grid_rows = report.spec.grid_rows,
          .grid_columns = report.spec.grid_columns,
          .kinds = std::move(report.kinds)};
}

}  // namespace hpl
