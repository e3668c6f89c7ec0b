#include "half_rate_order.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "hpl/base/number/benchmark_formulas.h"
#include "hpl/run/page/run_groups.h"

namespace hpl::page {

namespace {

struct Point {
  double order = 0, gflops = 0;
};

/// Between a point below `gflops` and one that is not.
std::int64_t order_between(const Point& below, const Point& above, double gflops) {
  const double share = (gflops - below.gflops) / (above.gflops - below.gflops);
  return std::llround(below.order + share * (above.order - below.order));
}

std::optional<HalfRateOrder> measured(std::span<const RunResult* const> runs, double half) {
  std::vector<Point> points;
  for (const RunResult* run : runs)
    if (rate_of(*run) && run_verdict(*run) != Verdict::Failed)
      points.push_back({static_cast<double>(run->spec.order), run->gflops});
  // Of runs of one order the fastest counts.
  std::ranges::sort(points, [](const Point& a, const Point& b) {
    return a.order != b.order ? a.order < b.order : a.gflops > b.gflops;
  });
  const auto last = std::ranges::unique(points, {}, &Point::order).begin();
  points.erase(last, points.end());
  for (std::size_t i = 1; i < points.size(); ++i)
    if (points[i - 1].gflops < half && points[i].gflops >= half)
      return HalfRateOrder{order_between(points[i - 1], points[i], half), true,
                           fmt::format("measured: between runs of N = {:.0f} and N = {:.0f}",
                                       points[i - 1].order, points[i].order)};
  return std::nullopt;
}

std::optional<HalfRateOrder> predicted(const RunResult& run, double half) {
  Point above{static_cast<double>(run.spec.order), 2 * half};
  for (const StepRecord& step : run.steps) {
    const std::int64_t left = run.spec.order - step.columns_done;
    const double seconds = run.seconds - step.seconds;
    if (left <= 0 || !(seconds > 0)) break;
    const Point point{static_cast<double>(left), benchmark_gflops(left, seconds)};
    if (point.gflops < half)
      return HalfRateOrder{order_between(point, above, half), false,
                           "estimated from the last steps"};
    above = point;
  }
  return std::nullopt;
}

}  // namespace

std::optional<HalfRateOrder> half_rate_order(const RunResult& best,
                                             std::span<const RunResult* const> runs) {
  if (!rate_of(best)) return std::nullopt;
  const double half = best.gflops / 2;
  const auto seen = measured(runs, half);
  return seen ? seen : predicted(best, half);
}

}  // namespace hpl::page
