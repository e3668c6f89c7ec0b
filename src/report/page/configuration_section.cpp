#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "format.h"
#include "hpl/base/record/record.h"
#include "sections.h"

namespace hpl::page {

namespace {

/// Members of a run's specification in the words of HPL.dat.
std::string setting_name(const std::string& key) {
  static const std::map<std::string, std::string> kNames{
      {"variant", "Code"},
      {"order", "N, order of the matrix"},
      {"block_size", "NB, block size"},
      {"grid_rows", "P, rows of the grid"},
      {"grid_columns", "Q, columns of the grid"},
      {"rank_order", "PMAP, ranks over the grid"},
      {"depth", "DEPTH, look-ahead"},
      {"broadcast", "BCAST, panel broadcast"},
      {"recursive_variant", "RFACT, recursive panel"},
      {"recursion_divisor", "NDIV, parts of a panel"},
      {"panel_variant", "PFACT, base case of the panel"},
      {"recursion_stop", "NBMIN, columns of the base case"},
      {"swap", "SWAP, row swap"},
      {"swap_threshold", "Swapping threshold, columns"},
      {"transposed_l1", "L1 transposed"},
      {"transposed_u", "U transposed"},
      {"equilibrate", "Equilibration"},
      {"alignment", "Alignment, doubles"},
      {"arithmetic", "Arithmetic of the tail update"},
      {"threshold", "Threshold of the residual"}};
  if (const auto known = kNames.find(key); known != kNames.end()) return known->second;
  std::string name = key;
  std::replace(name.begin(), name.end(), '_', ' ');
  return name;
}

std::string setting_value(const Record::Json& value) {
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_null()) return {};
  return value.is_string() ? value.get<std::string>() : value.dump();
}

void add_distinct(std::vector<std::string>& values, const std::string& value) {
  if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
}

std::string joined(const std::vector<std::string>& values) {
  constexpr std::size_t kShown = 12;
  std::string text;
  for (std::size_t i = 0; i < std::min(values.size(), kShown); ++i)
    text += (i > 0 ? ", " : "") + values[i];
  if (values.size() > kShown) text += fmt::format(" and {} more", values.size() - kShown);
  return text;
}

/// Names in the order of their first use, with every value they take.
using Table = std::vector<std::pair<std::string, std::vector<std::string>>>;

std::vector<std::string>& row_of(Table& table, const std::string& name) {
  const auto row =
      std::find_if(table.begin(), table.end(), [&](const auto& one) { return one.first == name; });
  return row != table.end() ? row->second
                            : table.emplace_back(name, std::vector<std::string>()).second;
}

std::string settings_table(std::span<const Group> groups) {
  Table table;
  for (const Group& group : groups) {
    const Record::Json spec = to_json_value(group.runs.front()->spec);
    for (const auto& [name, value] : spec.items())
      add_distinct(row_of(table, name), setting_value(value));
  }
  if (table.empty()) return {};
  std::string html =
      R"(<div class="half"><h3>Settings</h3><div class="scroll"><table class="pairs"><tbody>)";
  for (const auto& [name, values] : table) {
    html += fmt::format(
        "<tr><th scope=\"row\">{}{}</th><td>{}</td></tr>", escape(setting_name(name)),
        values.size() > 1 ? R"( <span class="tag">varies</span>)" : "", escape(joined(values)));
  }
  return html + "</tbody></table></div></div>";
}

std::string environment_table(std::span<const RunFile> files) {
  Table table;
  for (const RunFile& file : files) {
    row_of(table, "program").push_back(program_of(file));
    for (const auto& [name, value] : file.job.header.environment)
      row_of(table, name);
  }
  // A cell for every file, also where it has no such fact.
  for (auto& [name, values] : table) {
    if (name == "program") continue;
    for (const RunFile& file : files) {
      values.push_back(environment(file, name));
    }
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

/// Of the first run of each file.
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
