#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "hpl/report/page/format.h"
#include "hpl/report/result/device_telemetry.h"
#include "hpl/report/result/run_failures.h"
#include "hpl/run/page/run_part.h"

namespace hpl::page {

namespace {

std::string cell(std::string_view text) {
  return fmt::format(R"(<td class="n">{}</td>)", escape(text));
}

std::string result_row(const Group& group, const RunResult& run, const RunResult& first) {
  const std::string repeat =
      group.runs.size() > 1 ? fmt::format(", repetition {}", run.repeat_index + 1) : "";
  const RunSpec& spec = run.spec;
  const double rate = rate_of(run).value_or(0), reference = rate_of(first).value_or(0);
  const bool compared = rate > 0 && reference > 0 && &run != &first;
  const bool bounded = rate > 0 && run.attainable_gflops.value_or(0) > 0;
  std::string html =
      fmt::format(R"(<tr><th scope="row">{0}{1}</th><td><span class="status {2}">{2}</span></td>)",
                  escape(group.label), repeat, name_of(kRunVerdicts, run_verdict(run)));
  for (const std::string& text :
       {rate > 0 ? rate_text(rate) : "",
        compared ? fmt::format("{:+.1f} %", 100 * (rate / reference - 1)) : "",
        bounded ? percent_text(rate / *run.attainable_gflops) : "",
        run.seconds < 1 ? fmt::format("{:.3g}", run.seconds) : fmt::format("{:.2f}", run.seconds),
        run.residual ? fmt::format("{:.2e}", run.residual->scaled) : "", std::to_string(spec.order),
        std::to_string(spec.block_size), fmt::format("{} × {}", spec.grid_rows, spec.grid_columns)})
    html += cell(text);
  return html + fmt::format("<td><code>{}</code></td></tr>\n", escape(variant_code(spec)));
}

/// The loads and remarks of runs, each once, with its groups.
std::string notes(std::span<const Group> groups) {
  std::vector<std::pair<std::string, std::vector<const Group*>>> said;
  const auto add = [&](const std::string& line, const Group& group) {
    auto known = std::ranges::find(said, line, [](const auto& one) { return one.first; });
    if (known == said.end()) known = said.insert(said.end(), {line, {}});
    if (known->second.empty() || known->second.back() != &group) known->second.push_back(&group);
  };
  for (const Group& group : groups)
    for (const RunResult* run : group.runs) {
      // Sums that disagree stand among the findings.
      if (run->checksums && run->checksums->faults.empty())
        for (const std::string& line : checksum_lines(*run))
          add("Checksums: " + line + ".", group);
      for (const Remark& remark : run->remarks)
        add(remark.text, group);
    }
  std::string html;
  for (const auto& [line, of] : said) {
    const std::string who = of.size() == groups.size() ? ""
                            : of.size() == 1
                                ? of.front()->label + ": "
                                : fmt::format("{} of {} runs: ", of.size(), groups.size());
    html += fmt::format("<p class=\"remark\">{}</p>\n", escape(who + line));
  }
  return html;
}

Record::Json group_data(const Group& group, bool in_full) {
  Record::Json rates = Record::Json::array();
  for (const RunResult* run : group.runs)
    if (const auto rate = rate_of(*run)) rates.push_back(*rate);
  return {{"label", group.label},
          {"status", name_of(kRunVerdicts, group.verdict())},
          {"best", rate_of(group.best()).value_or(0)},
          {"rates", std::move(rates)},
          {"run", in_full ? to_json_value(group.best()) : Record::Json(nullptr)}};
}

}  // namespace

std::string result_section(std::span<const Group> groups) {
  if (groups.empty()) return {};
  const RunResult& first = *groups.front().runs.front();
  std::string html = fmt::format(
      R"(<section><h2>{}</h2><div id="comparison"></div><div class="scroll tall runs" tabindex="0" )"
      R"(role="region" aria-label="All runs"><table><thead><tr>)",
      groups.size() > 1                ? "Runs beside each other"
      : groups.front().runs.size() > 1 ? "Repetitions"
                                       : "Result");
  for (const std::string_view name : {"Run", "Status"})
    html += fmt::format(R"(<th scope="col">{}</th>)", name);
  for (const std::string_view name :
       {"Rate", "vs. first run", "Of attainable", "Seconds", "Residual", "N", "NB", "P × Q"})
    html += fmt::format(R"(<th scope="col" class="n">{}</th>)", name);
  html += "<th scope=\"col\">Code</th></tr></thead><tbody>\n";
  for (const Group& group : groups)
    for (const RunResult* run : group.runs)
      html += result_row(group, *run, first);
  return html + "</tbody></table></div>\n" + notes(groups) + "</section>\n";
}

Record::Json runs_data(std::span<const Group> groups, std::span<const std::size_t> in_full) {
  Record::Json all = Record::Json::array();
  for (std::size_t i = 0; i < groups.size(); ++i)
    all.push_back(group_data(groups[i], std::ranges::find(in_full, i) != in_full.end()));
  return {{"fastest", groups.empty() ? 0 : &fastest(groups) - groups.data()},
          {"limits", {{"hot_celsius", kHotCelsius}, {"slow_clock", kSlowClockFraction}}},
          {"groups", std::move(all)}};
}

}  // namespace hpl::page
