#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "findings.h"
#include "fleets.h"
#include "format.h"
#include "hpl/base/number/statistics.h"
#include "hpl/report/result/device_telemetry.h"
#include "sections.h"

namespace hpl::page {

namespace {

/// "3 runs passed the residual check, 1 run failed."
std::string tally_text(std::span<const RunFile> files) {
  std::string text;
  const auto add = [&](const std::string& part) {
    if (!part.empty()) text += (text.empty() ? "" : ", ") + part;
  };
  constexpr std::array<std::pair<RunStatus, const char*>, 4> kWords{
      {{RunStatus::Passed, "passed the residual check"},
       {RunStatus::Failed, "failed"},
       {RunStatus::Unchecked, "not checked"},
       {RunStatus::Stopped, "stopped early"}}};
  for (const auto& [status, words] : kWords) {
    std::size_t count = 0;
    for (const RunFile& file : files)
      for (const RunResult& run : file.job.runs)
        count += run_status(run) == status ? 1 : 0;
    if (count > 0) add(count_text(count, "run") + " " + words);
  }
  add(fleet_tally(files));
  std::size_t right = 0, wrong = 0;
  for (const RunFile& file : files) {
    right += file.right_products;
    wrong += file.wrong_products;
  }
  if (right > 0) add(count_text(right, "product") + " within rounding bounds");
  if (wrong > 0) add(count_text(wrong, "product") + " wrong");
  if (!text.empty()) return text + ".";
  const auto all = [&](Content content) {
    return std::ranges::all_of(files, [&](const auto& file) { return file.content == content; });
  };
  if (all(Content::Search)) return "A search for settings by trials.";
  return all(Content::Check) ? "A check; no run was made." : "No run was made.";
}

/// Each sentence once, with the runs it was said of where there are several.
std::vector<std::string> all_findings(std::span<const RunFile> files,
                                      std::span<const Group> groups) {
  std::vector<std::string> sentences;
  const auto add = [&](std::string sentence) {
    if (std::find(sentences.begin(), sentences.end(), sentence) == sentences.end())
      sentences.push_back(std::move(sentence));
  };
  const std::vector<std::string> names = short_names(files);
  for (std::size_t i = 0; i < files.size(); ++i) {
    const JobReport& job = files[i].job;
    const std::string of = files.size() > 1 ? names[i] + ": " : "";
    if (job.error) add(of + "the job ended early: " + *job.error);
    if (!job.exit_code) add(of + "the file was written before the job ended");
    for (const GateResult& gate : job.gates)
      if (!gate.held) add(of + gate.gate + " was not held: " + gate.reason);
    if (job.preflight && !is_sound(*job.preflight)) {
      const int remarks = count(*job.preflight, FindingKind::Remark);
      add(fmt::format(
          "{}the check before the runs found {}, listed below", of,
          count_text(job.preflight->findings.size() - static_cast<std::size_t>(remarks), "thing")));
    }
  }
  const auto add_mode = [&](const RunSpec& spec) {
    if (!mode_label(spec).empty()) add("tail update in " + arithmetic_text(spec));
  };
  for (const Group& group : groups)
    add_mode(group.runs.front()->spec);
  for (const RunFile& file : files)
    if (file.fleet) add_mode(file.fleet->spec);
  for (const Group& group : groups)
    for (const RunResult* run : group.runs)
      for (const std::string& finding : findings_of(*run))
        add(groups.size() > 1 ? group.label + ": " + finding : finding);
  return sentences;
}

std::string findings_list(const std::vector<std::string>& sentences) {
  if (sentences.empty()) return {};
  constexpr std::size_t kShown = 12;
  std::string html = R"(<div class="findings"><h2>Findings</h2><ul>)";
  for (std::size_t i = 0; i < std::min(kShown, sentences.size()); ++i)
    html += "<li>" + escape(sentences[i]) + "</li>";
  if (sentences.size() > kShown)
    html += fmt::format("<li>and {} more</li>", sentences.size() - kShown);
  return html + "</ul></div>";
}

std::string tile(std::string_view name, std::string_view value, std::string_view unit,
                 std::string_view note) {
  return fmt::format(R"(<div class="tile"><dt>{}</dt><dd>{}<small>{}</small></dd>{}</div>)",
                     escape(name), escape(value), escape(unit),
                     note.empty() ? "" : fmt::format("<p>{}</p>", escape(note)));
}

/// Median and least of the repetitions of a run.
std::string repeat_note(const Group& group) {
  std::vector<double> rates;
  for (const RunResult* run : group.runs)
    if (const auto rate = rate_of(*run)) rates.push_back(*rate);
  if (rates.size() < 2) return {};
  return fmt::format("best of {}; median {}, least {}", rates.size(), rate_text(median(rates)),
                     rate_text(std::ranges::min(rates)));
}

/// GFLOP/s per watt by the meter, else by the sensors inside the devices.
std::string efficiency_tile(const RunResult& run) {
  const auto shown = [](double value, const std::string& of) {
    return tile("Efficiency", fmt::format("{:.4g}", value), "GFLOP/s per W", of);
  };
  const PowerAverages* const averages = run.power ? best_averages(*run.power) : nullptr;
  if (rate_of(run) && averages != nullptr && averages->watts > 0) {
    const auto& meter = run.power->meter;
    return shown(run.gflops / averages->watts,
                 meter && meter->averages ? "meter: " + meter->source
                                          : "component power, " + run.power->components->sensors);
  }
  const auto of_devices = gflops_per_watt(run);
  return of_devices ? shown(*of_devices, "component power") : std::string();
}

std::string tiles(const Group& group) {
  const RunResult& run = group.best();
  const auto rate = rate_of(run);
  std::string html = R"(<dl class="tiles">)";
  if (rate) {
    const RateUnit unit = rate_unit(*rate);
    html += tile("Rate", significant(*rate / unit.gflops, 4), unit.name, repeat_note(group));
  }
  if (run.stopped)
    html += tile("Projected rate", rate_text(run.stopped->projected_gflops), "",
                 fmt::format("a projection: stopped after {} of the operations",
                             percent_text(run.stopped->fraction)));
  html += tile("Time", seconds_text(run.seconds), "", fmt::format("N = {}", run.spec.order));
  if (rate && run.attainable_gflops.value_or(0) > 0) {
    const std::string source =
        run.attainable_rates.empty() ? "" : ", " + run.attainable_rates.front().source;
    html += tile("Of attainable", fmt::format("{:.1f}", 100 * *rate / *run.attainable_gflops), "%",
                 fmt::format("attainable: {}{}", rate_text(*run.attainable_gflops), source));
  }
  html += efficiency_tile(run);
  if (run.residual)
    html += tile("Scaled residual", fmt::format("{:.3g}", run.residual->scaled), "",
                 fmt::format("must be below {:g}", run.spec.threshold));
  return html + "</dl>";
}

}  // namespace

std::string verdict_section(std::span<const RunFile> files, std::span<const Group> groups) {
  const VerdictLook& look = look_of(verdict_of(files));
  std::string html = fmt::format(
      R"(<section class="verdict {}"><div class="word"><strong>{}</strong><span>{}</span></div>)",
      look.style, look.word, escape(tally_text(files)));
  if (!groups.empty()) html += tiles(fastest(groups));
  html += findings_list(all_findings(files, groups));
  return html + "</section>\n";
}

}  // namespace hpl::page
