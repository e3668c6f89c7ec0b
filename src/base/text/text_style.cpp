#include "hpl/base/text/text_style.h"

#include <algorithm>
#include <array>

#include "hpl/base/text/text_value.h"

namespace hpl {
namespace {

struct Mark {
  std::string_view word;
  std::string_view color;  // of ECMA-48, Select Graphic Rendition
};
constexpr std::array kLastWords{Mark{"PASSED", "32"}, Mark{"WARNED", "33"}, Mark{"FAILED", "31"}};
constexpr std::array kFirstWords{Mark{"# remark:", "33"}, Mark{"remark:", "33"},
                                 Mark{"Warnings", "33"}, Mark{"Remarks", "33"}};

std::string in_color(const Mark& mark) {
  return "\x1b[" + std::string(mark.color) + "m" + std::string(mark.word) + "\x1b[0m";
}

std::string colored_line(std::string_view line) {
  for (const Mark& mark : kFirstWords)
    if (line.starts_with(mark.word))
      return in_color(mark) + std::string(line.substr(mark.word.size()));
  for (const Mark& mark : kLastWords)
    if (line.ends_with(mark.word))
      return std::string(line.substr(0, line.size() - mark.word.size())) + in_color(mark);
  return std::string(line);
}

}  // namespace

std::string colored(std::string_view text) {
  std::string result;
  for (std::size_t end = 0; (end = text.find('\n')) != std::string_view::npos;
       text.remove_prefix(end + 1))
    result += colored_line(text.substr(0, end)) + "\n";
  return result + colored_line(text);
}

std::string StyledText::text() const {
  return style_.color ? colored(text_) : text_;
}

std::string folded(std::string_view line, std::string_view indent) {
  std::string text, begin;
  while (begin.size() + line.size() > kTextColumns) {
    const std::size_t room = kTextColumns - begin.size();
    std::size_t end = line.rfind(' ', room);
    // No piece is a mark or blanks alone, and none ends before a word that no piece has room for.
    const std::size_t word = line.find_first_not_of(' ', end);
    const std::size_t after = std::min(line.find(' ', word), line.size());
    if (end == line.npos || end <= line.find_first_not_of("# ") ||
        indent.size() + after - word > kTextColumns)
      end = line.find(' ', room);
    if (end == line.npos) break;
    text.append(begin).append(line.substr(0, line.find_last_not_of(' ', end) + 1)).append("\n");
    line.remove_prefix(std::min(line.find_first_not_of(' ', end), line.size()));
    begin = indent;
  }
  return text.append(begin).append(line);
}

std::string with_folded_comments(std::string_view text) {
  std::string all;
  for (const std::string_view line : split_lines(text))
    all.append(line.starts_with("# ") ? folded(line, "#   ") : std::string(line)).append("\n");
  return all;
}

}  // namespace hpl
