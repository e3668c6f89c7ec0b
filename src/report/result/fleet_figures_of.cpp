#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <vector>

#include "hpl/base/number/statistics.h"
#include "hpl/report/result/fleet_verdict.h"

namespace hpl {
namespace {

std::optional<double> mean(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double median_of(std::span<const double> values) {
  return median({values.begin(), values.end()});
}

/// What concerns the rates of the rounds, in their order.
void set_rates(FleetFigures& figures, std::span<const double> rates) {
  if (rates.empty()) return;
  const double middle = median_of(rates);
  figures[FleetFigure::Gflops] = middle;
  if (std::ssize(rates) >= kFewestPeers)
    figures[FleetFigure::WorstRound] = 100 * (1 - *std::ranges::min_element(rates) / middle);
  if (std::ssize(rates) < kFewestRoundsForDrift) return;
  const std::size_t third = rates.size() / 3;
  figures[FleetFigure::Drift] =
      100 * (1 - median_of(rates.last(third)) / median_of(rates.first(third)));
}

/// What the sensors of one device showed, over the rounds.
struct DeviceFigures {
  std::vector<double> clocks, powers;
  std::optional<double> hottest;
  std::map<std::string, double> throttled;  ///< sum of the shares
  int rounds = 0;
  std::optional<std::int64_t> corrected;

  void add(const DeviceRound& round) {
    const TelemetrySummary& seen = round.sensors;
    ++rounds;
    if (seen.clock_mhz) clocks.push_back(seen.clock_mhz->mean);
    if (seen.power_watts) powers.push_back(seen.power_watts->mean);
    if (seen.temperature_celsius)
      hottest = std::max(hottest.value_or(seen.temperature_celsius->maximum),
                         seen.temperature_celsius->maximum);
    for (const auto& [reason, share] : seen.throttle_reasons)
      throttled[reason] += share;
    if (round.corrected_errors) corrected = corrected.value_or(0) + *round.corrected_errors;
  }
};

template <class Value>
void keep(std::optional<double>& kept, const std::optional<Value>& value, const auto& choose) {
  if (!value) return;
  const auto number = static_cast<double>(*value);
  kept = kept ? choose(*kept, number) : number;
}

void set_sensors(FleetFigures& figures, const FleetUnit& unit) {
  std::map<int, DeviceFigures> devices;  // by rank
  for (const FleetRound& round : unit.rounds)
    for (const DeviceRound& device : round.devices)
      devices[device.rank].add(device);
  const auto least = [](double a, double b) { return std::min(a, b); };
  const auto most = [](double a, double b) { return std::max(a, b); };
  const auto sum = [](double a, double b) { return a + b; };
  bool all_have_power = true, any_has_clock = false;
  for (const auto& [rank, device] : devices) {
    keep(figures[FleetFigure::Clock], mean(device.clocks), least);
    keep(figures[FleetFigure::Power], mean(device.powers), sum);
    keep(figures[FleetFigure::Temperature], device.hottest, most);
    keep(figures[FleetFigure::CorrectedErrors], device.corrected, sum);
    all_have_power = all_have_power && !device.powers.empty();
    any_has_clock = any_has_clock || !device.clocks.empty();
    for (const auto& [reason, shares] : device.throttled)
      keep(figures[FleetFigure::Throttled], std::optional(100 * shares / device.rounds), most);
  }
  if (!all_have_power) figures[FleetFigure::Power].reset();
  // A device that tells its clock would tell why it holds it down.
  if (any_has_clock && !figures[FleetFigure::Throttled]) figures[FleetFigure::Throttled] = 0;
}

}  // namespace

FleetFigures figures_of(const FleetUnit& unit) {
  FleetFigures figures;
  std::vector<double> rates, shares;
  for (const FleetRound& round : unit.rounds) {
    if (!(round.gflops > 0) || !std::isfinite(round.gflops)) continue;
    rates.push_back(round.gflops);
    if (round.attainable_gflops && *round.attainable_gflops > 0)
      shares.push_back(100 * round.gflops / *round.attainable_gflops);
  }
  set_rates(figures, rates);
  if (!shares.empty()) figures[FleetFigure::Efficiency] = median(shares);
  set_sensors(figures, unit);
  return figures;
}

}  // namespace hpl
