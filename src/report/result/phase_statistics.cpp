#include "hpl/report/result/phase_statistics.h"

#include <vector>

#include "hpl/base/number/statistics.h"

namespace hpl {

std::array<PhaseRange, kPhaseCount> phase_statistics(std::span<const PhaseTimes> per_rank) {
  std::array<PhaseRange, kPhaseCount> spreads{};
  if (per_rank.empty()) return spreads;
  for (std::size_t phase = 0; phase < spreads.size(); ++phase) {
    PhaseRange& spread = spreads[phase];
    spread.minimum = spread.maximum = per_rank[0].seconds[phase];
    for (std::size_t rank = 1; rank < per_rank.size(); ++rank) {
      const double seconds = per_rank[rank].seconds[phase];
      if (seconds < spread.minimum) {
        spread.minimum = seconds;
        spread.minimum_rank = static_cast<int>(rank);
      }
      if (seconds > spread.maximum) {
        spread.maximum = seconds;
        spread.maximum_rank = static_cast<int>(rank);
      }
    }
  }
  return spreads;
}

RepeatSummary summarize_rates(const std::vector<double>& rates) {
  if (rates.empty()) return {};
  const auto [least, most] = std::minmax_element(rates.begin(), rates.end());
  return {.count = static_cast<int>(rates.size()),
          .minimum = *least,
          .median = median(rates),
          .maximum = *most};
}

RepeatSummary summarize_repeats(std::span<const RunResult> repeats) {
  std::vector<double> rates;
  for (const RunResult& run : repeats)
    rates.push_back(run.gflops);
  return summarize_rates(rates);
}

}  // namespace hpl
