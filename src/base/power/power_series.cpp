#include "hpl/base/power/power_series.h"

#include <algorithm>
#include <cmath>

#include "hpl/base/record/record.h"

namespace hpl {

namespace {

/// On the line through two samples.
double watts_at(const PowerSample& a, const PowerSample& b, double seconds) {
  if (!(b.seconds > a.seconds)) return (a.watts + b.watts) / 2;
  return a.watts + (b.watts - a.watts) * (seconds - a.seconds) / (b.seconds - a.seconds);
}

/// The first sample later than `seconds`.
std::span<const PowerSample>::iterator after(std::span<const PowerSample> samples, double seconds) {
  return std::ranges::upper_bound(samples, seconds, {}, &PowerSample::seconds);
}

/// Of an interval the part between the first and the last sample.
double seconds_covered(std::span<const PowerSample> samples, double from, double to) {
  if (samples.empty()) return 0;
  return std::max(0.0,
                  std::min(to, samples.back().seconds) - std::max(from, samples.front().seconds));
}

std::optional<double> mean_between(std::span<const PowerSample> samples, double from, double to) {
  const double covered = seconds_covered(samples, from, to);
  if (covered > 0) return energy_between(samples, from, to) / covered;
  // A single sample has no length in time.
  double sum = 0;
  std::int64_t count = 0;
  for (const PowerSample& sample : samples)
    if (sample.seconds >= from && sample.seconds <= to) {
      sum += sample.watts;
      ++count;
    }
  return count > 0 ? std::optional(sum / static_cast<double>(count)) : std::nullopt;
}

double longest_gap(std::span<const PowerSample> samples, double from, double to) {
  double longest = 0;
  double last = samples.front().seconds > from ? from : samples.front().seconds;
  for (const PowerSample& sample : samples) {
    if (sample.seconds > from) longest = std::max(longest, sample.seconds - last);
    last = sample.seconds;
    if (last >= to) return longest;
  }
  return std::max(longest, to - std::max(last, from));
}

}  // namespace

double energy_between(std::span<const PowerSample> samples, double from, double to) {
  if (samples.size() < 2 || !(to > from)) return 0;
  double joules = 0;
  auto next = after(samples, from);
  if (next == samples.begin()) ++next;
  for (; next != samples.end(); ++next) {
    const PowerSample& a = *(next - 1);
    const PowerSample& b = *next;
    const double begin = std::max(a.seconds, from), end = std::min(b.seconds, to);
    if (end > begin) joules += (end - begin) * (watts_at(a, b, begin) + watts_at(a, b, end)) / 2;
    if (b.seconds >= to) break;
  }
  return joules;
}

std::optional<PowerAverages> power_averages(std::span<const PowerSample> samples, double from,
                                            double to) {
  if (samples.empty() || !(to > from)) return std::nullopt;
  const auto mean = mean_between(samples, from, to);
  if (!mean) return std::nullopt;
  PowerAverages averages{.watts = *mean,
                         .joules = energy_between(samples, from, to),
                         .covered = seconds_covered(samples, from, to) / (to - from),
                         .samples = 0,
                         .longest_gap = longest_gap(samples, from, to)};
  for (const PowerSample& sample : samples)
    if (sample.seconds >= from && sample.seconds <= to) ++averages.samples;
  for (int i = 0; i < kPowerAverages; ++i) {
    const double begin = from + (to - from) * i / kPowerAverages;
    const double end = from + (to - from) * (i + 1) / kPowerAverages;
    averages.tenths.push_back(mean_between(samples, begin, end));
  }
  return averages;
}

std::vector<std::optional<double>> power_by_second(std::span<const PowerSample> samples,
                                                   double from, double to) {
  std::vector<std::optional<double>> watts;
  if (!(to > from)) return watts;
  const auto seconds = static_cast<std::int64_t>(std::ceil(to - from));
  watts.reserve(static_cast<std::size_t>(seconds));
  for (std::int64_t i = 0; i < seconds; ++i) {
    const double begin = from + static_cast<double>(i);
    // Only those around the second matter: a long run has many.
    const double end = std::min(to, begin + 1);
    auto first = after(samples, begin);
    if (first != samples.begin()) --first;
    auto last = after(samples, end);
    if (last != samples.end()) ++last;
    watts.push_back(mean_between({first, last}, begin, end));
  }
  return watts;
}

PowerSeries thinned(std::span<const PowerSample> samples, double from, double to) {
  PowerSeries kept;
  double count = 0, second = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const PowerSample& sample = samples[i];
    const bool before = i + 1 < samples.size() && samples[i + 1].seconds < from;
    const bool beyond = i > 0 && samples[i - 1].seconds > to;
    if (before || beyond) continue;
    if (!kept.empty() && std::floor(sample.seconds - from) == second) {
      ++count;
      kept.back().seconds += (sample.seconds - kept.back().seconds) / count;
      kept.back().watts += (sample.watts - kept.back().watts) / count;
    } else {
      kept.push_back(sample);
      count = 1;
      second = std::floor(sample.seconds - from);
    }
  }
  return kept;
}

void describe(Record& record, PowerAverages& averages) {
  record.type("power_averages", "power over the core phase, as far as there are samples");
  record("average_watts", averages.watts, "energy over the time between samples");
  record("energy_joules", averages.joules,
         "by the trapezoidal rule; nothing is added for what was not seen");
  record("covered", averages.covered,
         "share of the core phase between the first and the last sample");
  record("tenth_watts", averages.tenths,
         "averages of ten equal parts; null where there is no sample");
  record("samples", averages.samples, "within the core phase", kCount);
  record("longest_gap_seconds", averages.longest_gap, "between neighbouring samples");
}

}  // namespace hpl
