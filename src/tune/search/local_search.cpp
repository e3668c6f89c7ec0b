#include "local_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "rungs.h"

namespace hpl {

LocalBest local_search(std::size_t count, std::size_t start, bool both_sides,
                       const std::function<double(std::size_t)>& seconds) {
  constexpr double kNever = std::numeric_limits<double>::max();
  std::map<std::ptrdiff_t, double> known;
  const auto at = [&](std::ptrdiff_t value) {
    if (value < 0 || value >= static_cast<std::ptrdiff_t>(count)) return kNever;
    const auto found = known.find(value);
    if (found != known.end()) return found->second;
    return known[value] = seconds(static_cast<std::size_t>(value));
  };
  auto centre = static_cast<std::ptrdiff_t>(start);
  for (;;) {
    const double here = at(centre);
    double left = at(centre - 1);
    if (both_sides) left = std::min(left, at(centre - 2));
    double right = at(centre + 1);
    if (both_sides) right = std::min(right, at(centre + 2));
    // A third point where the sides are alike.
    if (both_sides && std::abs(left - right) < 0.01 * std::min(left, right)) {
      left = std::min(left, at(centre - 3));
      right = std::min(right, at(centre + 3));
    }
    if (std::min(left, right) >= here * (1 - kTie)) break;
    const int direction = left < right ? -1 : 1;
    auto best = centre;
    for (int away = 1; away <= 3; ++away) {
      const auto found = known.find(centre + direction * away);
      if (found != known.end() && found->second < known.at(best)) best = found->first;
    }
    centre = best;
  }
  return {static_cast<std::size_t>(centre), known.at(centre)};
}

}  // namespace hpl
