#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "hpl/base/record/record.h"
#include "hpl/report/page/format.h"
#include "hpl/run/page/run_part.h"

namespace hpl::page {

namespace {

/// The member that is an object of further settings.
constexpr std::string_view kMixed = "mixed";

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
      {"threshold", "Threshold of the residual"},
      {"operands", "Operands of products"},
      {"diagonal", "c of the diagonal"}};
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

std::string joined(const std::vector<std::string>& values) {
  constexpr std::size_t kShown = 12;
  std::string text;
  for (std::size_t i = 0; i < std::min(values.size(), kShown); ++i)
    text += (i > 0 ? ", " : "") + values[i];
  if (values.size() > kShown) text += fmt::format(" and {} more", values.size() - kShown);
  return text;
}

}  // namespace

std::string settings_table(std::span<const Group> groups) {
  std::vector<std::pair<std::string, std::string>> settings;
  for (const Group& group : groups) {
    const Record::Json spec = to_json_value(group.runs.front()->spec);
    for (const auto& [name, value] : spec.items()) {
      if (name != kMixed) {
        settings.emplace_back(setting_name(name), setting_value(value));
        continue;
      }
      if (value.is_null()) continue;
      for (const auto& [inner, setting] : value.items())
        settings.emplace_back("HPL-MxP: " + setting_name(inner), setting_value(setting));
    }
  }
  if (settings.empty()) return {};
  Table table{.title = "Settings", .columns = columns_of("|")};
  std::vector<std::string> names;
  for (const auto& [name, value] : settings)
    names.push_back(name);
  for (const std::string& name : distinct(names)) {
    std::vector<std::string> values;
    for (const auto& [of, value] : settings)
      if (of == name && std::ranges::find(values, value) == values.end()) values.push_back(value);
    table.add({name + (values.size() > 1 ? " (varies)" : ""), joined(values)});
  }
  return R"(<div class="half">)" + titled_html_of(table, "pairs") + "</div>";
}

}  // namespace hpl::page
