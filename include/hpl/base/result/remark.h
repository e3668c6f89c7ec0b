#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hpl/base/result/finding.h"

namespace hpl {

class Record;

/// A sentence for the reader of a report.
struct Remark {
  std::string about;  ///< its subject: "N", "pipeline", "NB"
  /// A remark only informs; a warning names what is not as it was asked for, or as it should be.
  Severity severity = Severity::Warning;
  std::string text;

  friend bool operator==(const Remark&, const Remark&) = default;
};
void describe(Record& record, Remark& remark);

/// Remarks with a ready text, whose braces are text, or with a format and its arguments.
inline Remark note(std::string about, std::string text) {
  return {std::move(about), Severity::Remark, std::move(text)};
}
inline Remark warning(std::string about, std::string text) {
  return {std::move(about), Severity::Warning, std::move(text)};
}
template <typename First, typename... More>
Remark note(std::string about, fmt::format_string<First, More...> text, First&& first,
            More&&... more) {
  return note(std::move(about),
              fmt::format(text, std::forward<First>(first), std::forward<More>(more)...));
}
template <typename First, typename... More>
Remark warning(std::string about, fmt::format_string<First, More...> text, First&& first,
               More&&... more) {
  return warning(std::move(about),
                 fmt::format(text, std::forward<First>(first), std::forward<More>(more)...));
}

/// A choice that was made: {"pipeline", "serial", "--pipeline asks for it"}.
struct Decision {
  std::string about, value, reason;

  friend bool operator==(const Decision&, const Decision&) = default;
};
void describe(Record& record, Decision& decision);

/// Such warnings, one a text.
std::vector<Remark> remarks_about(std::string_view about, const std::vector<std::string>& texts);
/// Remarks that are there already are left out: several ranks or runs may have them in common.
void append(std::vector<Remark>& remarks, const std::vector<Remark>& more);
/// Without what each is about.
std::vector<std::string> texts_of(const std::vector<Remark>& remarks);

/// The members "remarks", which are texts, and "notes" of a document.
void describe_remarks(Record& record, std::vector<Remark>& remarks,
                      std::string_view meaning = "what is used in place of what was asked for");

}  // namespace hpl
