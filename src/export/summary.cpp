#include "summary.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include <fmt/format.h>

#include "hpl/base/number/statistics.h"
#include "hpl/base/text/quantity.h"

namespace hpl::page {
namespace {

bool has_measured(const Case& one) {
  return one.kind == CaseKind::Run || one.kind == CaseKind::Member || one.kind == CaseKind::Rank ||
         one.kind == CaseKind::Step;
}

std::string spec_text(const RunSpec& spec) {
  const std::string mode = mode_label(spec);
  return fmt::format("N = {}, NB = {}, {} x {}{}{}", spec.order, spec.block_size, spec.grid_rows,
                     spec.grid_columns, mode.empty() ? "" : ", ", mode);
}

/// The values of the first rate that the cases have.
struct FirstRate {
  CaseFigure about;
  std::vector<double> values;
};

std::optional<FirstRate> first_rate(const std::vector<const Case*>& cases) {
  std::optional<FirstRate> found;
  for (const Case* const one : cases)
    for (const CaseFigure& figure : one->figures) {
      if (!found && figure.unit == "GFLOP/s") found.emplace(FirstRate{figure, {}});
      if (found && figure.name == found->about.name) found->values.push_back(figure.value);
    }
  return found;
}

std::string range_text(const FirstRate& rate) {
  const std::string_view unit = rate.about.unit;
  const auto [least, most] = std::ranges::minmax(rate.values);
  if (rate.values.size() == 1)
    return fmt::format("{} {}", rate.about.label, figure_text(least, unit));
  return fmt::format("{} {} to {}, median {}", rate.about.label, figure_text(least, unit),
                     figure_text(most, unit), figure_text(median(rate.values), unit));
}

}  // namespace

std::string verdict_line(const Suite& suite) {
  std::string text(to_string(suite.verdict()));
  for (char& c : text)
    c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  text += ": " + suite.subject;
  if (!suite.hosts.empty()) text += " on " + suite.hosts;
  if (!suite.models.empty()) text += ", " + suite.models;
  return text;
}

std::string run_line(const Suite& suite) {
  std::string text;
  for (const Case& one : suite.cases) {
    if (!one.spec) continue;
    const std::string other = spec_text(*one.spec);
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

}  // namespace hpl::page
