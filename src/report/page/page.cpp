#include "hpl/report/page/page.h"

#include <fmt/format.h>

#include "fleet_section.h"
#include "format.h"
#include "page_assets.h"
#include "prediction_section.h"
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

}  // namespace

std::string build_page(std::span<const RunFile> files, const PageOptions& options) {
  const std::vector<Group> groups = group_runs(files);
  const std::vector<std::size_t> in_full = groups_in_full(groups, options.runs_in_full);
  const std::string title = options.title.empty() ? title_of(files, groups) : options.title;

  std::string html = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>{} – xhpl</title>\n"
      "<style>\n{}</style>\n</head>\n<body>\n<main>\n",
      escape(title), kPageStyle);
  html += fmt::format(
      "<header><p class=\"eyebrow\">High-Performance Linpack</p><h1>{}</h1><p "
      "class=\"origin\">{}</p>"
      "</header>\n",
      escape(title), escape(origin_of(files)));
  if (!only_predictions(files)) html += verdict_section(files, groups);
  html += fleet_section(files);
  html += comparison_section(groups, in_full);
  for (std::size_t i = 0; i < in_full.size(); ++i)
    html += run_section(groups[in_full[i]], i == 0, groups.size() == 1);
  if (in_full.size() < groups.size()) {
    html += fmt::format("<p class=\"left\">Charts of {} of {} runs are shown.</p>\n",
                        in_full.size(), groups.size());
  }
  html += prediction_section(files);
  html += product_section(files);
  html += tuning_section(files);
  html += preflight_section(files);
  if (!only_predictions(files)) html += configuration_section(files, groups);
  html += fmt::format(
      "<footer>Made by xhpl-report {}</footer>\n</main>\n<script>\n{}</script>\n</body>\n</html>\n",
      HPL_VERSION, kPageScript);
  return html;
}

}  // namespace hpl::page
