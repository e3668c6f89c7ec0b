#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace hpl {

/// Detail of a report: --quiet, neither, --verbose.
enum class Detail { Verdict, Usual, Everything };

/// How a report is written.
struct TextStyle {
  Detail detail = Detail::Usual;
  bool color = false;
};

/// A report in parts, of which it takes those that belong to its detail.
class StyledText {
 public:
  explicit StyledText(const TextStyle& style) : style_(style) {}

  /// `part` belongs to this detail and to every greater one.
  StyledText& add(Detail least, std::string_view part) {
    if (least <= style_.detail) text_ += part;
    return *this;
  }
  /// The parts; with color, if the style has it.
  std::string text() const;

 private:
  TextStyle style_;
  std::string text_;
};

/// `text` with PASSED at the end of a line in green, FAILED in red, WARNED in yellow, and the words
/// that begin remarks and warnings in yellow.
std::string colored(std::string_view text);

/// Columns of a terminal that nobody has widened.
inline constexpr std::size_t kTextColumns = 80;

/// A line in pieces of at most kTextColumns, broken at blanks; those after the first begin with
/// `indent`. A word longer than a piece stays whole.
std::string folded(std::string_view line, std::string_view indent);

/// `text` with each line that begins with "# " folded, its further pieces behind "#   ".
std::string with_folded_comments(std::string_view text);

}  // namespace hpl
