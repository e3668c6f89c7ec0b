#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hpl {

class Record;

/// Whether a remark only informs, or names something that is not as it was asked for or should be.
enum class Severity { Note, Warning };

/// A sentence for the reader of a report.
struct Remark {
  std::string about;  ///< its subject: "N", "pipeline", "NB"
  Severity severity = Severity::Warning;
  std::string text;

  friend bool operator==(const Remark&, const Remark&) = default;
};
void describe(Record& record, Remark& remark);

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
