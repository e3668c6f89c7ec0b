#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "hpl/report/page/format.h"
#include "hpl/report/result/device_telemetry.h"
#include "hpl/report/result/run_failures.h"
#include "hpl/run/page/run_part.h"
#include "hpl/run/report/run_tables.h"

namespace hpl::page {

namespace {

Table result_table(std::span<const Group> groups) {
  Table table{.title = "All runs",
              .columns = columns_of("run|status|>rate|>vs. first run|>of attainable|>seconds|"
                                    ">residual|>N|>NB|>P × Q|code")};
  const RunResult& first = *groups.front().runs.front();
  const double reference = rate_of(first).value_or(0);
  for (const Group& group : groups)
    for (const RunResult* const one : group.runs) {
      const RunResult& run = *one;
      const std::string repeat =
          group.runs.size() > 1 ? fmt::format(", repetition {}", run.repeat_index + 1) : "";
      const RunSpec& spec = run.spec;
      const double rate = rate_of(run).value_or(0);
      const bool compared = rate > 0 && reference > 0 && &run != &first;
      const bool bounded = rate > 0 && run.attainable_gflops.value_or(0) > 0;
      const std::string_view status = name_of(kRunVerdicts, run_verdict(run));
      table.add({group.label + repeat, Cell(status, status), rate > 0 ? rate_text(rate) : "",
                 compared ? fmt::format("{:+.1f} %", 100 * (rate / reference - 1)) : "",
                 bounded ? percent_text(rate / *run.attainable_gflops) : "",
                 run.seconds < 1 ? fmt::format("{:.3g}", run.seconds)
                                 : fmt::format("{:.2f}", run.seconds),
                 run.residual ? fmt::format("{:.2e}", run.residual->scaled) : "",
                 std::to_string(spec.order), std::to_string(spec.block_size),
                 fmt::format("{} × {}", spec.grid_rows, spec.grid_columns), variant_code(spec)});
    }
  return table;
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
  Record::Json rates = Record::Json::array(), tables = Record::Json::array();
  if (in_full)
    for (const Table& table : tables_of(group.best()))
      tables.push_back(data_of(table));
  for (const RunResult* run : group.runs)
    if (const auto rate = rate_of(*run)) rates.push_back(*rate);
  return {{"label", group.label},
          {"status", name_of(kRunVerdicts, group.verdict())},
          {"best", rate_of(group.best()).value_or(0)},
          {"rates", std::move(rates)},
          {"tables", std::move(tables)},
          {"run", in_full ? to_json_value(group.best()) : Record::Json(nullptr)}};
}

}  // namespace

std::string result_section(std::span<const Group> groups) {
  if (groups.empty()) return {};
  return fmt::format("<section><h2>{}</h2><div id=\"comparison\"></div>",
                     groups.size() > 1                ? "Runs beside each other"
                     : groups.front().runs.size() > 1 ? "Repetitions"
                                                      : "Result") +
         html_of(result_table(groups), "tall runs") + notes(groups) + "</section>\n";
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
