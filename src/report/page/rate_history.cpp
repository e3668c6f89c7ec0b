#include "rate_history.h"

#include <algorithm>

namespace hpl::page {

namespace {

/// Share of the operations of the factorization that is done after `columns` of `order`:
/// 1 - (1 - columns/order)^3.
double share_done(std::int64_t columns, std::int64_t order) {
  const double left = 1 - static_cast<double>(columns) / static_cast<double>(order);
  return 1 - left * left * left;
}

/// Steps in which both columns and time advance.
std::vector<Step> advancing(const Run& run) {
  std::vector<Step> steps;
  Step last{};
  for (const Step& step : run.steps) {
    if (step.columns_done <= last.columns_done || !(step.seconds > last.seconds)) continue;
    last = {std::min(step.columns_done, run.order), step.seconds};
    steps.push_back(last);
  }
  return steps;
}

}  // namespace

RateHistory rate_history(const Run& run, int intervals) {
  const std::vector<Step> steps = advancing(run);
  if (run.order <= 0 || steps.size() < 2 || intervals < 1) return {};
  const auto n = static_cast<double>(run.order);
  const double operations = 2.0 / 3.0 * n * n * n;
  RateHistory history{.points = {}, .seconds = steps.back().seconds};
  const double shortest = history.seconds / intervals;

  double begin = 0, done_before = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double length = steps[i].seconds - begin;
    // Half an interval may be left over at the end: it would be the noisiest point of all.
    const double left = history.seconds - steps[i].seconds;
    if (i + 1 < steps.size() && (length < shortest || left < shortest / 2)) continue;
    const double done = share_done(steps[i].columns_done, run.order);
    const double middle = begin + length / 2;
    const double done_by_then = (done + done_before) / 2;
    history.points.push_back({.seconds = middle,
                              .done = done_by_then,
                              .interval = (done - done_before) * operations / length / 1e9,
                              .overall = done_by_then * operations / middle / 1e9});
    begin = steps[i].seconds;
    done_before = done;
  }
  return history;
}

}  // namespace hpl::page
