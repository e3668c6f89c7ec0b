#pragma once

#include <string>

namespace hpl {

/// Whether a remark only informs, or names something that is not as it was asked for or should be.
enum class Severity { Note, Warning };

/// A sentence for the reader of a report.
struct Remark {
  std::string about;  ///< what it concerns: "N", "pipeline", "NB"
  Severity severity = Severity::Warning;
  std::string text;

  friend bool operator==(const Remark&, const Remark&) = default;
};

/// A choice that was made: {"pipeline", "serial", "--pipeline asks for it"}.
struct Decision {
  std::string about, value, reason;

  friend bool operator==(const Decision&, const Decision&) = default;
};

}  // namespace hpl
