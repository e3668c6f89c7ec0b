#include "fleet_comparison.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "hpl/base/number/benchmark_formulas.h"
#include "hpl/base/number/statistics.h"
#include "hpl/base/text/quantity.h"
#include "hpl/fleet/judge/fleet_verdict.h"

namespace hpl {
namespace {

std::string in_scale(double value, const FigureScale& in) {
  return short_number(value / in.scale);
}

std::string with_unit(double value, const FigureScale& in) {
  return in.unit.empty() ? in_scale(value, in) : fmt::format("{} {}", in_scale(value, in), in.unit);
}

/// "39.20 points above": the difference of a figure whose tolerance is in points; else in percent.
std::string distance_text(double value, double expected, const FigureInfo& about) {
  const std::string_view side = value < expected ? "below" : "above";
  if (!about.points) return fmt::format("{:.1f} % {}", 100 * std::abs(value / expected - 1), side);
  const std::string_view unit = about.unit == "%" ? "points" : about.unit;
  return fmt::format("{} {}", with_unit(std::abs(value - expected), {1, unit}), side);
}

/// The sentence of a finding.
std::string sentence(double value, const Norm& norm, const FigureLimit& limit) {
  const FigureInfo& about = info(norm.of.figure);
  const FigureScale in = scale_of(norm.of.figure, norm.of.median);
  const double expected = norm.of.median;
  if (norm.of.figure == Figure::Drift)
    return fmt::format("loses {:.1f} % over its runs, {} {:.1f} % (limit {:.1f})", value, norm.name,
                       expected, limit.value);
  return fmt::format("{} {}, {} {}, {} (limit {}: {})", about.label, with_unit(value, in),
                     distance_text(value, expected, about), in_scale(expected, in), norm.name,
                     in_scale(limit.value, in), limit.reason);
}

/// The median of the runs, phase by phase, of the slowest rank.
PhaseTimes usual_phases(const FleetMember& member) {
  PhaseTimes usual;
  for (std::size_t phase = 0; phase < usual.seconds.size(); ++phase) {
    std::vector<double> seconds;
    for (const RunResult& run : member.runs)
      seconds.push_back(run.phases[phase].maximum);
    usual.seconds[phase] = median(std::move(seconds));
  }
  return usual;
}

}  // namespace

double noise_floor(Figure figure, double usual_gflops, std::int64_t order) {
  const FigureInfo& about = info(figure);
  if (!(usual_gflops > 0)) return about.noise;
  const double seconds = benchmark_flops(order) / (usual_gflops * 1e9);
  const double share = kFleetNoiseSeconds / (seconds + kFleetNoiseSeconds);
  if (figure == Figure::Gflops) return std::max(about.noise, usual_gflops * share);
  if (figure == Figure::WorstRun || figure == Figure::Drift)
    return std::max(about.noise, 100 * share);
  return about.noise;
}

bool is_judged(const FigureInfo& about) {
  return about.better == Better::Higher || about.better == Better::Lower;
}

FigureLimit limit_of(const Norm& norm, const FleetThresholds& thresholds, std::int64_t order) {
  const FigureInfo& about = info(norm.of.figure);
  const FigureScale in = scale_of(norm.of.figure, norm.of.median);
  const double percent = thresholds.tolerance * about.slack;
  double distance = about.points ? percent : percent / 100 * std::abs(norm.of.median);
  std::string reason = about.points ? fmt::format("{:g} points", percent)
                                    : fmt::format("{:g} % of the median", percent);
  if (const double wide = thresholds.spreads * norm.of.spread; wide > distance) {
    distance = wide;
    reason =
        fmt::format("{:g} robust spreads of {}", thresholds.spreads, in_scale(norm.of.spread, in));
  }
  if (const double floor = noise_floor(norm.of.figure, norm.usual_gflops, order);
      floor > distance) {
    distance = floor;
    reason = fmt::format("differences up to {} are noise", with_unit(floor, in));
  }
  const bool lower_is_worse = about.better == Better::Higher;
  const double limit = norm.of.median + (lower_is_worse ? -distance : distance);
  // Peers that get faster are no norm for a member that keeps its rate.
  if (norm.of.figure == Figure::Drift && limit < percent)
    return {percent, fmt::format("{:g} points", percent)};
  return {limit, std::move(reason)};
}

std::optional<Finding> compare(double value, const Norm& norm, const FigureLimit& limit) {
  const auto severity = severity_of(norm.of.figure, value, norm.of.median, limit.value);
  if (!severity) return {};
  return Finding{.severity = *severity,
                 .basis = norm.basis,
                 .figure = norm.of.figure,
                 .value = value,
                 .expected = norm.of.median,
                 .threshold = limit.value,
                 .text = sentence(value, norm, limit)};
}

std::string slow_phase(const FleetMember& member, const std::vector<FleetMember*>& peers) {
  const PhaseTimes mine = usual_phases(member);
  std::vector<PhaseTimes> others;
  for (const FleetMember* const peer : peers)
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

std::string throttle_text(const FleetMember& member) {
  std::map<std::string, double> reasons;
  int seen = 0;
  for (const RunResult& run : member.runs)
    for (const DeviceTelemetry& device : run.devices) {
      ++seen;
      for (const auto& [reason, share] : device.sensors.throttle_reasons)
        reasons[reason] += share;
    }
  std::string text;
  for (const auto& [reason, sum] : reasons)
    text += fmt::format("{} {} {:.0f} %", text.empty() ? ";" : ",", reason, 100 * sum / seen);
  return text;
}

}  // namespace hpl
