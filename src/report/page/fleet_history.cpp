#include "fleet_history.h"

#include <algorithm>
#include <map>

#include "hpl/base/number/statistics.h"

namespace hpl::page {

namespace {

/// By name and kind: a unit whose hardware was replaced is another.
using UnitKey = std::pair<std::string, std::string>;

std::map<UnitKey, UnitDrift> rates_by_unit(std::span<const FleetReport* const> fleets) {
  std::map<UnitKey, UnitDrift> units;
  for (std::size_t i = 0; i < fleets.size(); ++i)
    for (const FleetUnit& unit : fleets[i]->units) {
      const auto& rate = unit.figures[FleetFigure::Gflops];
      if (!rate) continue;
      UnitDrift& drift = units[{unit.name, unit.kind}];
      drift.unit = unit.name;
      drift.kind = unit.kind;
      drift.gflops.resize(fleets.size());
      drift.gflops[i] = rate;
    }
  return units;
}

}  // namespace

FleetHistory fleet_history(std::span<const FleetReport* const> fleets) {
  FleetHistory history{.fleets = {fleets.begin(), fleets.end()}, .drifts = {}};
  std::ranges::stable_sort(history.fleets, {},
                           [](const FleetReport* fleet) { return fleet->started.seconds; });
  if (fleets.size() < 2) return history;
  std::map<std::string, std::vector<double>> changes;
  for (auto& [key, drift] : rates_by_unit(history.fleets)) {
    const auto known = [](const std::optional<double>& rate) { return rate.has_value(); };
    const auto first = std::ranges::find_if(drift.gflops, known);
    const auto last = std::find_if(drift.gflops.rbegin(), drift.gflops.rend(), known).base() - 1;
    if (!drift.gflops.front() && drift.gflops.back()) history.added.push_back(drift.unit);
    if (drift.gflops.front() && !drift.gflops.back()) history.gone.push_back(drift.unit);
    if (first == last || !(**first > 0)) continue;
    drift.percent = 100 * (**last / **first - 1);
    changes[drift.kind].push_back(drift.percent);
    history.drifts.push_back(std::move(drift));
  }
  for (UnitDrift& drift : history.drifts)
    drift.against_peers = drift.percent - median(changes[drift.kind]);
  std::ranges::stable_sort(history.drifts, {}, &UnitDrift::against_peers);
  return history;
}

}  // namespace hpl::page
