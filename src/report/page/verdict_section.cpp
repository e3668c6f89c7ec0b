#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "findings.h"
#include "fleets.h"
#include "format.h"
#include "power_part.h"
#include "sections.h"

namespace hpl::page {

namespace {

struct VerdictLook {
  const char* name;  ///< of the style
  const char* path;  ///< of the sign beside the word, in a box of 24 by 24
};

VerdictLook look_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::Passed:
      return {"good", "M6 12.5l4 4 8-9"};
    case Verdict::Unchecked:
      return {"open", "M7 12h10"};
    case Verdict::Failed:
      return {"bad", "M7.5 7.5l9 9M16.5 7.5l-9 9"};
    case Verdict::Broken:
      return {"bad", "M12 6v8M12 17.5v.5"};
    case Verdict::Unfinished:
      return {"open", "M12 7v5.5l3.5 2"};
  }
  return {"open", ""};
}

/// "3 runs passed, 1 run failed."
std::string tally_text(std::span<const RunFile> files) {
  const std::array<std::pair<const char*, const char*>, 4> kinds{
      {{"passed", "passed the residual check"},
       {"failed", "failed"},
       {"unchecked", "not checked"},
       {"stopped", "stopped early"}}};
  std::string text;
  for (const auto& [status, words] : kinds) {
    std::size_t count = 0;
    for (const RunFile& file : files)
      for (const Run& run : file.runs)
        count += run.status == status ? 1 : 0;
    if (count == 0) continue;
    text += (text.empty() ? "" : ", ") + count_text(count, "run") + " " + words;
  }
  if (const std::string fleet = fleet_tally(files); !fleet.empty())
    text += (text.empty() ? "" : ", ") + fleet;
  std::size_t right = 0, wrong = 0;
  for (const RunFile& file : files)
    for (const Product& product : file.products)
      for (const ProductVariant& variant : product.variants)
        ++(variant.passed ? right : wrong);
  if (right > 0)
    text += fmt::format("{}{} within rounding bounds", text.empty() ? "" : ", ",
                        count_text(right, "product"));
  if (wrong > 0)
    text += fmt::format("{}{} wrong", text.empty() ? "" : ", ", count_text(wrong, "product"));
  const bool search_only = std::ranges::all_of(
      files, [](const RunFile& file) { return file.runs.empty() && file.tuning; });
  if (text.empty() && search_only) return "A search for settings by trials.";
  const bool check_only = std::all_of(files.begin(), files.end(), [](const RunFile& file) {
    return file.runs.empty() && file.preflight;
  });
  if (text.empty() && check_only) return "A check; no run was made.";
  return text.empty() ? "No run was made." : text + ".";
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
    const std::string of = files.size() > 1 ? names[i] + ": " : "";
    if (files[i].error) add(of + "the job ended early: " + *files[i].error);
    if (!files[i].exit_code) add(of + "the file was written before the job ended");
    for (const Gate& gate : files[i].gates)
      if (!gate.held) add(of + gate.flag + " was not held: " + gate.reason);
    if (files[i].preflight && !files[i].preflight->sound) {
      const auto& found = files[i].preflight->findings;
      const auto bad = std::count_if(found.begin(), found.end(), [](const CheckFinding& finding) {
        return finding.kind != "remark";
      });
      add(fmt::format("{}the check before the runs found {}", of,
                      count_text(static_cast<std::size_t>(bad), "thing")) +
          ", listed below");
    }
  }
  for (const Group& group : groups)
    for (const Run* run : group.runs)
      if (run->arithmetic != "FP64") add("tail update in " + run->arithmetic);
  for (const RunFile& file : files)
    if (file.fleet && !mode_label(file.fleet->spec).empty())
      add("tail update in " + arithmetic_text(file.fleet->spec));
  for (const Group& group : groups)
    for (const Run* run : group.runs)
      for (const std::string& finding : findings_of(*run))
        add(groups.size() > 1 ? group.label + ": " + finding : finding);
  return sentences;
}

std::string findings_list(const std::vector<std::string>& sentences) {
  if (sentences.empty()) return {};
  constexpr std::size_t kShown = 12;
  std::string html = R"(<div class="findings"><h2>Worth a look</h2><ul>)";
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

/// Minimum, median and maximum of the repetitions of a run.
std::string repeat_note(const Group& group) {
  std::vector<double> rates;
  for (const Run* run : group.runs)
    if (run->gflops) rates.push_back(*run->gflops);
  if (rates.size() < 2) return {};
  std::sort(rates.begin(), rates.end());
  const double middle = (rates[(rates.size() - 1) / 2] + rates[rates.size() / 2]) / 2;
  return fmt::format("best of {}; median {}, least {}", rates.size(), rate_text(middle),
                     rate_text(rates.front()));
}

std::string tiles(const Group& group) {
  const Run& run = group.best();
  std::string html = R"(<dl class="tiles">)";
  if (run.gflops) {
    const RateUnit unit = rate_unit(*run.gflops);
    html += tile("Rate", fmt::format("{:.4g}", *run.gflops / unit.gflops), unit.name,
                 repeat_note(group));
  }
  if (run.stopped && run.stopped->projected_gflops) {
    html += tile("Projected rate", rate_text(*run.stopped->projected_gflops), "",
                 fmt::format("a projection: stopped after {} of the operations",
                             percent_text(run.stopped->fraction)));
  }
  if (run.seconds) {
    const std::string text = seconds_text(*run.seconds);
    html += tile("Time", text, "", fmt::format("N = {}", run.order));
  }
  if (run.gflops && run.attainable_gflops.value_or(0) > 0) {
    html += tile("Of the attainable rate",
                 fmt::format("{:.1f}", 100 * *run.gflops / *run.attainable_gflops), "%",
                 fmt::format("matrix products: {}{}{}", rate_text(*run.attainable_gflops),
                             run.attainable_source.empty() ? "" : ", ", run.attainable_source));
  }
  if (const auto efficiency = efficiency_of(run))
    html += tile("Efficiency", fmt::format("{:.4g}", efficiency->gflops_per_watt), "GFLOP/s per W",
                 efficiency->of);
  if (run.scaled_residual) {
    std::string limit;
    for (const auto& [name, value] : run.settings)
      if (name == "threshold") limit = "must be below " + value;
    html += tile("Scaled residual", fmt::format("{:.3g}", *run.scaled_residual), "", limit);
  }
  return html + "</dl>";
}

}  // namespace

std::string verdict_section(std::span<const RunFile> files, std::span<const Group> groups) {
  const Verdict verdict = verdict_of(files);
  const VerdictLook look = look_of(verdict);
  std::string html = fmt::format(
      R"(<section class="verdict {}"><div class="word"><svg viewBox="0 0 24 24" aria-hidden="true">)"
      R"(<circle cx="12" cy="12" r="11"/><path d="{}"/></svg><strong>{}</strong><span>{}</span></div>)",
      look.name, look.path, to_string(verdict), escape(tally_text(files)));
  if (!groups.empty()) html += tiles(fastest(groups));
  html += findings_list(all_findings(files, groups));
  return html + "</section>\n";
}

}  // namespace hpl::page
