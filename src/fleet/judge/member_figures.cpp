#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "hpl/base/number/statistics.h"
#include "hpl/base/result/figure.h"
#include "hpl/fleet/judge/fleet_verdict.h"
#include "hpl/report/result/disturbance.h"

namespace hpl {
namespace {

std::optional<double> mean(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double median_of(std::span<const double> values) {
  return median({values.begin(), values.end()});
}

/// Sets the figures that concern the rates of the runs, in their order.
void set_rates(Figures& figures, std::span<const double> rates) {
  if (rates.empty()) return;
  const double middle = median_of(rates);
  figures[Figure::Gflops] = trimmed_mean({rates.begin(), rates.end()});
  if (std::ssize(rates) >= kFewestPeers)
    figures[Figure::WorstRun] = 100 * (1 - *std::ranges::min_element(rates) / middle);
  if (std::ssize(rates) < kFewestRunsForDrift) return;
  const std::size_t third = rates.size() / 3;
  figures[Figure::Drift] = 100 * (1 - median_of(rates.last(third)) / median_of(rates.first(third)));
}

/// The readings of one device's sensors, over the runs.
struct DeviceFigures {
  std::vector<double> clocks, powers;
  std::optional<double> hottest;
  std::map<std::string, double> throttled;  ///< sum of the shares
  int runs = 0;

  void add(const TelemetrySummary& seen) {
    ++runs;
    if (seen.clock_mhz) clocks.push_back(seen.clock_mhz->mean);
    if (seen.power_watts) powers.push_back(seen.power_watts->mean);
    if (seen.temperature_celsius)
      hottest = std::max(hottest.value_or(seen.temperature_celsius->maximum),
                         seen.temperature_celsius->maximum);
    for (const auto& [reason, share] : seen.throttle_reasons)
      throttled[reason] += share;
  }
};

void keep(std::optional<double>& kept, const std::optional<double>& value, const auto& choose) {
  if (value) kept = kept ? choose(*kept, *value) : *value;
}

void set_sensors(Figures& figures, std::span<const RunResult* const> runs) {
  std::map<int, DeviceFigures> devices;  // by rank
  for (const RunResult* const run : runs)
    for (const DeviceTelemetry& device : run->devices)
      devices[device.rank].add(device.sensors);
  const auto least = [](double a, double b) { return std::min(a, b); };
  const auto most = [](double a, double b) { return std::max(a, b); };
  bool all_have_power = true, any_has_clock = false;
  for (const auto& [rank, device] : devices) {
    keep(figures[Figure::Clock], mean(device.clocks), least);
    keep(figures[Figure::Power], mean(device.powers), std::plus{});
    keep(figures[Figure::Temperature], device.hottest, most);
    all_have_power = all_have_power && !device.powers.empty();
    any_has_clock = any_has_clock || !device.clocks.empty();
    for (const auto& [reason, shares] : device.throttled)
      keep(figures[Figure::Throttled], 100 * shares / device.runs, most);
  }
  if (!all_have_power) figures[Figure::Power].reset();
  // A device that reports its clock would report why it holds it down.
  if (any_has_clock && !figures[Figure::Throttled]) figures[Figure::Throttled] = 0;
}

/// An error of memory counts in every run, whatever else computed meanwhile.
void set_errors(Figures& figures, const FleetMember& member) {
  for (const RunResult& run : member.runs)
    for (const DeviceTelemetry& device : run.devices)
      if (const auto& errors = device.sensors.corrected_errors)
        keep(figures[Figure::CorrectedErrors], static_cast<double>(*errors), std::plus{});
}

}  // namespace

bool has_rate(const RunResult& run) {
  return run.gflops > 0 && std::isfinite(run.gflops);
}

std::vector<const RunResult*> measuring_runs(const FleetMember& member) {
  std::vector<const RunResult*> runs;
  for (const RunResult& run : member.runs)
    if (!is_disturbed(run)) runs.push_back(&run);
  if (runs.empty())
    for (const RunResult& run : member.runs)
      runs.push_back(&run);
  return runs;
}

Figures figures_of(const FleetMember& member) {
  Figures figures;
  const std::vector<const RunResult*> runs = measuring_runs(member);
  std::vector<double> rates, shares;
  for (const RunResult* const run : runs) {
    if (!has_rate(*run)) continue;
    rates.push_back(run->gflops);
    if (run->attainable_gflops && *run->attainable_gflops > 0)
      shares.push_back(100 * run->gflops / *run->attainable_gflops);
  }
  set_rates(figures, rates);
  if (!shares.empty()) figures[Figure::Efficiency] = median(shares);
  set_sensors(figures, runs);
  set_errors(figures, member);
  return figures;
}

}  // namespace hpl
