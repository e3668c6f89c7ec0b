#include "hpl_dat_lines.h"

#include <fmt/format.h>

#include "hpl/base/error/error.h"
#include "hpl/base/text/text_value.h"

namespace hpl::detail {
namespace {

constexpr std::string_view kBlanks = " \t\v\f";
constexpr std::string_view kListSeparators = " \t\v\f,";
constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";

std::string_view next_field(std::string_view& rest, std::string_view separators) {
  const auto begin = rest.find_first_not_of(separators);
  if (begin == std::string_view::npos) return {};
  rest.remove_prefix(begin);
  const auto field = rest.substr(0, rest.find_first_of(separators));
  rest.remove_prefix(field.size());
  return field;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  // Files of old Macs end lines with CR alone; a CR in a file that has LF belongs to the line end.
  const char line_end = text.find('\n') == std::string_view::npos ? '\r' : '\n';
  std::vector<std::string_view> lines;
  while (!text.empty() && lines.size() < static_cast<std::size_t>(kHplDatLines)) {
    const auto length = text.find(line_end);
    std::string_view line = text.substr(0, length);
    text.remove_prefix(length == std::string_view::npos ? text.size() : length + 1);
    while (!line.empty() && line.back() == '\r')
      line.remove_suffix(1);
    lines.push_back(line);
  }
  return lines;
}

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\t' && c != '\v' && c != '\f') || byte == 0x7f;
}

}  // namespace

HplDatLines::HplDatLines(std::string_view text, std::string_view file_name)
    : file_name_(file_name) {
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    throw ConfigError("{} line 1: the file is UTF-16; it must be plain text (ASCII or UTF-8)",
                      file_name_);
  }
  if (text.starts_with(kUtf8Mark)) text.remove_prefix(kUtf8Mark.size());
  lines_ = lines_of(text);
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    for (const char c : lines_[i]) {
      if (is_control(c)) {
        throw ConfigError("{} line {}: the file must be plain text, found the byte 0x{:02X} in {}",
                          file_name_, i + 1, static_cast<unsigned char>(c),
                          quote_printable(lines_[i]));
      }
    }
  }
}

std::string HplDatLines::subject(const HplDatField& field) const {
  return fmt::format("{} line {}: {}", file_name_, field.line, field.name);
}

std::string_view HplDatLines::line_text(const HplDatField& field) const {
  const auto index = static_cast<std::size_t>(field.line - 1);
  if (index >= lines_.size()) {
    throw ConfigError("{} is missing, the file ends after line {}; HPL.dat has {} lines",
                      subject(field), lines_.size(), kHplDatLines);
  }
  return lines_[index];
}

std::string_view HplDatLines::word(const HplDatField& field) const {
  std::string_view rest = line_text(field);
  const auto found = next_field(rest, kBlanks);
  if (found.empty()) {
    throw ConfigError("{} is missing, found a blank line", subject(field));
  }
  return found;
}

std::string_view HplDatLines::scalar(const HplDatField& field) const {
  auto found = word(field);
  if (found.size() > 1 && found.back() == ',') found.remove_suffix(1);
  return found;
}

HplDatLines::List HplDatLines::list(const HplDatField& field, std::size_t count) const {
  std::string_view rest = line_text(field);
  List result;
  while (result.values.size() < count) {
    const auto value = next_field(rest, kListSeparators);
    if (value.empty()) return result;
    result.values.push_back(value);
  }
  if (rest.size() > 1 && rest[0] == ',' && rest[1] >= '0' && rest[1] <= '9') {
    const char* const begin = result.values.back().data();
    const auto tail = rest.substr(0, rest.find_first_of(kBlanks));
    result.tied_text = std::string_view(begin, result.values.back().size() + tail.size());
  }
  return result;
}

}  // namespace hpl::detail
