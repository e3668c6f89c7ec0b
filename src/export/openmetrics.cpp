#include <algorithm>
#include <array>
#include <map>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "hpl/base/error/error.h"
#include "hpl/export/formats.h"
#include "hpl/export/suite.h"

namespace hpl::page {
namespace {

/// A value of a label or a text of HELP, as OpenMetrics escapes it.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    out += c == '\n' ? "\\n" : std::string(1, c);
  }
  return out;
}

/// The word for a unit in the names of families.
std::string_view unit_word(std::string_view unit) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 10> kWords{
      {{"GFLOP/s", "gflops"},
       {"GB/s", "gigabytes_per_second"},
       {"GB", "gigabytes"},
       {"us", "microseconds"},
       {"s", "seconds"},
       {"MHz", "mhz"},
       {"W", "watts"},
       {"C", "celsius"},
       {"%", "percent"},
       {"", ""}}};
  const auto found =
      std::ranges::find(kWords, unit, &std::pair<std::string_view, std::string_view>::first);
  HPL_ASSERT(found != kWords.end() && "a unit of a figure that has no word");
  return found->second;
}

/// "xhpl_power_watts"; the rate, whose name is its unit, is "xhpl_rate_gflops". The name of a
/// family ends with its unit.
std::string family_name(CaseKind kind, std::string_view name, std::string_view unit) {
  std::string made = kind == CaseKind::Rank ? "xhpl_check" : "xhpl";
  if (name == unit) made += "_rate";
  made += fmt::format("_{}", name);
  if (!unit.empty() && !made.ends_with(fmt::format("_{}", unit))) made += fmt::format("_{}", unit);
  return made;
}

/// The labels of a case, those without a value left out.
std::string labels_of(const Case& one) {
  std::vector<std::pair<std::string_view, std::string>> labels{
      {"case", std::string(name_of(kCaseKinds, one.kind))},
      {"host", one.host},
      {"device", one.device},
      {"model", one.model}};
  if (!one.key.empty()) labels.emplace_back(name_of(kCaseKinds, one.kind), one.key);
  if (const auto& spec = one.spec) {
    labels.emplace_back("arithmetic", arithmetic_text(*spec));
    labels.emplace_back("variant", variant_code(*spec));
    labels.emplace_back("n", std::to_string(spec->order));
    labels.emplace_back("nb", std::to_string(spec->block_size));
    labels.emplace_back("p", std::to_string(spec->grid_rows));
    labels.emplace_back("q", std::to_string(spec->grid_columns));
  }
  std::string text;
  for (const auto& [name, value] : labels)
    if (!value.empty())
      text += fmt::format("{}{}=\"{}\"", text.empty() ? "" : ",", name, escaped(value));
  return text;
}

/// The value of a case in a family, and a label that it has there alone.
struct Sample {
  double value = 0;
  std::string label{};
};

/// The samples of a name.
struct Family {
  std::string name, unit, help;
  std::map<std::string, Sample> samples{};  ///< by the labels of their cases

  std::string text() const {
    std::string text = fmt::format("# TYPE {} gauge\n", name);
    if (!unit.empty()) text += fmt::format("# UNIT {} {}\n", name, unit);
    text += fmt::format("# HELP {} {}\n", name, escaped(help));
    for (const auto& [labels, sample] : samples)
      text += fmt::format("{}{{{}{}}} {}\n", name, labels, sample.label, sample.value);
    return text;
  }
};

/// Families in the order in which they first appear.
class Families {
 public:
  Family& of(Family family) {
    const auto found = std::ranges::find(all_, family.name, &Family::name);
    if (found != all_.end()) return *found;
    return all_.emplace_back(std::move(family));
  }

  void add(const Case& one, std::time_t started) {
    const std::string labels = labels_of(one);
    of({"xhpl_passed", "", "1 if the case passed, 0 if it failed or was not checked"})
        .samples[labels] = {has_passed(one.verdict) ? 1.0 : 0.0};
    of({"xhpl_verdict", "", "1 of every case, with its verdict as a label"}).samples[labels] = {
        1, fmt::format(",verdict=\"{}\"", to_string(one.verdict))};
    if (one.kind == CaseKind::Run || one.kind == CaseKind::Member)
      of({"xhpl_disturbed", "", "1 if other processes took the cores in one of the runs"})
          .samples[labels] = {one.disturbed ? 1.0 : 0.0};
    if (started != 0 && one.spec)
      of({"xhpl_start_timestamp_seconds", "seconds", "start of the first run, since 1970"})
          .samples[labels] = {static_cast<double>(started)};
    for (const auto& [figure, value] : one.figures) {
      const FigureInfo& about = info(figure);
      const std::string unit(unit_word(about.unit));
      of({family_name(one.kind, about.name, unit), unit, std::string(about.label)})
          .samples[labels] = {value};
    }
  }

  std::string text() const {
    std::string text;
    for (const Family& family : all_)
      text += family.text();
    return text + "# EOF\n";
  }

 private:
  std::vector<Family> all_;
};

}  // namespace

std::string openmetrics_text(std::span<const RunFile> files) {
  std::vector<Suite> suites;
  for (const RunFile& file : files)
    suites.push_back(suite_of(file));
  std::ranges::stable_sort(suites, {}, &Suite::started);
  Families families;
  for (const Suite& suite : suites)
    for (const Case& one : suite.cases)
      families.add(one, suite.started);
  return families.text();
}

}  // namespace hpl::page
