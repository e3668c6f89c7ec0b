#include "hpl/fleet/report/fleet_table.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hpl/base/text/text_value.h"
#include "hpl/base/text/zoned_time.h"

namespace hpl {
namespace {

/// Each text once, in quotes if it needs them.
std::string distinct_cell(const std::vector<std::string>& texts, std::string_view separator) {
  return csv_text(fmt::format("{}", fmt::join(distinct(texts), separator)));
}

std::string serials(const FleetMember& member) {
  std::vector<std::string> all;
  for (const JobDevice& device : member.devices)
    all.push_back(device.identity.serial);
  return distinct_cell(all, " ");
}

/// Nobody has passed in a fleet that did not come to its end.
Verdict verdict(const FleetReport& fleet, const FleetMember& member) {
  return fleet.error && has_passed(member.verdict) ? Verdict::Unchecked : member.verdict;
}

std::string findings(const FleetReport& fleet, const FleetMember& member) {
  std::vector<std::string> all;
  for (const Finding& finding : member.findings)
    all.push_back(finding.text);
  if (fleet.error) all.push_back(*fleet.error);
  return distinct_cell(all, "; ");
}

/// The largest scaled residual of the runs; empty where there is none or one is not finite.
std::optional<double> residual(const FleetMember& member) {
  std::optional<double> largest;
  for (const RunResult& run : member.runs) {
    if (!run.residual) continue;
    if (!std::isfinite(run.residual->scaled)) return std::nullopt;
    largest = std::max(largest.value_or(0), run.residual->scaled);
  }
  return largest;
}

/// The rate that the member is compared with.
std::optional<double> median_rate(const FleetReport& fleet, const FleetMember& member) {
  for (const FleetKind& kind : fleet.kinds)
    if (kind.kind == member.kind)
      for (const FigureStatistics& of : kind.figures)
        if (of.figure == Figure::Gflops) return of.median;
  return std::nullopt;
}

/// The one list of columns: header and rows are made of it. Texts stand first, so that a row of an
/// earlier table is cut at a comma.
CsvRow columns(const FleetReport& fleet, const FleetMember& member) {
  const RunSpec& spec = fleet.spec;
  CsvRow row{
      {"started", utc_time(static_cast<std::time_t>(fleet.started.seconds))},
      {"version", csv_text(fleet.header.program.version)},
      {"member", csv_text(member.name)},
      {"hosts", distinct_cell(member.hosts, " ")},
      {"kind", csv_text(member.kind)},
      {"serial", serials(member)},
      {"verdict", std::string(to_string(verdict(fleet, member)))},
      {"findings", findings(fleet, member)},
      {"variant", variant_code(spec)},
      {"arithmetic", csv_text(arithmetic_text(spec))},
      {"matrix", std::string(name_of(kMatrixRequests, spec.matrix))},
      {"n", std::to_string(spec.order)},
      {"nb", std::to_string(spec.block_size)},
      {"p", std::to_string(spec.grid_rows)},
      {"q", std::to_string(spec.grid_columns)},
      {"threshold", csv_number(spec.threshold)},
      {"runs", std::to_string(member.runs.size())},
      {"residual", csv_number(residual(member))},
      {"median_gflops", csv_number(median_rate(fleet, member))},
  };
  for (const FigureInfo& figure : kMemberFigures)
    row.emplace_back(figure.name, csv_number(member.figures[figure.value]));
  std::ranges::move(start_columns(fleet.header.program), std::back_inserter(row));
  return row;
}

}  // namespace

CsvTable fleet_table() {
  const CsvRow row = columns({}, {});
  return {csv_names(row), std::ssize(row) - std::ssize(start_columns({}))};
}

std::vector<std::string> fleet_rows(const FleetReport& fleet) {
  std::vector<std::string> rows;
  for (const FleetMember& member : fleet.members)
    rows.push_back(csv_line(columns(fleet, member)));
  for (const FleetHost& host : fleet.hosts) {
    const bool has_member = std::ranges::any_of(fleet.members, [&](const FleetMember& member) {
      return std::ranges::find(member.hosts, host.name) != member.hosts.end();
    });
    if (has_member) continue;
    rows.push_back(csv_line(columns(fleet, {.name = host.name,
                                            .hosts = {host.name},
                                            .verdict = host.verdict,
                                            .findings = host.findings})));
  }
  return rows;
}

}  // namespace hpl
