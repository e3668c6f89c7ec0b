#include <algorithm>
#include <cmath>

#include "chart.h"

namespace hpl::page {

namespace {

/// 1, 2, 2.5 or 5 times a power of ten, at least `length`.
double round_step(double length) {
  const double power = std::pow(10.0, std::floor(std::log10(length)));
  for (const double factor : {1.0, 2.0, 2.5, 5.0})
    if (factor * power >= length * (1 - 1e-9)) return factor * power;
  return 10 * power;
}

/// True if an axis can be made; leaves a margin where the two ends are one.
bool usable(double& from, double& to) {
  if (!std::isfinite(from) || !std::isfinite(to) || from > to) return false;
  if (std::max(std::abs(from), std::abs(to)) > 1e300) return false;
  if (to - from <= 1e-9 * std::max(std::abs(from), std::abs(to))) {
    const double margin = from == 0 ? 1 : 0.05 * std::abs(from);
    if (from != 0) from -= margin;
    to += margin;
  }
  return true;
}

/// Whole multiples of `step` within the axis, counted so that no rounding can make the loop
/// endless.
std::vector<double> multiples(double step, double from, double to) {
  std::vector<double> ticks;
  const double first = std::ceil(from / step - 1e-6);
  const double last = std::floor(to / step + 1e-6);
  constexpr double kMost = 20;
  for (double k = first; k <= std::min(last, first + kMost); ++k)
    ticks.push_back(k * step + 0.0);  // the sum makes a zero of a minus zero
  return ticks;
}

}  // namespace

Axis round_axis(double least, double most, int marks) {
  if (!usable(least, most)) return {.from = 0, .to = 1, .ticks = {0, 1}};
  const double step = round_step((most - least) / std::max(marks, 1));
  Axis axis{.from = std::floor(least / step + 1e-6) * step,
            .to = std::ceil(most / step - 1e-6) * step,
            .ticks = {}};
  axis.ticks = multiples(step, axis.from, axis.to);
  return axis;
}

Axis level_axis(double least, double most) {
  const bool close = least > most / 2;
  return round_axis(close ? least - (most - least) / 2 : 0, most);
}

Axis exact_axis(double from, double to, int marks) {
  if (!usable(from, to)) return {.from = 0, .to = 1, .ticks = {0, 1}};
  return {.from = from,
          .to = to,
          .ticks = multiples(round_step((to - from) / std::max(marks, 1)), from, to)};
}

}  // namespace hpl::page
