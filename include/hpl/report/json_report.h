#pragma once

#include <filesystem>
#include <string>

#include "hpl/report/job_report.h"

namespace hpl {

/// Raised when a member of the document changes its meaning or goes away; new members leave it
/// alone.
inline constexpr int kReportSchemaVersion = 1;

/// The document that docs/schema/run.schema.json describes. Numbers that are not finite become
/// null, and text that is not UTF-8 is mended, so that every job gives a valid document.
std::string to_json(const JobReport& job);

/// Writes jobs to one file so that a reader never sees half a document: a temporary file beside the
/// target takes its place when complete. A target that is no regular file (/dev/stdout, a pipe) is
/// written directly.
class JsonReport {
 public:
  /// Proves that the target can be written, without touching its content, so that a wrong path
  /// shows before the first run. Throws ConfigError with the path and the reason.
  explicit JsonReport(const std::filesystem::path& target);

  /// May be called after every run; the last call wins. Throws RunError with the path and the
  /// reason, and leaves what the target held before.
  void write(const JobReport& job) const;

 private:
  std::filesystem::path target_;
  bool in_place_ = false;
};

}  // namespace hpl
