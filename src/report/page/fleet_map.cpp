#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "fleet_parts.h"
#include "format.h"

namespace hpl::page {

namespace {

std::string unit_cell(const FleetReport& fleet, const FleetUnit& unit, const std::string& label) {
  const auto percent = below_median(fleet, unit);
  const auto& rate = unit.figures[FleetFigure::Gflops];
  std::string title = unit.name;
  if (rate) title += ": " + rate_text(*rate);
  if (percent) title += fmt::format(", {} % of the median", deviation_text(*percent));
  if (const std::string reason = first_fault(unit.findings); !reason.empty())
    title += "; " + reason;
  const bool fault = unit.verdict != FleetVerdict::Passed;
  return fmt::format(R"(<td class="cell h{}{}" title="{}"><span>{}</span>{}</td>)",
                     percent ? heat(*percent) : 0, fault ? " fault" : "", escape(title),
                     escape(label),
                     !rate     ? "–"
                     : percent ? deviation_text(*percent)
                               : rate_text(*rate));
}

/// A row a host, a column a device.
std::string device_map(const FleetReport& fleet) {
  std::map<std::string, std::vector<const FleetUnit*>> by_host;
  std::size_t columns = 0;
  for (const FleetUnit& unit : fleet.units) {
    auto& units = by_host[unit.hosts.empty() ? unit.name : unit.hosts.front()];
    units.push_back(&unit);
    columns = std::max(columns, units.size());
  }
  for (const FleetHost& host : fleet.hosts)
    by_host.try_emplace(host.name);
  std::string rows;
  for (const auto& [host, units] : by_host) {
    rows += fmt::format(R"(<tr><th scope="row">{}</th>)", escape(host));
    for (std::size_t i = 0; i < columns; ++i) {
      if (i >= units.size()) {
        rows += R"(<td class="cell fault">none</td>)";
        continue;
      }
      const auto& devices = units[i]->devices;
      rows += unit_cell(fleet, *units[i],
                        devices.empty()
                            ? std::to_string(i)
                            : fmt::format("{} {}", devices.front().backend, devices.front().index));
    }
    rows += "</tr>\n";
  }
  return rows;
}

/// Hosts that no unit has.
std::vector<std::string> idle_hosts(const FleetReport& fleet) {
  std::set<std::string> busy;
  for (const FleetUnit& unit : fleet.units)
    busy.insert(unit.hosts.begin(), unit.hosts.end());
  std::vector<std::string> idle;
  for (const FleetHost& host : fleet.hosts)
    if (!busy.contains(host.name)) idle.push_back(host.name);
  return idle;
}

/// Cells one after the other: a unit is a node, or a pair of them.
std::string node_map(const FleetReport& fleet) {
  constexpr std::size_t kColumns = 8;
  std::vector<std::string> cells;
  for (const FleetUnit& unit : fleet.units)
    cells.push_back(unit_cell(fleet, unit, unit.name));
  for (const std::string& host : idle_hosts(fleet))
    cells.push_back(
        fmt::format(R"(<td class="cell fault"><span>{}</span>none</td>)", escape(host)));
  std::string rows;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i % kColumns == 0) rows += i == 0 ? "<tr>" : "</tr>\n<tr>";
    rows += cells[i];
  }
  return rows.empty() ? rows : rows + "</tr>\n";
}

}  // namespace

std::string map_part(const FleetReport& fleet) {
  const std::string rows =
      fleet.each == FleetUnitKind::Device ? device_map(fleet) : node_map(fleet);
  if (rows.empty()) return {};
  return R"(<h3>Rate against the median of its kind, percent</h3>)"
         R"(<div class="scroll tall" tabindex="0" role="region" aria-label="Map of the fleet"><table class="map"><tbody>)" +
         rows + "</tbody></table></div>";
}

}  // namespace hpl::page
