#include "hpl/base/result/finding.h"

#include <cmath>
#include <set>

namespace hpl {

namespace {

bool is_figure_out(const Finding& finding) {
  return finding.severity == Severity::Warning && finding.basis != Basis::Disturbed &&
         finding.basis != Basis::Device && finding.figure;
}

}  // namespace

std::optional<Severity> severity_of(Figure figure, double value, double expected, double limit) {
  if (info(figure).better == Better::Higher ? value >= limit : value <= limit) return {};
  const bool far = std::abs(value - expected) > kFarOut * std::abs(limit - expected);
  return far && !info(figure).explains ? Severity::Slow : Severity::Warning;
}

void fail_by_figures(std::span<Finding* const> of_one_subject, bool strict) {
  std::set<Figure> out;
  for (const Finding* const finding : of_one_subject)
    if (is_figure_out(*finding)) out.insert(*finding->figure);
  if (out.size() < (strict ? 1 : 2)) return;
  for (Finding* const finding : of_one_subject)
    if (is_figure_out(*finding)) finding->severity = Severity::Slow;
}

}  // namespace hpl
