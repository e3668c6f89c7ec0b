#include <algorithm>
#include <array>
#include <cstdio>
#include <regex>
#include <set>
#include <sstream>

#include <nlohmann/json.hpp>

#include "xhpl_fixture.h"

namespace hpl::test {
namespace {

const std::string kDouble(80, '=');
const std::string kSingle(80, '-');

class ReportLines : public XhplTest {
 protected:
  /// The report of one run on 1 x 2.
  std::vector<std::string> one_run() {
    write_dat({.orders = {100}, .block_sizes = {16}, .grid_rows = {1}, .grid_columns = {2}});
    const Outcome outcome = mpirun(2);
    EXPECT_TRUE(all_passed(outcome, 1));
    return split_lines(outcome.output);
  }

  static std::size_t index_of(const std::vector<std::string>& lines, const std::string& start) {
    const auto found = std::find_if(lines.begin(), lines.end(),
                                    [&start](const auto& line) { return line.starts_with(start); });
    EXPECT_NE(found, lines.end()) << "no line starts with '" << start << "'";
    return static_cast<std::size_t>(found - lines.begin());
  }
};

TEST_F(ReportLines, ARunsLineHasNetlibsFormat) {
  const std::vector<std::string> lines = one_run();
  std::string text;
  for (const std::string& line : lines)
    text += line + "\n";
  const RunLine line = parse_report(text).runs.at(0);
  std::array<char, 128> expected{};
  std::snprintf(expected.data(), expected.size(),
                "W%c%1d%c%c%1d%c%1d%12d %5d %5d %5d %18.2f    %19.4e", 'R', 1, '1', 'C', 2, 'R', 4,
                100, 16, 1, 2, line.seconds, line.gflops);
  EXPECT_EQ(line.text, expected.data());
}

TEST_F(ReportLines, ARunStandsBelowItsHeader) {
  const std::vector<std::string> lines = one_run();
  const std::size_t run = index_of(lines, "WR11C2R4");
  ASSERT_GE(run, 3U);
  ASSERT_LT(run + 6, lines.size());
  EXPECT_EQ(lines[run - 3], kDouble);
  EXPECT_EQ(lines[run - 2],
            "T/V                N    NB     P     Q               Time                 Gflops");
  EXPECT_EQ(lines[run - 1], kSingle);
  EXPECT_TRUE(lines[run + 1].starts_with("HPL_pdgesv() start time ")) << lines[run + 1];
  EXPECT_EQ(lines[run + 2], "");
  EXPECT_TRUE(lines[run + 3].starts_with("HPL_pdgesv() end time   ")) << lines[run + 3];
  EXPECT_EQ(lines[run + 4], "");
  EXPECT_EQ(lines[run + 5], kSingle);
  EXPECT_TRUE(lines[run + 6].starts_with("||Ax-b||_oo/(eps*")) << lines[run + 6];
}

TEST_F(ReportLines, TheClosingLinesAreNetlibs) {
  const std::vector<std::string> lines = one_run();
  const std::size_t end = index_of(lines, "Finished ");
  ASSERT_GE(end, 2U);
  ASSERT_LT(end + 7, lines.size());
  EXPECT_EQ(lines[end - 2], kDouble);
  EXPECT_EQ(lines[end - 1], "");
  EXPECT_EQ(lines[end], "Finished      1 tests with the following results:");
  EXPECT_EQ(lines[end + 1], "              1 tests completed and passed residual checks,");
  EXPECT_EQ(lines[end + 2], "              0 tests completed and failed residual checks,");
  EXPECT_EQ(lines[end + 3], "              0 tests skipped because of illegal input values.");
  EXPECT_EQ(lines[end + 4], kSingle);
  EXPECT_EQ(lines[end + 5], "");
  EXPECT_EQ(lines[end + 6], "End of Tests.");
  EXPECT_EQ(lines[end + 7], kDouble);
}

TEST_F(ReportLines, TheParameterBlockNamesEveryField) {
  const std::vector<std::string> lines = one_run();
  for (const char* const name :
       {"N      :", "NB     :", "PMAP   :", "P      :", "Q      :", "PFACT  :", "NBMIN  :",
        "NDIV   :", "RFACT  :", "BCAST  :", "DEPTH  :", "SWAP   :", "L1     :", "U      :",
        "EQUIL  :", "ALIGN  :"}) {
    index_of(lines, name);
  }
}

TEST_F(ReportLines, CommonParsersFindTheirFields) {
  const std::vector<std::string> lines = one_run();
  // awk '/^W[RC]/ { print $2, $7 }', and the expressions that test harnesses search with.
  int fields = 0;
  for (const std::string& line : lines) {
    if (!line.starts_with("WR") && !line.starts_with("WC")) continue;
    std::istringstream words(line);
    for (std::string word; words >> word;)
      ++fields;
  }
  EXPECT_EQ(fields, 7);
  std::string text;
  for (const std::string& line : lines)
    text += line + "\n";
  for (const char* const pattern :
       {R"(W[RC]\S+\s+\d+\s+\d+\s+\d+\s+\d+\s+[\d.]+\s+[\d.]+e[+-]\d+)", R"(\.\.\.\.\.\. PASSED)",
        R"(\d+ tests completed and passed residual checks)", R"(End of Tests\.)"}) {
    EXPECT_TRUE(std::regex_search(text, std::regex(pattern))) << pattern;
  }
}

TEST_F(ReportLines, TheShareOfTheAttainableRateIsGivenUnlessItIsLeftOut) {
  // Smaller runs are over before a rate means anything: they have no such line.
  write_dat({.orders = {1000}, .block_sizes = {32}});
  const Outcome measured = mpirun_measuring(1, {"--device", "cpu", "--json", "run.json"});
  ASSERT_TRUE(all_passed(measured, 1));
  EXPECT_NE(measured.output.find("# attainable:"), std::string::npos) << describe(measured);
  // However disturbed the measurement was.
  const auto run = nlohmann::json::parse(read_file("run.json")).at("runs").at(0);
  EXPECT_LE(run.at("ceiling_share").get<double>(), 1);
  const auto& rates = run.at("ceiling_rates");
  EXPECT_EQ(rates.at(0).at("gflops"), run.at("ceiling_gflops"));
  std::set<std::string> sources;
  for (const auto& seen : rates)
    sources.insert(seen.at("source"));
  for (const char* const alone : {"alone before run 1", "alone after run 1"})
    EXPECT_TRUE(sources.contains(alone)) << rates;
  const Outcome unmeasured = mpirun(1);
  ASSERT_TRUE(all_passed(unmeasured, 1));
  EXPECT_EQ(unmeasured.output.find("# attainable:"), std::string::npos) << describe(unmeasured);
}

TEST_F(ReportLines, TheReportGoesWhereTheFileSays) {
  write_dat({.output_file = "report.txt", .device_out = 8});
  const Outcome to_file = mpirun(1);
  EXPECT_EQ(to_file.exit_code, 0) << describe(to_file);
  EXPECT_TRUE(parse_report(to_file.output).runs.empty());
  EXPECT_EQ(parse_report(read_file("report.txt")).passed, 1);

  write_dat({.device_out = 7});
  const Outcome to_errors = mpirun(1);
  EXPECT_EQ(to_errors.exit_code, 0) << describe(to_errors);
  EXPECT_EQ(parse_report(to_errors.errors).passed, 1);
}

}  // namespace
}  // namespace hpl::test
