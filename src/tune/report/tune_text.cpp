#include <algorithm>

#include <fmt/format.h>

#include "hpl/base/number/benchmark_formulas.h"
#include "hpl/base/text/quantity.h"
#include "hpl/base/text/text_table.h"
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

std::string settings_table(const TuneReport& report) {
  TextTable table;
  table.add({"setting", "best", "default", "tried"});
  for (std::size_t i = 0; i < report.settings.size(); ++i) {
    const TuneSetting& setting = report.settings[i];
    std::vector<bool> seen(setting.values.size());
    for (const TuneTrial& trial : report.state.trials)
      seen[trial.request.point[i]] = true;
    std::string tried;
    for (std::size_t value = 0; value < seen.size(); ++value)
      if (seen[value]) tried += (tried.empty() ? "" : " ") + setting.values[value];
    table.add({setting.name, setting.values[report.state.best[i]],
               setting.values[setting.preferred], setting.values.size() > 1 ? tried : ""});
  }
  return table.text(1, 2);
}

/// The best rate, against that of the defaults.
std::string best_text(const TuneReport& report, double best) {
  const TuneTrial& longest = *report.state.longest_trial(report.state.best);
  std::string text = fmt::format("N = {}: {} by {}", report.trial_order, rate_text(best, 4),
                                 longest.request.level == 0 ? "whole runs" : "parts of runs");
  if (report.keeps_defaults())
    return text +
           "; defaults not run so (--for too short):\n"
           "no gain is shown, the HPL.dat keeps the defaults\n";
  const std::optional<double> untuned = report.preferred_gflops();
  if (untuned && *untuned > 0)
    text += fmt::format(", {:+.1f} % against the {} of the defaults", 100 * (best / *untuned - 1),
                        rate_text(*untuned, 4));
  return folded(text, "  ") + "\n";
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

std::string tune_text(const TuneReport& report, Detail detail) {
  const TuneState& state = report.state;
  const auto failed = std::ranges::count_if(
      state.trials, [](const TuneTrial& trial) { return !trial.measured.failure.empty(); });
  const auto disturbed = std::ranges::count_if(
      state.trials, [](const TuneTrial& trial) { return !trial.measured.disturbances.empty(); });
  StyledText text({.detail = detail});
  const std::string head = fmt::format(
      "Tuned for {} of {}: {} of N = {} in {}{}{}{}", count_text(report.ranks, "rank"),
      report.machine, count_text(state.trials.size(), "trial"), report.trial_order,
      seconds_text(state.spent_seconds), failed > 0 ? fmt::format(", {} failed", failed) : "",
      disturbed > 0 ? fmt::format(", {} made twice and disturbed by others", disturbed) : "",
      state.out_of_time ? "; stopped by --for before it was finished, a longer one continues" : "");
  text.add(Detail::Usual, folded(head, "  ") + "\n\n");
  if (const std::string flags = fixed_flags_text(report.fixed); !flags.empty())
    text.add(Detail::Verdict, fmt::format("All trials with {}\n\n", flags));
  text.add(Detail::Usual, settings_table(report) + "\n");
  const std::optional<double> best = report.best_gflops();
  if (!best)
    return text.add(Detail::Verdict, "No trial has given a result, and no HPL.dat is written.\n")
        .text();
  text.add(Detail::Verdict, best_text(report, *best));
  if (report.order != report.trial_order)
    text.add(Detail::Verdict,
             fmt::format("The HPL.dat is for N = {}, about {}; -N {} repeats the trials\n",
                         report.order, estimate_text(benchmark_flops(report.order) / *best / 1e9),
                         report.trial_order));
  return text.add(Detail::Verdict, fmt::format("\n{}\n", report.command)).text();
}

}  // namespace hpl
