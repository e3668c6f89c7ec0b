#include "spread.h"

#include <algorithm>
#include <vector>

namespace hpl::page {

Spread spread_of(std::span<const double> values) {
  if (values.empty()) return {};
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const auto at = [&](double share) {
    const double place = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const std::size_t above = std::min(below + 1, sorted.size() - 1);
    const double part = place - static_cast<double>(below);
    return sorted[below] * (1 - part) + sorted[above] * part;
  };
  return {.minimum = sorted.front(),
          .low_quartile = at(0.25),
          .median = at(0.5),
          .high_quartile = at(0.75),
          .maximum = sorted.back()};
}

}  // namespace hpl::page
