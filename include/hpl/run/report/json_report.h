#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "hpl/base/file/atomic_file.h"
#include "hpl/run/report/job_report.h"

namespace hpl {

/// The document of a job, which docs/schema/run.schema.json describes.
std::string to_json(const JobReport& job);

/// Seconds of a clock that never goes back.
double steady_seconds();

/// The report of a job in one file, replaced as a whole each time. Of many runs, writing it after
/// each would take time that grows with their square: it is written again after a pause of fifty
/// times what that took, and the runs in between go to a journal beside it. Report and journal
/// together hold all runs at any time. A target that is no regular file gets the report at the end
/// alone.
class JsonReport {
 public:
  using Clock = std::function<double()>;  ///< seconds

  /// Checks the target before the first run; throws as AtomicFile does, also when a file stands in
  /// the place of the journal that is none.
  explicit JsonReport(const std::filesystem::path& target, Clock clock = steady_seconds);

  /// After every run, with that run at the end of `job.runs`. A journal that cannot grow gives way
  /// to the whole report. Throws as AtomicFile does; the run is then kept in the journal, if that
  /// can be written.
  void add(const JobReport& job);

  /// Writes the whole report; no journal is left. The last call wins. Throws as AtomicFile does.
  void write(const JobReport& job);

 private:
  void remove_journal() const;
  void append_to_journal(const std::string& line) const;

  AtomicFile file_;
  Clock clock_;
  std::filesystem::path journal_;  // empty where there can be none
  bool written_ = false;
  double due_ = 0;  // when the report may be written again
};

}  // namespace hpl
