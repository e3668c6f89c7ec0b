#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "format.h"
#include "hpl/base/text/duration.h"
#include "sections.h"

namespace hpl::page {

namespace {

std::string number_cell(const std::optional<double>& number) {
  return fmt::format(R"(<td class="n">{}</td>)", number ? escape(number_text(*number)) : "");
}
std::string text_cell(const std::string& text) {
  return fmt::format("<td>{}</td>", escape(text));
}

std::string table(const char* label, const std::string& head, const std::string& rows) {
  return fmt::format(
      R"(<div class="scroll" tabindex="0" role="region" aria-label="{}"><table><thead><tr>{}</tr></thead><tbody>
{}</tbody></table></div>
)",
      label, head, rows);
}

std::string settings_table(const Tuning& tuning) {
  std::string rows;
  for (const TunedSetting& setting : tuning.settings)
    rows += fmt::format(R"(<tr><th scope="row">{}</th>{}{}</tr>
)",
                        escape(setting.flag), text_cell(setting.best), text_cell(setting.untuned));
  return table(
      "Settings",
      R"(<th scope="col">Setting</th><th scope="col">Best</th><th scope="col">Untuned</th>)", rows);
}

/// Where the values of a trial are not those of nobody's tuning.
std::string differences(const Tuning& tuning, const TuningTrial& trial) {
  std::string text;
  for (const auto& [flag, value] : trial.settings)
    for (const TunedSetting& setting : tuning.settings)
      if (setting.flag == flag && setting.untuned != value)
        text += fmt::format("{}{} {}", text.empty() ? "" : " ", flag, value);
  return text.empty() ? "as untuned" : text;
}

/// Of hundreds of panels the fastest say enough.
constexpr std::size_t kMostOfStage = 30;

std::string trial_table(const Tuning& tuning) {
  std::map<std::string, std::size_t> of_stage;
  for (const TuningTrial& trial : tuning.trials)
    ++of_stage[trial.stage];
  std::string rows;
  std::map<std::string, std::size_t> left_out;
  std::map<std::string, std::size_t> seen;
  for (const TuningTrial& trial : tuning.trials) {
    // The last rungs are the ones that decide.
    const std::size_t to_come = of_stage[trial.stage] - seen[trial.stage]++;
    if (to_come > kMostOfStage) {
      ++left_out[trial.stage];
      continue;
    }
    rows += fmt::format(
        R"(<tr{}><th scope="row">{}</th>{}<td class="n">{}</td><td class="n">{}</td>{}{}<td>{}: {}</td></tr>
)",
        trial.gflops ? "" : R"( class="bad")", escape(trial.stage),
        text_cell(differences(tuning, trial)), percent_text(trial.share),
        escape(number_text(trial.trial_seconds)), number_cell(trial.gflops),
        number_cell(trial.residual), escape(trial.verdict), escape(trial.reason));
  }
  std::string html = table(
      "Trials",
      R"(<th scope="col">Stage</th><th scope="col">Settings</th><th scope="col" class="n">Of a run</th><th scope="col" class="n">Seconds</th><th scope="col" class="n">GFLOP/s</th><th scope="col" class="n">Residual</th><th scope="col">Verdict</th>)",
      rows);
  for (const auto& [stage, count] : left_out)
    html += fmt::format("<p class=\"left\">{} of {} trials of the stage {} are left out.</p>\n",
                        count, of_stage[stage], escape(stage));
  return html;
}

std::string introduction(const Tuning& tuning) {
  std::string text =
      fmt::format("{} on {} of {}, N = {}: {} in {}", tuning.method,
                  count_text(static_cast<std::size_t>(tuning.ranks), "rank"), tuning.machine,
                  tuning.trial_order, count_text(tuning.trials.size(), "trial"),
                  duration_text(tuning.spent_seconds));
  if (!tuning.ended) text += ", and not at its end";
  if (tuning.out_of_time) text += ", when the time was up";
  if (tuning.best_gflops) text += fmt::format("; {}", rate_text(*tuning.best_gflops));
  if (tuning.best_gflops && tuning.untuned_gflops && *tuning.untuned_gflops > 0)
    text += fmt::format(", {} without tuning", rate_text(*tuning.untuned_gflops));
  text += ".";
  if (!tuning.fixed_flags.empty()) text += fmt::format(" All trials with {}.", tuning.fixed_flags);
  return text;
}

}  // namespace

std::string tuning_section(std::span<const RunFile> files) {
  const std::vector<std::string> names = short_names(files);
  std::string html;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!files[i].tuning) continue;
    const Tuning& tuning = *files[i].tuning;
    if (files.size() > 1) html += fmt::format("<h3>{}</h3>", escape(names[i]));
    html += fmt::format("<p>{}</p>", escape(introduction(tuning)));
    html += settings_table(tuning);
    if (!tuning.command.empty()) html += fmt::format("<pre>{}</pre>\n", escape(tuning.command));
    html += trial_table(tuning);
  }
  return html.empty()
             ? html
             : "<section class=\"tuning\"><h2>Search for settings</h2>" + html + "</section>\n";
}

}  // namespace hpl::page
