#pragma once

#include <filesystem>
#include <string>

#include "hpl/report/result/run_result.h"

namespace hpl {

/// Names of the columns, with the line end. Columns are never renamed, moved or taken out; new ones
/// stand at the end, and a table that has begun without them goes on without.
std::string csv_header();

/// The row of one run, with the line end (RFC 4180). What is not known or not finite is empty.
std::string csv_row(const RunResult& run, const std::string& program_version);

/// A file that collects one row a run, of any number of jobs, also of jobs at the same time: a row
/// is appended in one piece, under a lock where the file system has them.
class CsvFile {
 public:
  /// Makes the file if there is none. Throws ConfigError when it cannot be written or when it
  /// holds something else: other columns, or no table at all.
  explicit CsvFile(const std::filesystem::path& target);

  /// Appends one line, after the header where the file is empty. Throws RunError, and leaves the
  /// file as it was.
  void append(const std::string& row) const;

 private:
  std::filesystem::path target_;
};

}  // namespace hpl
