#include "hpl/page/page.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "hpl/base/record/record.h"
#include "hpl/base/text/zoned_time.h"
#include "hpl/compare/compare.h"
#include "hpl/fleet/page/fleet_part.h"
#include "hpl/report/page/format.h"
#include "hpl/run/page/run_part.h"
#include "page_assets.h"
#include "sections.h"
#include "sheet.h"

namespace hpl::page {

namespace {

using Json = nlohmann::ordered_json;

std::string title_of(std::span<const RunFile> files, std::span<const Group> groups) {
  if (groups.size() == 1) {
    const RunSpec& spec = groups.front().runs.front()->spec;
    return fmt::format("N = {} on {}\u00a0×\u00a0{}", spec.order, spec.grid_rows,
                       spec.grid_columns);
  }
  if (!groups.empty()) {
    std::size_t count = 0;
    for (const Group& group : groups)
      count += group.runs.size();
    const std::string runs =
        (count > groups.size() ? count_text(groups.size(), "setting") + ", " : "") +
        count_text(count, "run");
    return files.size() > 1 ? runs + " of " + count_text(files.size(), "job") : runs;
  }
  const FleetReport* latest = nullptr;
  for (const RunFile& file : files)
    if (file.fleet && (latest == nullptr || latest->started.seconds < file.fleet->started.seconds))
      latest = &*file.fleet;
  if (latest != nullptr) return "Fleet of " + count_text(latest->hosts.size(), "host");
  switch (files.front().content) {
    case Content::Predictions:
      return "Predictions";
    case Content::Comparison:
      return "What changed";
    case Content::Search:
      return "Search for settings";
    case Content::Check: {
      const CheckReport& check = *files.front().job.preflight;
      return "Check of " + (check.node_count == 1 && !check.ranks.empty()
                                ? check.ranks.front().host
                                : count_text(check.node_count, "node"));
    }
    case Content::Runs:
    case Content::Fleet:
    case Content::Campaign:
      break;
  }
  return files.front().job.preflight ? "Check before the runs" : "No runs";
}

/// "node01 · 2026-01-03 04:00 UTC · xhpl 0.1.0", of HPL-MxP with its formats.
std::string origin_of(std::span<const RunFile> files, std::span<const Group> groups) {
  std::string text;
  const auto add = [&](const std::string& part) {
    if (!part.empty()) text += (text.empty() ? "" : " · ") + part;
  };
  if (files.size() == 1) {
    add(environment(files.front(), "host"));
  } else {
    const std::string names = fmt::format("{}", fmt::join(short_names(files), ", "));
    add(names.size() < 200 ? names : count_text(files.size(), "file"));
  }
  // The first start stands for the job.
  const auto& runs = files.front().job.runs;
  const double begin = files.front().job.header.program.started.seconds;
  const std::string started =  // 2026-01-03T04:00:00Z
      !runs.empty() ? utc_time(runs.front().started)
      : begin > 0   ? utc_time(static_cast<std::time_t>(begin))
                    : "";
  if (!started.empty()) add(started.substr(0, 10) + " " + started.substr(11, 5) + " UTC");
  add(program_of(files.front()));
  for (const Group& group : groups)
    if (const RunSpec& spec = group.runs.front()->spec;
        spec.mixed && text.find(arithmetic_text(spec)) == std::string::npos)
      add(arithmetic_text(spec));
  return text;
}

std::string benchmark_of(std::span<const Group> groups) {
  const bool mixed = !groups.empty() && std::ranges::all_of(groups, [](const Group& group) {
    return group.runs.front()->spec.mixed.has_value();
  });
  return mixed ? "HPL-MxP" : "High-Performance Linpack";
}

/// The template with its parts in their places.
std::string filled(const std::map<std::string_view, std::string>& parts) {
  std::string html;
  std::string_view rest = kPageTemplate;
  for (auto at = rest.find("{{"); at != rest.npos; at = rest.find("{{")) {
    const auto end = rest.find("}}", at);
    html += rest.substr(0, at);
    html += parts.at(rest.substr(at + 2, end - at - 2));
    rest.remove_prefix(end + 2);
  }
  return html.append(rest);
}

/// The newest fleets of each kind of members.
Json fleet_groups(std::span<const RunFile> files) {
  Json groups = Json::array();
  for (const auto& fleets : by_member(fleets_of(files)))
    groups.push_back({{"each", name_of(kFleetMemberKinds, fleets.back()->each)},
                      {"fleet", fleet_data(*fleets.back())}});
  return groups;
}

/// The data that the script of a page draws, as JSON inside a <script> element: no character of it
/// ends the element. `in_full`: positions of the groups that get charts of their own.
std::string page_data(std::span<const RunFile> files, std::span<const Group> groups,
                      std::span<const std::size_t> in_full,
                      std::span<const NamedComparison> comparisons) {
  Json data = {{"predictions", Json::array()}, {"comparisons", Json::array()}};
  for (const RunFile& file : files)
    if (file.predictions) data["predictions"].push_back(to_json_value(*file.predictions));
  for (const NamedComparison& changes : comparisons)
    data["comparisons"].push_back(to_json_value(changes.comparison));
  data.update(runs_data(groups, in_full));
  data["fleet_groups"] = fleet_groups(files);
  std::string text = data.dump(-1, ' ', false, Json::error_handler_t::replace);
  for (std::size_t at = 0; (at = text.find('<', at)) != std::string::npos;)
    text.replace(at, 1, "\\u003c");
  return text;
}

}  // namespace

std::string build_page(std::span<const RunFile> files, const PageOptions& options) {
  const std::vector<Group> groups = groups_of(files);
  const std::vector<NamedComparison> comparisons = comparisons_of(files);
  const std::vector<std::size_t> in_full = groups_in_full(groups, options.runs_in_full);
  const std::string title = options.title.empty() ? title_of(files, groups) : options.title;
  // It is no run: there is nothing to pass.
  const bool only_predictions = std::ranges::all_of(
      files, [](const RunFile& file) { return file.content == Content::Predictions; });
  return filled({{"title", escape(title)},
                 {"style", kPageStyle},
                 {"benchmark", benchmark_of(groups)},
                 {"origin", escape(origin_of(files, groups))},
                 {"sheet", options.sheet ? sheet_section(files, options) : ""},
                 {"verdict", only_predictions ? "" : verdict_section(files, groups, options)},
                 {"fleet", fleet_section(fleets_of(files))},
                 {"results", result_section(groups)},
                 {"documents", document_sections(files, comparisons)},
                 {"configuration", only_predictions ? "" : configuration_section(files, groups)},
                 {"program", "xhpl-report " HPL_VERSION},
                 {"data", page_data(files, groups, in_full, comparisons)},
                 {"script", kPageScript}});
}

std::string page_of(const std::vector<std::pair<std::string, std::string>>& documents) {
  std::vector<RunFile> files;
  for (const auto& [name, text] : documents)
    files.push_back(parse_run_file(name, text));
  return build_page(files, {});
}

}  // namespace hpl::page
