#include "fleet_fields.h"

#include <algorithm>

#include "hpl/base/text/zoned_time.h"

namespace hpl {
namespace {

std::int64_t bounded(const JsonCursor& value, std::int64_t most) {
  const std::int64_t number = value.integer();
  if (number < 0 || number > most) value.refuse(fmt::format("from 0 to {}", most));
  return number;
}

}  // namespace

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
  return static_cast<int>(bounded(from.at(key), 1'000'000'000));
}

int fleet_rank_of(const JsonCursor& value) {
  return static_cast<int>(bounded(value, kMostFleetRanks - 1));
}

double number_at(const JsonCursor& from, const char* key) {
  return from.find_number(key).value_or(0);
}

std::optional<std::int64_t> find_count(const JsonCursor& from, const char* key) {
  const auto value = from.find(key);
  if (!value) return std::nullopt;
  return bounded(*value, 1'000'000'000'000'000);
}

NamedValues values_at(const JsonCursor& from, const char* key) {
  NamedValues values;
  for (const auto& [name, value] : from.members(key))
    values.emplace_back(name, value.text());
  return values;
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
              FleetBasis::Device, FleetBasis::Count, FleetBasis::Unit, FleetBasis::Job}),
         .figure = figure ? std::optional(figure_of(*figure)) : std::nullopt,
         .value = finding.find_number("value"),
         .expected = finding.find_number("expected"),
         .threshold = finding.find_number("threshold"),
         .text = finding.at("text").text()});
  }
  return findings;
}

FleetVerdict read_verdict(const JsonCursor& from) {
  return word_at(from, "verdict",
                 {FleetVerdict::Passed, FleetVerdict::Failed, FleetVerdict::NotRun,
                  FleetVerdict::Missing, FleetVerdict::Unchecked});
}

}  // namespace hpl
