// The patterns by which scripts in the field read a report of HPL. A report that one of them cannot
// read is no replacement.
#include <algorithm>
#include <optional>
#include <regex>
#include <sstream>

#include "xhpl_fixture.h"

namespace hpl::test {
namespace {

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;)
    words.push_back(word);
  return words;
}

bool contains(const std::string& line, const std::string& part) {
  return line.find(part) != std::string::npos;
}

class Parsers : public XhplTest {
 protected:
  /// The whole output of a job of two runs with everything that writes lines of its own. Large
  /// enough for a rate of more than 1 Gflops: one of the patterns wants a positive exponent.
  const std::string& report() {
    if (text_.empty()) {
      write_dat({.orders = {1500}, .block_sizes = {64, 96}, .grid_rows = {1}, .grid_columns = {2}});
      const Outcome outcome = mpirun_measuring(2, "--progress always --json run.json");
      EXPECT_TRUE(all_passed(outcome, 2));
      // Batch systems put both streams into one file.
      text_ = outcome.output + outcome.errors;
    }
    return text_;
  }
  std::vector<std::string> lines() { return split_lines(report()); }
  std::vector<RunLine> runs() { return parse_report(report()).runs; }

 private:
  std::string text_;
};

TEST_F(Parsers, ReFramesCheckFindsTheRateBehindTheCode) {
  // CSCS: the code, five numbers, the rate; "End of Tests" as the sanity check.
  const std::regex rate(R"(WR11C2R4(\s+\d+(.\d+)?){5}\s+(\S+))");
  const std::string text = report();
  std::vector<double> rates;
  for (std::sregex_iterator match(text.begin(), text.end(), rate), end; match != end; ++match)
    rates.push_back(std::stod((*match)[3]));
  ASSERT_EQ(rates.size(), 2U);
  EXPECT_EQ(rates[0], runs()[0].gflops);
  EXPECT_EQ(rates[1], runs()[1].gflops);
  EXPECT_TRUE(std::regex_search(text, std::regex("End of Tests")));
}

TEST_F(Parsers, ReFramesOlderCheckTakesTheLargestRateOfLinesOfSevenFields) {
  const std::regex line(R"(^\S+\s+\d+\s+\d+\s+\d+\s+\d+\s+\d+\.\d+\s+(\d+\.\d+e\+\d+)$)");
  // The pattern wants a positive exponent, which netlib's format has from 1 Gflops on.
  for (const RunLine& run : runs())
    if (run.gflops < 1) GTEST_SKIP() << "the machine is too busy for a rate of 1 Gflops";
  double most = 0;
  int found = 0;
  for (const std::string& one : lines()) {
    std::smatch match;
    if (!std::regex_match(one, match, line)) continue;
    most = std::max(most, std::stod(match[1]));
    ++found;
  }
  EXPECT_EQ(found, 2);
  EXPECT_EQ(most, std::max(runs()[0].gflops, runs()[1].gflops));
}

TEST_F(Parsers, DeepOpsTakesEveryLineWithWRForAResult) {
  int results = 0;
  std::string status;
  bool complete = false;
  for (const std::string& line : lines()) {
    const std::vector<std::string> words = words_of(line);
    if (contains(line, "WR")) {
      ASSERT_EQ(words.size(), 7U) << line;
      EXPECT_EQ(std::stoi(words[1]), 1500);
      EXPECT_GT(std::stod(words[5]), 0);
      EXPECT_EQ(std::stod(words[6]), runs().at(static_cast<std::size_t>(results)).gflops);
      ++results;
    }
    if (std::regex_search(line, std::regex(R"(\|\|Ax-b\|\|_oo/\(eps)"))) {
      ASSERT_GE(words.size(), 4U) << line;
      status = words[3];
    }
    complete = complete || contains(line, "End of Tests");
  }
  EXPECT_EQ(results, 2);
  EXPECT_EQ(status, "PASSED");
  EXPECT_TRUE(complete);
}

TEST_F(Parsers, SuperBenchReadsTheSecondLineBelowTheFirstHeader) {
  write_dat({.orders = {1500}, .block_sizes = {64}});
  const Outcome outcome = mpirun(1, "--progress always");
  ASSERT_TRUE(all_passed(outcome, 1));
  const std::vector<std::string> all = split_lines(outcome.output);
  const auto header = std::find_if(all.begin(), all.end(), [](const std::string& line) {
    return contains(line, "T/V") && contains(line, "Gflops");
  });
  ASSERT_GT(all.end() - header, 2);
  const std::vector<std::string> results = words_of(header[2]);
  ASSERT_EQ(results.size(), 7U) << header[2];
  const RunLine run = parse_report(outcome.output).runs.at(0);
  EXPECT_EQ(std::stod(results[5]), run.seconds);
  EXPECT_EQ(std::stod(results[6]), run.gflops);
  std::optional<int> passed;
  for (auto line = header; line != all.end(); ++line) {
    if (contains(*line, "1 tests completed and passed residual checks")) passed = 1;
    if (contains(*line, "0 tests completed and passed residual checks")) passed = 0;
  }
  EXPECT_EQ(passed, 1);
}

TEST_F(Parsers, AzureHpcCutsTheLastResultAndTheVersionOutOfTheReport) {
  if (shell("command -v jq").exit_code != 0) {
    GTEST_SKIP() << "jq is not installed";
  }
  write_file("hpl.out", report());
  const Outcome result = shell(
      "grep -A2 ' Gflops' hpl.out | tail -n 1 | tr -s ' ' | "
      "jq -R -r 'split(\" \") | .[0], (.[1:] | map(tonumber) | .[])'");
  ASSERT_EQ(result.exit_code, 0) << describe(result);
  const std::vector<std::string> fields = split_lines(result.output);
  ASSERT_EQ(fields.size(), 7U) << describe(result);
  EXPECT_EQ(fields[0], "WR11C2R4");
  EXPECT_EQ(fields[2], "96");
  EXPECT_EQ(std::stod(fields[6]), runs()[1].gflops);
  const Outcome version = shell("grep HPLinpack hpl.out | cut -d- -f1 | xargs");
  EXPECT_TRUE(std::regex_match(version.output, std::regex("HPLinpack [0-9.]+\n")))
      << describe(version);
}

TEST_F(Parsers, HpcBenchFindsTheHeaderAndTheResidual) {
  const std::vector<std::string> all = lines();
  EXPECT_NE(
      std::find(all.begin(), all.end(),
                "T/V                N    NB     P     Q               Time                 Gflops"),
      all.end());
  const std::regex residual(
      R"(\|\|Ax-b\|\|_oo/\(eps\*\(\|\|A\|\|_oo\*\|\|x\|\|_oo\+\|\|b\|\|_oo\)\*N\)=\s*(\S*)\s.*\s([A-Z]*))");
  int found = 0;
  for (const std::string& line : all) {
    std::smatch match;
    if (!std::regex_search(line, match, residual)) continue;
    EXPECT_LT(std::stod(match[1]), 16);
    EXPECT_EQ(match[2], "PASSED");
    ++found;
  }
  EXPECT_EQ(found, 2);
}

}  // namespace
}  // namespace hpl::test
