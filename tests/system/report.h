#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hpl::test {

/// One line of the report's table of results.
struct RunLine {
  std::string text;  ///< the line itself
  std::string code;  ///< e.g. "WR11C2R4"
  std::int64_t order = 0, block_size = 0;
  int grid_rows = 0, grid_columns = 0;
  double seconds = 0, gflops = 0;
};

/// The values that a site's script takes out of a report.
struct Report {
  std::vector<RunLine> runs;
  std::vector<double> passed_residuals;  ///< of lines that end with PASSED
  std::vector<double> failed_residuals;  ///< of lines that end with FAILED
  std::optional<int> finished, passed, failed, unchecked, skipped;  ///< counts of the closing lines
  bool complete = false;                                            ///< "End of Tests." is there
};

Report parse_report(std::string_view text);

/// Lines without their ends.
std::vector<std::string> split_lines(std::string_view text);

}  // namespace hpl::test
