#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "hpl/base/record/record.h"
#include "hpl/base/text/host_list.h"
#include "hpl/check/report/check_text.h"
#include "hpl/compare/compare.h"
#include "hpl/fleet/judge/fleet_verdict.h"
#include "hpl/fleet/page/fleet_part.h"
#include "hpl/page/verdict.h"
#include "hpl/report/page/format.h"
#include "hpl/run/page/run_findings.h"
#include "hpl/run/page/run_part.h"
#include "sections.h"
#include "sheet.h"

namespace hpl::page {

namespace {

/// "Best 20.1 GFLOP/s, defaults 18.4 GFLOP/s (+9.2 %)."
std::string search_text(const TuneReport& search) {
  const double best = search.best_gflops().value_or(0);
  const double defaults = search.preferred_gflops().value_or(0);
  if (!(best > 0)) return "A search for settings; no trial has given a result.";
  std::string text = "Best " + hpl::rate_text(best);
  if (defaults > 0)
    text += fmt::format(", defaults {} ({:+.1f} %)", hpl::rate_text(defaults),
                        100 * (best / defaults - 1));
  return text + ".";
}

/// "3 runs passed the residual check, 1 run failed."
std::string tally_text(std::span<const RunFile> files) {
  std::string text;
  const auto add = [&](const std::string& part) {
    if (!part.empty()) text += (text.empty() ? "" : ", ") + part;
  };
  constexpr std::array<std::pair<Verdict, const char*>, 4> kWords{
      {{Verdict::Passed, "passed the residual check"},
       {Verdict::Failed, "failed"},
       {Verdict::Unchecked, "not checked"},
       {Verdict::Stopped, "stopped early"}}};
  for (const auto& [verdict, words] : kWords) {
    std::size_t count = 0;
    for (const RunFile& file : files)
      for (const RunResult& run : file.job.runs)
        count += run_verdict(run) == verdict ? 1 : 0;
    if (count > 0) add(count_text(count, "run") + " " + words);
  }
  add(fleet_tally(fleets_of(files)));
  if (!text.empty()) return text + ".";
  const auto all = [&](Content content) {
    return std::ranges::all_of(files, [&](const auto& file) { return file.content == content; });
  };
  if (all(Content::Comparison)) {
    std::string tallies;
    for (const RunFile& file : files)
      tallies += (tallies.empty() ? "" : " ") + comparison_tally(*file.comparison);
    return tallies.ends_with('.') ? tallies : tallies + ".";
  }
  if (all(Content::Search)) return search_text(*files.front().search);
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
    if (files[i].comparison) {
      const Comparison& comparison = *files[i].comparison;
      for (const Shortfall& shortfall : kShortfalls)
        for (const std::string& name : comparison.*shortfall.list)
          add(fmt::format("{}{}: {}{}", of, name, shortfall.word,
                          shortfall.is_new ? ", and not so before" : ""));
      for (const std::string& name : comparison.slow)
        add(of + name + ": lost more of its rate than --fail-below");
      if (comparison.undecided)
        add(fmt::format("{}--fail-below {:g} %: {}", of, *comparison.fail_below,
                        *comparison.undecided));
    }
    if (job.preflight)
      for (const RankFinding& finding : job.preflight->findings)
        if (finding.severity != Severity::Remark)
          add(fmt::format("{}{}: {}", of, place_of(finding), finding.text));
  }
  // The label of HPL-MxP stands below the title.
  const auto add_mode = [&](const RunSpec& spec) {
    if (!spec.mixed && !mode_label(spec).empty()) add("tail update in " + arithmetic_text(spec));
  };
  for (const Group& group : groups)
    add_mode(group.runs.front()->spec);
  const std::vector<const FleetReport*> fleets = fleets_of(files);
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!files[i].fleet || is_history(*files[i].fleet, fleets)) continue;
    const std::string of = files.size() > 1 ? names[i] + ": " : "";
    if (const std::string disturbance = disturbance_of(*files[i].fleet); !disturbance.empty())
      add(of + disturbance);
    for (const std::string& reason : reasons_of(*files[i].fleet))
      add(of + reason);
  }
  for (const RunFile& file : files)
    if (file.fleet) add_mode(file.fleet->spec);
  for (const Group& group : groups)
    for (const RunResult* run : group.runs)
      for (const std::string& finding : findings_of(*run))
        add((groups.size() > 1 ? group.label + ": " : "") +
            (group.runs.size() > 1 ? fmt::format("repetition {}: ", run->repeat_index + 1) : "") +
            finding);
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

}  // namespace

std::vector<Group> groups_of(std::span<const RunFile> files) {
  const std::vector<std::string> names = short_names(files);
  std::vector<FileRuns> runs;
  for (std::size_t i = 0; i < files.size(); ++i)
    runs.push_back({names[i], files[i].job.runs});
  return group_runs(runs);
}

std::vector<std::string> reasons_of(const RunFile& file) {
  const std::span one(&file, 1);
  return all_findings(one, groups_of(one));
}

std::string verdict_section(std::span<const RunFile> files, std::span<const Group> groups,
                            const PageOptions& options) {
  const VerdictLook look =
      look_of(options.sheet ? verdict_of_sheet(files, options) : verdict_of(files));
  std::string html = fmt::format(
      R"(<section class="verdict {}"><div class="word"><strong>{}</strong><span>{}</span></div>)",
      look.style, look.word, escape(tally_text(files)));
  if (!groups.empty()) html += result_tiles(fastest(groups));
  std::vector<std::string> findings = all_findings(files, groups);
  if (const std::vector<std::string> lost = lost_hosts(files, options.hosts); !lost.empty())
    findings.insert(findings.begin(), "lost before the last step: " + host_list(lost));
  if (options.campaign && options.campaign->error)
    findings.insert(findings.begin(), "the campaign ended early: " + *options.campaign->error);
  html += findings_list(findings);
  return html + "</section>\n";
}

}  // namespace hpl::page
