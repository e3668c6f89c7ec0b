#pragma once

#include <filesystem>
#include <string>

#include "hpl/report/atomic_file.h"
#include "hpl/report/job_report.h"

namespace hpl {

/// Raised when a member of the document changes its meaning or goes away; new members leave it
/// alone.
inline constexpr int kReportSchemaVersion = 1;

/// The document that docs/schema/run.schema.json describes. Numbers that are not finite become
/// null, and text that is not UTF-8 is mended, so that every job gives a valid document.
std::string to_json(const JobReport& job);

/// Writes jobs to one file, replaced as a whole each time.
class JsonReport {
 public:
  /// Checks the target before the first run; throws as AtomicFile does.
  explicit JsonReport(const std::filesystem::path& target);

  /// May be called after every run; the last call wins. Throws as AtomicFile does.
  void write(const JobReport& job) const;

 private:
  AtomicFile file_;
};

}  // namespace hpl
