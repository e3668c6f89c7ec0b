#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "hpl/base/number/benchmark_formulas.h"
#include "hpl/base/text/quantity.h"
#include "hpl/base/text/table.h"
#include "hpl/base/text/text_style.h"
#include "hpl/tune/report/tune_report.h"

namespace hpl {

namespace {

std::optional<double> gflops_of(const TuneReport& report, const TunePoint& point) {
  const TuneTrial* const trial = report.state.longest_trial(point);
  if (trial == nullptr) return std::nullopt;
  // Of several as long the best: other work on the machine makes a trial only slower.
  double best = 0;
  for (const TuneTrial& other : report.state.trials)
    if (other.request.point == point && !other.request.panel_alone &&
        other.request.level == trial->request.level && other.measured.failure.empty())
      best = std::max(best, other.measured.gflops);
  return best;
}

/// The flags among what is fixed: "--arithmetic emulated --threads 2".
std::string fixed_flags_text(const TuneFixed& fixed) {
  std::string text;
  for (const auto& [name, value] : fixed)
    if (name.starts_with('-'))
      text +=
          fmt::format("{}{}{}{}", text.empty() ? "" : " ", name, value.empty() ? "" : " ", value);
  return text;
}

Table settings_table(const TuneReport& report) {
  Table table{.title = "Settings", .columns = columns_of("setting|>best|>default|tried")};
  for (std::size_t i = 0; i < report.settings.size(); ++i) {
    const TuneSetting& setting = report.settings[i];
    std::vector<bool> seen(setting.values.size());
    for (const TuneTrial& trial : report.state.trials)
      if (i < trial.request.point.size()) seen[trial.request.point[i]] = true;
    std::string tried;
    for (std::size_t value = 0; value < seen.size(); ++value)
      if (seen[value]) tried += (tried.empty() ? "" : " ") + setting.values[value];
    table.add({setting.name,
               i < report.state.best.size() ? setting.values[report.state.best[i]] : "",
               setting.values[setting.preferred], setting.values.size() > 1 ? tried : ""});
  }
  return table;
}

/// The last of hundreds of panels decide.
constexpr std::size_t kMostOfStage = 30;

/// The last trials of each stage, a line each.
Table trial_table(const TuneReport& report) {
  Table table{
      .title = "Trials",
      .columns = columns_of("stage|settings|>of a run|>seconds|>GFLOP/s|>residual|verdict")};
  std::map<std::string, std::size_t> left;
  for (const TuneTrial& trial : report.state.trials)
    ++left[trial.stage];
  for (const auto& [stage, count] : left)
    if (count > kMostOfStage)
      table.notes.push_back(fmt::format("{} of {} trials of the stage {} are left out.",
                                        count - kMostOfStage, count, stage));
  for (const auto& [stage, request, measured, verdict, reason] : report.state.trials) {
    if (left[stage]-- > kMostOfStage) continue;
    std::string settings;
    for (std::size_t i = 0; i < request.point.size(); ++i)
      if (const TuneSetting& one = report.settings[i]; request.point[i] != one.preferred)
        settings += fmt::format("{}{} {}", settings.empty() ? "" : " ", one.name,
                                one.values[request.point[i]]);
    const bool failed = !measured.failure.empty();
    table.add({stage, settings.empty() ? "the defaults" : settings,
               percent_text(share_of_level(request.level)), short_number(measured.cost_seconds),
               failed ? "" : significant(measured.gflops, 4),
               measured.residual ? fmt::format("{:.2e}", *measured.residual) : "",
               fmt::format("{}: {}", name_of(kTuneVerdicts, verdict), reason)},
              failed);
  }
  return table;
}

/// The best rate, against that of the defaults.
std::string best_text(const TuneReport& report, double best) {
  const TuneTrial& longest = *report.state.longest_trial(report.state.best);
  std::string text = fmt::format("N = {}: {} by {}", report.trial_order, rate_text(best, 4),
                                 longest.request.level == 0 ? "whole runs" : "parts of runs");
  if (report.keeps_defaults())
    return text +
           "; defaults not run so (--for too short): no gain is shown, the HPL.dat keeps the "
           "defaults";
  const std::optional<double> untuned = report.preferred_gflops();
  if (untuned && *untuned > 0)
    text += fmt::format(", {:+.1f} % against the {} of the defaults", 100 * (best / *untuned - 1),
                        rate_text(*untuned, 4));
  return text;
}

}  // namespace

std::optional<TuneFixedDifference> first_difference(const TuneFixed& one, const TuneFixed& other) {
  const auto value_in = [](const TuneFixed& all, const std::string& name) {
    const auto found = std::ranges::find(all, name, &TuneFixed::value_type::first);
    return found == all.end() ? std::nullopt : std::optional(found->second);
  };
  for (const TuneFixed* all : {&one, &other})
    for (const auto& [name, value] : *all)
      if (value_in(one, name) != value_in(other, name))
        return TuneFixedDifference{name, value_in(one, name), value_in(other, name)};
  return std::nullopt;
}

std::string full_point_text(const std::vector<TuneSetting>& settings, const TunePoint& point) {
  std::string text;
  for (std::size_t i = 0; i < settings.size(); ++i)
    text += fmt::format("{}{} {}", text.empty() ? "" : " ", settings[i].name,
                        settings[i].values[point[i]]);
  return text;
}

TunePoint TuneReport::untuned() const {
  TunePoint point;
  for (const TuneSetting& setting : settings)
    point.push_back(setting.preferred);
  return point;
}

std::optional<double> TuneReport::best_gflops() const {
  return gflops_of(*this, state.best);
}

std::optional<double> TuneReport::preferred_gflops() const {
  return gflops_of(*this, untuned());
}

bool TuneReport::keeps_defaults() const {
  const TuneTrial* const best = state.longest_trial(state.best);
  const TuneTrial* const other = state.longest_trial(untuned());
  return state.out_of_time && best != nullptr &&
         (other == nullptr || other->request.level != best->request.level);
}

std::vector<Table> tables_of(const TuneReport& report) {
  return {settings_table(report), trial_table(report)};
}

std::string tune_head(const TuneReport& report) {
  const TuneState& state = report.state;
  const auto failed = std::ranges::count_if(
      state.trials, [](const TuneTrial& trial) { return !trial.measured.failure.empty(); });
  const auto disturbed = std::ranges::count_if(
      state.trials, [](const TuneTrial& trial) { return !trial.measured.disturbances.empty(); });
  return fmt::format(
      "Tuned for {} of {}: {} of N = {} in {}{}{}{}", count_text(report.ranks, "rank"),
      report.machine, count_text(state.trials.size(), "trial"), report.trial_order,
      seconds_text(state.spent_seconds), failed > 0 ? fmt::format(", {} failed", failed) : "",
      disturbed > 0 ? fmt::format(", {} made twice and disturbed by others", disturbed) : "",
      state.out_of_time ? "; stopped by --for before it was finished, a longer one continues"
      : state.ended     ? ""
                        : "; not finished");
}

std::vector<std::string> tune_results(const TuneReport& report) {
  std::vector<std::string> lines;
  if (const std::string flags = fixed_flags_text(report.fixed); !flags.empty())
    lines.push_back("All trials with " + flags);
  const std::optional<double> best = report.best_gflops();
  lines.push_back(best ? best_text(report, *best)
                       : "No trial has given a result, and no HPL.dat is written.");
  if (best && report.order != report.trial_order)
    lines.push_back(fmt::format(
        "The HPL.dat is for N = {}, about {}; -N {} repeats the trials", report.order,
        estimate_text(benchmark_flops(report.order) / *best / 1e9), report.trial_order));
  return lines;
}

std::string tune_text(const TuneReport& report, Detail detail) {
  std::string results;
  for (const std::string& line : tune_results(report))
    results += folded(line, "  ") + "\n";
  if (report.best_gflops()) results += fmt::format("\n{}\n", report.command);
  return StyledText({.detail = detail})
      .add(Detail::Usual, folded(tune_head(report), "  ") + "\n\n")
      .add(Detail::Everything, text_of(trial_table(report)) + "\n")
      .add(Detail::Usual, text_of(settings_table(report)) + "\n")
      .add(Detail::Verdict, results)
      .text();
}

}  // namespace hpl
