#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "hpl/report/page/format.h"
#include "hpl/report/page/table_rows.h"
#include "hpl/run/page/run_part.h"
#include "sections.h"

namespace hpl::page {

namespace {

NamedValues facts_shown(const RunFile& file) {
  NamedValues facts = file.job.header.environment;
  std::ranges::copy(facts_of(file.job.header.program), std::back_inserter(facts));
  return facts;
}

std::string value_of(const NamedValues& facts, std::string_view name) {
  const auto found = std::ranges::find(facts, name, &NamedValues::value_type::first);
  return found == facts.end() ? "" : found->second;
}

std::string environment_table(std::span<const RunFile> files) {
  Table table;
  for (const RunFile& file : files) {
    row_of(table, "program").push_back(program_of(file));
    for (const auto& [name, value] : facts_shown(file))
      row_of(table, name);
  }
  // A cell for every file, also where it has no such fact.
  for (auto& [name, values] : table) {
    if (name == "program") continue;
    for (const RunFile& file : files)
      values.push_back(value_of(facts_shown(file), name));
  }
  std::string html =
      R"(<div class="half"><h3>Environment</h3><div class="scroll" tabindex="0" role="region" aria-label="Environment"><table class="pairs">)";
  if (files.size() > 1) {
    html += "<thead><tr><th></th>";
    for (const std::string& name : short_names(files))
      html += fmt::format("<th scope=\"col\">{}</th>", escape(name));
    html += "</tr></thead>";
  }
  html += "<tbody>";
  for (const auto& [name, values] : table) {
    const bool varies = std::any_of(values.begin(), values.end(),
                                    [&](const std::string& v) { return v != values.front(); });
    html += fmt::format("<tr><th scope=\"row\">{}{}</th>", escape(name),
                        varies ? R"( <span class="tag">varies</span>)" : "");
    for (const std::string& value : values)
      html += fmt::format("<td>{}</td>", escape(value));
    html += "</tr>";
  }
  return html + "</tbody></table></div></div>";
}

std::string remark_list(std::span<const RunFile> files) {
  std::vector<std::string> remarks;
  for (const RunFile& file : files)
    for (const Remark& remark : file.job.header.remarks)
      add_distinct(remarks, remark.text);
  if (remarks.empty()) return {};
  std::string html = "<h3>Choices and remarks</h3><ul class=\"notes\">";
  for (const std::string& remark : remarks)
    html += "<li>" + escape(remark) + "</li>";
  return html + "</ul>";
}

/// The choices for the first run of each file.
std::string choice_tables(std::span<const RunFile> files) {
  std::string html;
  for (const RunFile& file : files) {
    const std::vector<Decision>& choices = file.job.header.choices;
    if (choices.empty()) continue;
    html += fmt::format(
        R"(<details><summary>Choices and their reasons{}</summary><div class="scroll"><table class="pairs"><tbody>)",
        files.size() > 1 ? ": " + escape(file.name) : "");
    for (const auto& [about, value, reason] : choices)
      html += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td></tr>", escape(about),
                          escape(value), escape(reason));
    html += "</tbody></table></div></details>";
  }
  return html;
}

}  // namespace

std::string configuration_section(std::span<const RunFile> files, std::span<const Group> groups) {
  return "<section><h2>Configuration</h2>" + remark_list(files) + "<div class=\"halves\">" +
         settings_table(groups) + environment_table(files) + "</div>" + choice_tables(files) +
         "</section>\n";
}

}  // namespace hpl::page
