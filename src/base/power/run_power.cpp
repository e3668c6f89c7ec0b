#include "hpl/base/power/run_power.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace hpl {

const PowerAverages* best_averages(const RunPower& power) {
  if (power.meter && power.meter->averages) return &*power.meter->averages;
  return power.components ? &power.components->averages : nullptr;
}

std::optional<PowerEvidence> power_evidence(const RunPower& power) {
  const PowerAverages* const averages = best_averages(power);
  if (averages == nullptr) return std::nullopt;
  const bool metered = power.meter && power.meter->averages;
  return PowerEvidence{.averages = *averages,
                       .core_seconds = power.seconds(),
                       .scope = metered ? power.meter->scope
                                        : PowerScope{.fraction = 1.0,
                                                     .subsystems = PowerSubsystems::Unknown,
                                                     .place = PowerPlace::Component},
                       .nodes = power.nodes};
}

MeterPower meter_power(const RunPower& run, std::string source, const PowerSeries& samples,
                       const PowerScope& scope) {
  MeterPower meter{.source = std::move(source),
                   .trace = thinned(samples, run.begin, run.end),
                   .averages = power_averages(samples, run.begin, run.end),
                   .scope = scope};
  for (PowerSample& sample : meter.trace)
    sample.seconds -= run.begin;
  return meter;
}

std::vector<std::string> meter_remarks(const MeterPower& meter, double core_seconds,
                                       double expected_gap) {
  std::vector<std::string> remarks;
  if (!meter.averages) {
    remarks.push_back("no reading in the core phase");
    return remarks;
  }
  // A second at either end is no loss: readings come once a second.
  constexpr double kNearlyAll = 1;
  const PowerAverages& seen = *meter.averages;
  if ((1 - seen.covered) * core_seconds > kNearlyAll)
    remarks.push_back(fmt::format(
        "readings cover {:.1f} of {:.1f} s of the core phase; average and energy are of that part",
        seen.covered * core_seconds, core_seconds));
  if (expected_gap > 0 && seen.longest_gap > 2 * expected_gap + 1)
    remarks.push_back(fmt::format("readings came up to {:.1f} s apart, one every {:.0f} s expected",
                                  seen.longest_gap, expected_gap));
  return remarks;
}

namespace {

/// Whether a span stands for the work of its phase, as in Recorder::totals().
bool is_work(const Span& span) {
  return is_stream(span.track) || !is_work_of_a_stream(span.phase);
}

}  // namespace

std::vector<double> phase_energies(const PowerSeries& samples, double begin,
                                   std::span<const Span> spans) {
  std::vector<double> joules(kPhaseCount, 0);
  std::vector<std::pair<double, double>> parts;
  for (int phase = 0; phase < kPhaseCount; ++phase) {
    parts.clear();
    for (const Span& span : spans)
      if (static_cast<int>(span.phase) == phase && is_work(span))
        parts.emplace_back(span.begin, span.end);
    std::ranges::sort(parts);
    // Streams and workers may do work of one phase at the same time: its energy counts once. Walks
    // through the samples beside the parts: both are many.
    double until = 0;
    std::size_t first = 0;
    for (const auto& [from, to] : parts) {
      const double start = begin + std::max(from, until), end = begin + to;
      if (!(end > start)) continue;
      while (first + 1 < samples.size() && samples[first + 1].seconds <= start)
        ++first;
      std::size_t last = first;
      while (last < samples.size() && samples[last].seconds < end)
        ++last;
      const std::size_t count = std::min(samples.size(), last + 1) - first;
      joules[static_cast<std::size_t>(phase)] +=
          energy_between(std::span(samples).subspan(first, count), start, end);
      until = to;
    }
  }
  return joules;
}

}  // namespace hpl
