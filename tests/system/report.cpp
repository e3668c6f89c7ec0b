#include "report.h"

#include <regex>

namespace hpl::test {
namespace {

const std::regex kRunLine(
    R"(^([WE][RC]\d+[LCR]\d+[LCR]\d+|M[RC]\d+[HBS]\d\d[GP]) +(\d+) +(\d+) +(\d+) +(\d+) +(\d+\.\d\d) +(\d\.\d{4}e[+-]\d\d)$)");

const std::regex kResidualLine(
    R"(^\|\|Ax-b\|\|_oo/\(eps\*\(\|\|A\|\|_oo\*\|\|x\|\|_oo\+\|\|b\|\|_oo\)\*N\)= +(\S+) \.{6} (PASSED|FAILED)$)");

/// A number, then words: "     864 tests completed and passed residual checks,".
std::optional<int> count_before(const std::string& line, const std::string& words) {
  const auto at = line.find(words);
  if (at == std::string::npos) return std::nullopt;
  return std::stoi(line.substr(0, at));
}

void read_closing_line(const std::string& line, Report& report) {
  const auto take = [&line](std::optional<int>& into, const std::string& words) {
    if (const auto count = count_before(line, words)) into = count;
  };
  take(report.passed, " tests completed and passed residual checks,");
  take(report.failed, " tests completed and failed residual checks,");
  take(report.unchecked, " tests completed without checking,");
  take(report.skipped, " tests skipped because of illegal input values.");
  static constexpr std::string_view kFinished = "Finished ";
  if (line.starts_with(kFinished)) {
    report.finished =
        count_before(line.substr(kFinished.size()), " tests with the following results:");
  }
  report.complete = report.complete || line == "End of Tests.";
}

}  // namespace

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

Report parse_report(std::string_view text) {
  Report report;
  for (const std::string& line : split_lines(text)) {
    std::smatch match;
    if (std::regex_match(line, match, kRunLine)) {
      report.runs.push_back({.text = line,
                             .code = match[1],
                             .order = std::stoll(match[2]),
                             .block_size = std::stoll(match[3]),
                             .grid_rows = std::stoi(match[4]),
                             .grid_columns = std::stoi(match[5]),
                             .seconds = std::stod(match[6]),
                             .gflops = std::stod(match[7])});
    } else if (std::regex_match(line, match, kResidualLine)) {
      auto& residuals = match[2] == "PASSED" ? report.passed_residuals : report.failed_residuals;
      residuals.push_back(std::stod(match[1]));
    } else {
      read_closing_line(line, report);
    }
  }
  return report;
}

}  // namespace hpl::test
