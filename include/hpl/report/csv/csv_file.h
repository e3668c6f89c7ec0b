#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hpl/base/record/program_info.h"

namespace hpl {

/// Columns of a row with their values, in their order.
using CsvRow = std::vector<std::pair<std::string, std::string>>;

/// Batch job and labels, without commas, so that a row of an earlier table is cut at one.
CsvRow start_columns(const ProgramInfo& program);

/// The names of the columns as a line.
std::string csv_names(const CsvRow& row);
/// The values as a line.
std::string csv_line(const CsvRow& row);
/// A value, in quotes if it needs them (RFC 4180). A text that a spreadsheet would compute, such as
/// "=1+2", begins with an apostrophe; a number stays one.
std::string csv_text(std::string_view text);
/// A value; empty if it is unknown or not finite.
std::string csv_number(std::optional<double> value);

/// A kind of table. Columns are never renamed, moved or taken out; new ones stand at the end, and a
/// table that has begun without them goes on without.
struct CsvTable {
  std::string header;            ///< names of the columns, with the line end
  std::ptrdiff_t first_columns;  ///< number of columns of the first tables of this kind
};

/// A file that collects the rows of any number of jobs, also of jobs at the same time: rows are
/// appended in one piece, under a lock where the file system has them.
class CsvFile {
 public:
  /// Makes the file if there is none. Throws ConfigError when it cannot be written or when it
  /// holds something else: other columns, or no table at all.
  CsvFile(const std::filesystem::path& target, CsvTable table);

  /// Appends lines, after the header where the file is empty. Throws RunError, and leaves the
  /// file as it was.
  void append(const std::vector<std::string>& rows) const;

 private:
  std::filesystem::path target_;
  CsvTable table_;
};

}  // namespace hpl
