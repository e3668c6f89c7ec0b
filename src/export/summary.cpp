#include "summary.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "hpl/base/number/statistics.h"
#include "hpl/base/text/quantity.h"
#include "hpl/base/text/zoned_time.h"
#include "hpl/page/verdict.h"

namespace hpl::page {
namespace {

bool has_measured(const Case& one) {
  return one.kind == CaseKind::Run || one.kind == CaseKind::Member || one.kind == CaseKind::Rank ||
         one.kind == CaseKind::Step;
}

/// The values of the first rate that the cases have.
struct FirstRate {
  Figure figure{};
  std::vector<double> values;
};

std::optional<FirstRate> first_rate(const std::vector<const Case*>& cases) {
  std::optional<FirstRate> found;
  for (const Case* const one : cases)
    for (const auto& [figure, value] : one->figures) {
      if (!found && is_rate(figure)) found.emplace(FirstRate{figure, {}});
      if (found && figure == found->figure) found->values.push_back(value);
    }
  return found;
}

std::string range_text(const FirstRate& rate) {
  const std::string_view label = info(rate.figure).label;
  const auto text = [&](double value) { return figure_text({rate.figure, value}); };
  const auto [least, most] = std::ranges::minmax(rate.values);
  if (rate.values.size() == 1) return fmt::format("{} {}", label, text(least));
  return fmt::format("{} {} to {}, median {}", label, text(least), text(most),
                     text(median(rate.values)));
}

}  // namespace

std::string verdict_line(const Suite& suite) {
  std::string text = look_of(suite.verdict()).word + ": " + suite.subject;
  if (!suite.hosts.empty()) text += " on " + suite.hosts;
  if (!suite.models.empty()) text += ", " + suite.models;
  return text;
}

std::string run_line(const Suite& suite) {
  std::string text;
  for (const Case& one : suite.cases) {
    if (!one.spec) continue;
    const std::string other = labelled_size_text(*one.spec);
    if (!text.empty() && text != other) return {};
    text = other;
  }
  return text;
}

std::vector<const Case*> shown_cases(const Suite& suite) {
  std::vector<const Case*> shown;
  for (const Case& one : suite.cases)
    if (has_measured(one) || (one.verdict != Verdict::Passed && !one.repeats_member))
      shown.push_back(&one);
  return shown;
}

std::string result_line(const Suite& suite) {
  std::vector<const Case*> measured;
  for (const Case& one : suite.cases)
    if (has_measured(one)) measured.push_back(&one);
  if (measured.empty()) return "nothing was measured";
  const auto count = [&](Verdict verdict) {
    return std::ranges::count(measured, verdict, &Case::verdict);
  };
  std::string text =
      fmt::format("{} of {} passed", count(Verdict::Passed),
                  count_text(measured.size(), name_of(kCaseKinds, measured.front()->kind)));
  if (const auto warned = count(Verdict::Warned); warned > 0)
    text += fmt::format(", {} warned", warned);
  if (const auto rate = first_rate(measured)) text += "; " + range_text(*rate);
  return text;
}

std::string origin_line(const Suite& suite) {
  const std::string started = suite.started == 0 ? "" : ", started " + utc_time(suite.started);
  return fmt::format("{}{}, {}", suite.file, started, suite.program);
}

}  // namespace hpl::page
