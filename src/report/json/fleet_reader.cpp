#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "fleet_fields.h"
#include "fleet_unit_reader.h"
#include "hpl/base/error/error.h"
#include "hpl/base/record/record.h"
#include "hpl/base/text/zoned_time.h"
#include "hpl/report/json/fleet_json.h"

namespace hpl {
namespace {

FleetHost read_host(const JsonCursor& from) {
  return {.name = from.at("name").text(),
          .ranks = fleet_rank_of(from.at("ranks")),
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

/// Kinds that others are compared with: each once, with figures that say something.
std::vector<FleetKind> read_reference_kinds(const JsonCursor& from) {
  std::set<std::string> names;
  for (const JsonCursor& kind : from.elements("kinds")) {
    const JsonCursor name = kind.at("kind");
    if (!names.insert(name.text()).second) name.refuse("a kind that stands there once");
    std::set<std::string> figures;
    for (const JsonCursor& of : kind.elements("figures")) {
      const JsonCursor figure = of.at("figure");
      if (!figures.insert(figure.text()).second) figure.refuse("a figure that stands there once");
      const JsonCursor median = of.at("median"), spread = of.at("spread");
      if (const double middle = median.number();
          figure_of(figure) == FleetFigure::Gflops && !(middle > 0))
        median.refuse("above 0");
      if (spread.number() < 0) spread.refuse("0 or more");
    }
    if (!figures.contains(std::string(info(FleetFigure::Gflops).key)))
      kind.at("figures").refuse("figures with gflops among them");
  }
  return read_kinds(from);
}

/// The judge finds the hosts of a unit by name: each must be listed, and once.
void require_hosts_of_units(const JsonCursor& fleet) {
  std::set<std::string> names;
  for (const JsonCursor& host : fleet.elements("hosts")) {
    const JsonCursor name = host.at("name");
    if (!names.insert(name.text()).second) name.refuse("a host that stands there once");
  }
  for (const JsonCursor& unit : fleet.elements("units"))
    for (const JsonCursor& host : unit.elements("hosts"))
      if (!names.contains(host.text())) host.refuse("the name of one of fleet.hosts");
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
                        .min_peak_efficiency = gates->find_number("min_peak_efficiency"),
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
  report.spec = from_json_value<RunSpec>(fleet.at("spec"));
  report.started = time_at(fleet, "started");
  report.ended = time_at(fleet, "ended");
  report.wanted_seconds = fleet.find_number("wanted_seconds");
  report.thresholds = read_thresholds(fleet.at("thresholds"));
  if (const auto before = fleet.find("reference"))
    report.reference = FleetReference{.source = before->at("source").text(),
                                      .each = report.each,
                                      .written = before->find_text("written").value_or(""),
                                      .spec = report.spec,
                                      .kinds = read_reference_kinds(*before)};
  report.kinds = read_kinds(fleet);
  report.differences = read_differences(fleet);
  report.remarks = fleet.texts("remarks");
  report.pass_list = fleet.find_text("pass_list").value_or("");
  report.fail_list = fleet.find_text("fail_list").value_or("");
  report.power = read_power(fleet);
  require_hosts_of_units(fleet);
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
  if (report.exit_code != ExitCode::Passed)
    document.at("exit_code").refuse("0, of a fleet that has passed");
  if (report.error) document.at("error").refuse("null, of a fleet that has passed");
  if (report.kinds.empty()) document.at("fleet").refuse("a fleet that has made its runs");
  return {.source = source,
          .each = report.each,
          .written = iso_time(report.started),
          .spec = std::move(report.spec),
          .kinds = read_reference_kinds(document.at("fleet"))};
}

}  // namespace hpl
