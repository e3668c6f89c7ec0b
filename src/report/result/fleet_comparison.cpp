#include "fleet_comparison.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "hpl/base/number/benchmark_formulas.h"
#include "hpl/base/number/statistics.h"
#include "hpl/report/result/fleet_verdict.h"

namespace hpl {
namespace {

/// Large enough to tell values apart, short enough to read: 53123, 482.6, 80.21, 0.0312.
std::string short_number(double value) {
  const double size = std::abs(value);
  return fmt::format("{:.{}f}", value, size >= 1000 ? 0 : size >= 100 ? 1 : size >= 1 ? 2 : 4);
}

std::string with_unit(double value, const FleetFigureInfo& about) {
  return about.unit.empty() ? short_number(value)
                            : fmt::format("{} {}", short_number(value), about.unit);
}

/// Differences of so much are noise: a fraction of a second, whatever it is of a short run.
double noise_floor(FleetFigure figure, double median_gflops, std::int64_t order) {
  const FleetFigureInfo& about = info(figure);
  if (!(median_gflops > 0)) return about.floor;
  const double seconds = benchmark_flops(order) / (median_gflops * 1e9);
  const double share = kFleetNoiseSeconds / (seconds + kFleetNoiseSeconds);
  switch (figure) {
    case FleetFigure::Gflops:
      return std::max(about.floor, median_gflops * share);
    case FleetFigure::WorstRound:
    case FleetFigure::Drift:
      return std::max(about.floor, 100 * share);
    case FleetFigure::Efficiency:
    case FleetFigure::Clock:
    case FleetFigure::Power:
    case FleetFigure::Temperature:
    case FleetFigure::Throttled:
    case FleetFigure::CorrectedErrors:
      return about.floor;
  }
  return about.floor;
}

/// The median of the rounds, phase by phase.
PhaseTimes usual_phases(const FleetUnit& unit) {
  PhaseTimes usual;
  for (std::size_t phase = 0; phase < usual.seconds.size(); ++phase) {
    std::vector<double> seconds;
    for (const FleetRound& round : unit.rounds)
      seconds.push_back(round.phases.seconds[phase]);
    usual.seconds[phase] = median(std::move(seconds));
  }
  return usual;
}

}  // namespace

Allowance allowance(const FleetThresholds& thresholds, const FigureStatistics& of,
                    double median_gflops, std::int64_t order) {
  const FleetFigureInfo& about = info(of.figure);
  const double floor = noise_floor(of.figure, median_gflops, order);
  const double percent = thresholds.tolerance * about.slack;
  Allowance most{about.points ? percent : percent / 100 * std::abs(of.median),
                 about.points ? fmt::format("{:g} points", percent)
                              : fmt::format("{:g} % of the median", percent)};
  if (const double wide = thresholds.spreads * of.spread; wide > most.distance)
    most = {wide,
            fmt::format("{:g} robust spreads of {}", thresholds.spreads, short_number(of.spread))};
  if (floor > most.distance)
    most = {floor, fmt::format("differences up to {} are noise", with_unit(floor, about))};
  return most;
}

bool is_judged(const FleetFigureInfo& about) {
  return about.better == Better::Higher || about.better == Better::Lower;
}

bool is_worse(const FleetFigureInfo& about, double value, double than) {
  return about.better == Better::Higher ? value < than : value > than;
}

double beyond(const FleetFigureInfo& about, double expected, double distance) {
  return about.better == Better::Higher ? expected - distance : expected + distance;
}

std::string comparison(const FleetFigureInfo& about, double value, double expected,
                       const std::string& what, double threshold, const std::string& reason) {
  const std::string_view side = value < expected ? "below" : "above";
  const std::string apart =
      about.points ? fmt::format("{} {}", with_unit(std::abs(value - expected), about), side)
                   : fmt::format("{:.1f} % {}", 100 * std::abs(value / expected - 1), side);
  return fmt::format("{} {}, {} {}, {} (limit {}: {})", about.label, with_unit(value, about), apart,
                     short_number(expected), what, short_number(threshold), reason);
}

std::string slow_phase(const FleetUnit& unit, const std::vector<const FleetUnit*>& peers) {
  const PhaseTimes mine = usual_phases(unit);
  std::vector<PhaseTimes> others;
  for (const FleetUnit* const peer : peers)
    others.push_back(usual_phases(*peer));
  double most = kFleetNoiseSeconds;
  std::string text;
  for (std::size_t phase = 0; phase < mine.seconds.size(); ++phase) {
    std::vector<double> seconds;
    for (const PhaseTimes& times : others)
      seconds.push_back(times.seconds[phase]);
    const double usual = median(std::move(seconds));
    if (mine.seconds[phase] - usual <= most) continue;
    most = mine.seconds[phase] - usual;
    text = fmt::format("; {} takes {:.2f} s, {:.2f} s elsewhere",
                       to_string(static_cast<Phase>(phase)), mine.seconds[phase], usual);
  }
  return text;
}

std::string throttle_text(const FleetUnit& unit) {
  std::map<std::string, std::pair<double, int>> reasons;
  int rounds = 0;
  for (const FleetRound& round : unit.rounds)
    for (const DeviceRound& device : round.devices) {
      ++rounds;
      for (const auto& [reason, share] : device.sensors.throttle_reasons)
        reasons[reason].first += share;
    }
  std::string text;
  for (const auto& [reason, sum] : reasons)
    text +=
        fmt::format("{} {} {:.0f} %", text.empty() ? ";" : ",", reason, 100 * sum.first / rounds);
  return text;
}

}  // namespace hpl
