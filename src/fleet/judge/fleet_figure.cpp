#include "hpl/fleet/judge/fleet_figure.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "hpl/base/number/statistics.h"
#include "hpl/base/record/record.h"
#include "hpl/base/text/quantity.h"
#include "hpl/fleet/judge/fleet_verdict.h"
#include "hpl/report/result/disturbance.h"

namespace hpl {

// Columns: figure, name, label, unit, better, fails, points, slack, floor.
constexpr FleetFigureTable kFleetFigures{{
    {FleetFigure::Gflops, "gflops", "rate", "GFLOP/s", Better::Higher, true, false, 1, 0},
    {FleetFigure::WorstRun, "worst_run_percent", "slowest run below the median", "%", Better::Lower,
     true, true, 1, 1},
    {FleetFigure::Drift, "drift_percent", "loss of rate over the runs", "%", Better::Lower, true,
     true, 1, 1},
    {FleetFigure::Efficiency, "efficiency_percent", "share of attainable", "%", Better::Neither,
     false, true, 1, 0},
    {FleetFigure::Clock, "clock_mhz", "clock", "MHz", Better::Higher, false, false, 0.6, 15},
    {FleetFigure::Power, "power_watts", "power", "W", Better::Neither, false, false, 1, 0},
    {FleetFigure::Temperature, "temperature_celsius", "temperature", "C", Better::Lower, false,
     true, 2, 5},
    {FleetFigure::Throttled, "throttled_percent", "samples throttled", "%", Better::Lower, false,
     true, 4, 5},
    {FleetFigure::CorrectedErrors, "corrected_errors", "corrected memory errors", "", Better::Lower,
     false, true, 0, 0},
}};

namespace {

std::optional<double> mean(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double median_of(std::span<const double> values) {
  return median({values.begin(), values.end()});
}

/// Sets the figures that concern the rates of the runs, in their order.
void set_rates(FleetFigures& figures, std::span<const double> rates) {
  if (rates.empty()) return;
  const double middle = median_of(rates);
  figures[FleetFigure::Gflops] = trimmed_mean({rates.begin(), rates.end()});
  if (std::ssize(rates) >= kFewestPeers)
    figures[FleetFigure::WorstRun] = 100 * (1 - *std::ranges::min_element(rates) / middle);
  if (std::ssize(rates) < kFewestRunsForDrift) return;
  const std::size_t third = rates.size() / 3;
  figures[FleetFigure::Drift] =
      100 * (1 - median_of(rates.last(third)) / median_of(rates.first(third)));
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

void set_sensors(FleetFigures& figures, std::span<const RunResult* const> runs) {
  std::map<int, DeviceFigures> devices;  // by rank
  for (const RunResult* const run : runs)
    for (const DeviceTelemetry& device : run->devices)
      devices[device.rank].add(device.sensors);
  const auto least = [](double a, double b) { return std::min(a, b); };
  const auto most = [](double a, double b) { return std::max(a, b); };
  bool all_have_power = true, any_has_clock = false;
  for (const auto& [rank, device] : devices) {
    keep(figures[FleetFigure::Clock], mean(device.clocks), least);
    keep(figures[FleetFigure::Power], mean(device.powers), std::plus{});
    keep(figures[FleetFigure::Temperature], device.hottest, most);
    all_have_power = all_have_power && !device.powers.empty();
    any_has_clock = any_has_clock || !device.clocks.empty();
    for (const auto& [reason, shares] : device.throttled)
      keep(figures[FleetFigure::Throttled], 100 * shares / device.runs, most);
  }
  if (!all_have_power) figures[FleetFigure::Power].reset();
  // A device that reports its clock would report why it holds it down.
  if (any_has_clock && !figures[FleetFigure::Throttled]) figures[FleetFigure::Throttled] = 0;
}

/// An error of memory counts in every run, whatever else computed meanwhile.
void set_errors(FleetFigures& figures, const FleetMember& member) {
  for (const RunResult& run : member.runs)
    for (const DeviceTelemetry& device : run.devices)
      if (const auto& errors = device.sensors.corrected_errors)
        keep(figures[FleetFigure::CorrectedErrors], static_cast<double>(*errors), std::plus{});
}

}  // namespace

FigureScale scale_of(FleetFigure figure, double usual) {
  if (figure != FleetFigure::Gflops) return {1, info(figure).unit};
  const RateUnit unit = rate_unit(usual);
  return {unit.gflops, unit.name};
}

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

FleetFigures figures_of(const FleetMember& member) {
  FleetFigures figures;
  const std::vector<const RunResult*> runs = measuring_runs(member);
  std::vector<double> rates, shares;
  for (const RunResult* const run : runs) {
    if (!has_rate(*run)) continue;
    rates.push_back(run->gflops);
    if (run->attainable_gflops && *run->attainable_gflops > 0)
      shares.push_back(100 * run->gflops / *run->attainable_gflops);
  }
  set_rates(figures, rates);
  if (!shares.empty()) figures[FleetFigure::Efficiency] = median(shares);
  set_sensors(figures, runs);
  set_errors(figures, member);
  return figures;
}

void describe(Record& record, FleetFigures& figures) {
  record.type("figures", "Over all runs of a member; null where there is no such figure.");
  for (const FleetFigureInfo& about : kFleetFigures)
    record(about.name, figures[about.value]);
}

}  // namespace hpl
