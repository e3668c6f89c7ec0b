#include "hpl/machine/check/check_report.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace hpl {

std::string_view to_string(CheckForm form) {
  switch (form) {
    case CheckForm::Short:
      return "short";
    case CheckForm::Full:
      return "full";
    case CheckForm::Deep:
      return "deep";
  }
  return "?";
}

std::string_view to_string(FindingKind kind) {
  switch (kind) {
    case FindingKind::Fault:
      return "fault";
    case FindingKind::Outlier:
      return "outlier";
    case FindingKind::Remark:
      return "remark";
  }
  return "?";
}

CheckReport judge(CheckForm form, std::vector<RankRecord> ranks, double tolerance) {
  CheckReport report{
      .form = form,
      .tolerance = form == CheckForm::Short ? kShortFormSlack * tolerance : tolerance,
      .ranks = std::move(ranks)};
  report.summaries = summarize(report.ranks);
  report.deep = summarize_deep(report.ranks);
  report.findings = find_faults(report.ranks);
  std::ranges::move(find_wrong_results(report.ranks), std::back_inserter(report.findings));
  const bool sharing = std::any_of(report.ranks.begin(), report.ranks.end(),
                                   [](const RankRecord& rank) { return rank.oversubscribed; });
  if (form != CheckForm::Short || !sharing)
    std::ranges::move(find_outliers(report.ranks, report.tolerance),
                      std::back_inserter(report.findings));
  if (!sharing)
    std::ranges::move(find_patterns(report.ranks, report.tolerance),
                      std::back_inserter(report.findings));
  std::stable_sort(report.findings.begin(), report.findings.end(),
                   [](const Finding& a, const Finding& b) { return a.kind < b.kind; });
  return report;
}

int count(const CheckReport& report, FindingKind kind) {
  return static_cast<int>(std::ranges::count(report.findings, kind, &Finding::kind));
}

bool is_sound(const CheckReport& report) {
  return count(report, FindingKind::Fault) == 0 && count(report, FindingKind::Outlier) == 0;
}

}  // namespace hpl
