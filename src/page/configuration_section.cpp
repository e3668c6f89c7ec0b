#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "hpl/base/text/text_value.h"
#include "hpl/report/page/format.h"
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
  Table table{.title = "Environment", .columns = {{}}};
  std::vector<std::string> names;
  for (const RunFile& file : files)
    for (const auto& [name, value] : facts_shown(file))
      names.push_back(name);
  for (const std::string& name : short_names(files))
    table.columns.push_back({files.size() > 1 ? name : ""});
  const auto add = [&](const std::string& name, auto value_in) {
    std::vector<Cell> row{name};
    for (const RunFile& file : files)
      row.emplace_back(value_in(file));
    if (std::ranges::any_of(
            row, [&](const Cell& cell) { return &cell != row.data() && cell.text != row[1].text; }))
      row[0].text += " (varies)";
    table.add(std::move(row));
  };
  add("program", program_of);
  for (const std::string& name : distinct(names))
    if (name != "program")
      add(name, [&](const RunFile& file) { return value_of(facts_shown(file), name); });
  return R"(<div class="half">)" + titled_html_of(table, "pairs") + "</div>";
}

std::string remark_list(std::span<const RunFile> files) {
  std::vector<std::string> remarks;
  for (const RunFile& file : files)
    std::ranges::copy(texts_of(file.job.header.remarks), std::back_inserter(remarks));
  return titled_list("Choices and remarks", distinct(remarks));
}

/// The choices for the first run of each file.
std::string choice_tables(std::span<const RunFile> files) {
  std::string html;
  for (const RunFile& file : files) {
    const std::vector<Decision>& choices = file.job.header.choices;
    if (choices.empty()) continue;
    Table table{.title = "Choices and their reasons", .columns = columns_of("||")};
    for (const auto& [about, value, reason] : choices)
      table.add({about, value, reason});
    html += fmt::format("<details><summary>{}{}</summary>{}</details>", table.title,
                        files.size() > 1 ? ": " + escape(file.name) : "", html_of(table, "pairs"));
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
