#include "hpl/report/page/page.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "format.h"
#include "page_assets.h"
#include "page_data.h"
#include "sections.h"
#include "selection.h"

namespace hpl::page {

namespace {

std::string title_of(std::span<const RunFile> files, std::span<const Group> groups) {
  if (groups.size() == 1) {
    const Run& run = *groups.front().runs.front();
    return fmt::format("N = {} on {} × {}", run.order, run.grid_rows, run.grid_columns);
  }
  if (groups.empty()) {
    for (const RunFile& file : files)
      if (file.fleet) return "Fleet of " + count_text(file.fleet->hosts.size(), "host");
    if (files.front().predictions) return "Predictions";
    if (!files.front().products.empty()) return "Products from host memory";
    if (files.front().tuning) return "Search for settings";
    return files.front().preflight ? "Check before the runs" : "No runs";
  }
  std::string title = count_text(groups.size(), "run");
  return files.size() > 1 ? fmt::format("{} of {}", title, count_text(files.size(), "job")) : title;
}

/// "node01, 2026-01-03 04:00 UTC, xhpl 0.1.0"
std::string origin_of(std::span<const RunFile> files) {
  std::string text;
  const auto add = [&](const std::string& part) {
    if (!part.empty()) text += (text.empty() ? "" : " · ") + part;
  };
  if (files.size() == 1) {
    for (const auto& [name, value] : files.front().environment)
      if (name == "host") add(value);
  } else {
    std::string names;
    for (const std::string& name : short_names(files))
      names += (names.empty() ? "" : ", ") + name;
    add(names.size() < 200 ? names : count_text(files.size(), "file"));
  }
  // The first start stands for the job.
  if (!files.front().runs.empty()) {
    std::string started = files.front().runs.front().started;
    if (started.size() == 20)
      started = started.substr(0, 10) + " " + started.substr(11, 5) + " UTC";
    add(started);
  }
  add(files.front().program);
  return text;
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

}  // namespace

std::string build_page(std::span<const RunFile> files, const PageOptions& options) {
  const std::vector<Group> groups = group_runs(files);
  const std::vector<std::size_t> in_full = groups_in_full(groups, options.runs_in_full);
  const std::string title = options.title.empty() ? title_of(files, groups) : options.title;
  // It is no run: there is nothing to pass.
  const bool only_predictions =
      std::ranges::all_of(files, [](const RunFile& file) { return file.predictions.has_value(); });
  return filled({{"title", escape(title)},
                 {"style", kPageStyle},
                 {"origin", escape(origin_of(files))},
                 {"verdict", only_predictions ? "" : verdict_section(files, groups)},
                 {"fleet", fleet_section(files)},
                 {"results", result_section(groups)},
                 {"configuration", only_predictions ? "" : configuration_section(files, groups)},
                 {"program", "xhpl-report " HPL_VERSION},
                 {"data", page_data(files, groups, in_full)},
                 {"script", kPageScript}});
}

}  // namespace hpl::page
