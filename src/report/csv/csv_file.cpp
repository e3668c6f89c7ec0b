#include "hpl/report/csv/csv_file.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "hpl/base/error/error.h"
#include "hpl/base/file/line_file.h"
#include "hpl/base/text/text_value.h"

namespace hpl {
namespace {

std::string message(const std::filesystem::path& target, const std::system_error& failure) {
  return fmt::format("cannot write the CSV table to '{}': {}", shown_text(target.string()),
                     std::generic_category().message(failure.code().value()));
}

/// Columns at the end of ours that a table with this first line lacks, because an earlier version
/// began it; empty where the table is another one.
std::optional<std::ptrdiff_t> later_columns(const CsvTable& table, std::string_view first_line) {
  const std::string_view header = table.header;
  if (!header.starts_with(first_line)) return std::nullopt;
  if (std::ranges::count(first_line, ',') + 1 < table.first_columns) return std::nullopt;
  const std::string_view rest = header.substr(first_line.size());
  if (rest.front() != ',' && rest.front() != '\n') return std::nullopt;
  return std::ranges::count(rest, ',');
}

std::string without_last(std::string row, std::ptrdiff_t columns) {
  for (; columns > 0; --columns)
    row.erase(row.rfind(','), std::string::npos);
  return row.ends_with('\n') ? row : row + '\n';
}

std::string first_line(const LineFile& file, const CsvTable& table) {
  const std::string found = file.read(0, table.header.size());
  const std::size_t end = found.find('\n');
  return end == std::string::npos ? std::string() : found.substr(0, end);
}

/// Says what is wrong with a file that does not begin with our columns.
std::optional<std::string> foreign_content(const LineFile& file, const CsvTable& table,
                                           const std::filesystem::path& target) {
  const std::string found = file.read(0, table.header.size());
  if (found.empty() || later_columns(table, first_line(file, table))) return std::nullopt;
  std::size_t shown = 0;  // the first three columns
  for (int columns = 0; columns < 3; ++columns)
    shown = table.header.find(',', shown) + 1;
  return fmt::format(
      "the CSV table '{}' must begin with the columns that this program writes ({}...), found {}; "
      "name another file with --csv",
      shown_text(target.string()), table.header.substr(0, shown),
      quote_printable(found.substr(0, found.find_first_of("\r\n"))));
}

}  // namespace

CsvRow start_columns(const ProgramInfo& program) {
  CsvRow row{{"job", program.job ? to_string(*program.job) : ""},
             {"labels", labels_text(program.labels)}};
  for (auto& [name, text] : row) {
    std::ranges::replace(text, ',', ';');
    text = csv_text(text);
  }
  return row;
}

std::string csv_names(const CsvRow& row) {
  std::string line;
  for (const auto& [name, value] : row)
    line += (line.empty() ? "" : ",") + name;
  return line + '\n';
}

std::string csv_line(const CsvRow& row) {
  std::string line;
  for (const auto& column : row)
    line += (&column == &row.front() ? "" : ",") + column.second;
  return line + '\n';
}

std::string csv_text(std::string_view text) {
  const bool is_formula = !text.empty() &&
                          std::string_view("=+-@\t\r").find(text.front()) != text.npos &&
                          !parse_real(text);
  const std::string_view mark = is_formula ? "'" : "";
  if (text.find_first_of(",\"\r\n") == std::string_view::npos)
    return fmt::format("{}{}", mark, text);
  std::string result = fmt::format("\"{}", mark);
  for (const char c : text)
    result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + '"';
}

std::string csv_number(std::optional<double> value) {
  return value && std::isfinite(*value) ? fmt::format("{}", *value) : std::string();
}

CsvFile::CsvFile(const std::filesystem::path& target, CsvTable table)
    : target_(target), table_(std::move(table)) {
  try {
    const LineFile file(target);
    if (const auto wrong = foreign_content(file, table_, target)) throw ConfigError(*wrong);
  } catch (const std::system_error& failure) {
    throw ConfigError(message(target, failure));
  }
}

void CsvFile::append(const std::vector<std::string>& rows) const {
  try {
    const LineFile file(target_);
    const off_t size = file.size();
    std::string text = size > 0 ? "" : table_.header;
    std::ptrdiff_t later = 0;
    if (size > 0) {
      if (const auto wrong = foreign_content(file, table_, target_)) throw RunError(*wrong);
      later = *later_columns(table_, first_line(file, table_));
      // A last line without its end was cut off by somebody else: it stays alone.
      if (file.read(size - 1, 1) != "\n") text = "\n";
    }
    for (const std::string& row : rows)
      text += without_last(row, later);
    file.append(text);
  } catch (const std::system_error& failure) {
    throw RunError(message(target_, failure));
  }
}

}  // namespace hpl
