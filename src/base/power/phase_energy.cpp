#include "hpl/base/power/phase_energy.h"

#include <algorithm>
#include <utility>

namespace hpl {

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
