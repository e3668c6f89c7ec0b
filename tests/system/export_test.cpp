// Formats of xhpl-report, read by parsers that know nothing of this project.
// xhpl compare on documents that jobs wrote.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "schema_test.h"
#include "unit/export/sample_documents.h"

namespace hpl::test {
namespace {

class Export : public SchemaTest {
 protected:
  /// A fleet with names and sentences that a format could stumble over.
  void SetUp() override {
    FleetReport fleet = fleet_with_faults();
    fleet.hosts.back().name = "a|b \\ \"c\" <d> & 'e'";
    write_file("fleet.json", fleet_json(fleet));
    write_file("run.json", to_json(job_of_repetitions()));
    write_file("check.json", check_document(full_check()).dump());
  }

  /// The lines that a script prints of the format of these files; none without its module.
  std::vector<std::string> parsed(const std::string& format, const Words& files,
                                  const std::string& module, const std::string& script) {
    const auto interpreter = python(module);
    if (!interpreter) return {};
    const Outcome made = report(Words{"--format", format} + files);
    EXPECT_EQ(made.exit_code, 0) << describe(made);
    write_file("out", made.output);
    const Outcome read = program({*interpreter, "-c", script});
    EXPECT_EQ(read.exit_code, 0) << describe(read) << made.output;
    return split_lines(read.output);
  }
};

long count(const std::vector<std::string>& lines, const std::string& line) {
  return std::ranges::count(lines, line);
}

TEST_F(Export, IsReadByAParserOfJUnit) {
  const std::vector<std::string> lines =
      parsed("junit", "run.json fleet.json check.json", "junitparser",
             "import junitparser\n"
             "for suite in junitparser.JUnitXml.fromfile('out'):\n"
             "    print(suite.name, suite.tests, suite.failures, suite.errors, suite.skipped)\n"
             "    for case in suite:\n"
             "        kind = type(case.result[0]).__name__ if case.result else 'Passed'\n"
             "        print(case.classname, case.name, kind, sep=': ')\n");
  if (lines.empty()) GTEST_SKIP() << "no Python with junitparser (python3-junitparser)";
  EXPECT_EQ(count(lines, "run.json 4 2 0 0"), 1);
  EXPECT_EQ(count(lines, "fleet.json 14 3 0 0"), 1);
  EXPECT_EQ(count(lines, "check.json 3 1 0 0"), 1);
  EXPECT_EQ(count(lines, "xhpl.fleet.member: node03 cuda 1: Failure"), 1);
  EXPECT_EQ(count(lines, "xhpl.fleet.member: node03 cuda 0: Passed"), 1);
  EXPECT_EQ(count(lines, "xhpl.fleet.host: a|b \\ \"c\" <d> & 'e': Failure"), 1);
  EXPECT_EQ(count(lines, "xhpl.run.gate: --min-gflops 110: Failure"), 1);
  EXPECT_EQ(count(lines, "xhpl.check.rank: rank 5 on node1, cpu: Failure"), 1);
}

TEST_F(Export, IsReadByThePrometheusParsersOfBothFormats) {
  for (const std::string parser :
       {"prometheus_client.openmetrics.parser", "prometheus_client.parser"}) {
    const std::vector<std::string> lines =
        parsed("openmetrics", "run.json fleet.json check.json", parser,
               "from " + parser +
                   " import text_string_to_metric_families as families\n"
                   "for family in families(open('out').read()):\n"
                   "    for sample in family.samples:\n"
                   "        print(family.type, sample.name, sample.labels.get('case'),\n"
                   "              sample.labels['host'], sample.labels.get('device'), "
                   "float(sample.value), sep=': ')\n");
    if (lines.empty())
      GTEST_SKIP() << "no Python with prometheus_client (python3-prometheus-client)";
    EXPECT_EQ(count(lines, "gauge: xhpl_rate_gflops: member: node03: cuda 1: 70.2"), 1);
    EXPECT_EQ(count(lines, "gauge: xhpl_passed: member: node03: cuda 1: 0.0"), 1);
    EXPECT_EQ(count(lines, "gauge: xhpl_passed: host: a|b \\ \"c\" <d> & 'e': None: 0.0"), 1);
    EXPECT_EQ(count(lines, "gauge: xhpl_rate_gflops: run: node01: None: 101.0"), 1);
    EXPECT_EQ(count(lines, "gauge: xhpl_passed: rank: node1: cpu: 0.0"), 1);
  }
}

TEST_F(Export, IsReadByAReaderOfCsv) {
  const std::string script =
      "import csv\n"
      "for row in csv.DictReader(open('out', newline=''), strict=True):\n"
      "    assert None not in row and None not in row.values(), row\n"
      "    print(row.get('member', row.get('host')), row['n'], row['gflops'], sep=': ')\n";
  const std::vector<std::string> members = parsed("csv", "fleet.json", "csv", script);
  if (members.empty()) GTEST_SKIP() << "no Python";
  EXPECT_EQ(members.size(), 9U);
  EXPECT_EQ(count(members, "node03 cuda 1: 20000: 70.2"), 1);
  EXPECT_EQ(count(members, "a|b \\ \"c\" <d> & 'e': 20000: "), 1);
  EXPECT_EQ(parsed("csv", "run.json", "csv", script).size(), 4U);
}

TEST_F(Export, IsReadByAParserOfMarkdown) {
  const std::vector<std::string> lines = parsed(
      "markdown", "fleet.json", "markdown_it",
      "import markdown_it\n"
      "tokens = markdown_it.MarkdownIt('commonmark').enable('table').parse(open('out').read())\n"
      "for head, text in zip(tokens, tokens[1:]):\n"
      "    if head.type in ('heading_open', 'td_open'):\n"
      "        print(''.join(part.content for part in text.children or []))\n");
  if (lines.empty()) GTEST_SKIP() << "no Python with markdown-it (python3-markdown-it)";
  EXPECT_EQ(lines.front().find("FAILED: fleet on "), 0U) << lines.front();
  EXPECT_EQ(count(lines, "node03 cuda 1"), 2) << "a member, and the worst of the rates";
  EXPECT_EQ(count(lines, "a|b \\ \"c\" <d> & 'e'"), 1);
}

TEST_F(Export, RefusesOtherDocumentsWithOneMessage) {
  write_file("tune.json", tuning_document().dump());
  const Outcome outcome = report("--format text tune.json");
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.output, "");
  EXPECT_EQ(
      outcome.errors,
      "xhpl report: tune.json: --format takes documents of runs, fleets, checks or campaigns, "
      "found a search for settings\n");
}

using Compare = SchemaTest;

TEST_F(Compare, TellsTwoFleetsApartInEveryForm) {
  std::filesystem::create_directories(directory() / "may");
  std::filesystem::create_directories(directory() / "june");
  const Words fleet = "fleet -N 200 --NB 32 --repeat 3 --share-cores --json";
  for (const char* const file : {"may/fleet.json", "june/fleet.json"}) {
    mpirun(2, fleet + file);  // a judge of so short runs may find anything
  }
  for (const char* const file : {"may/check.json", "june/check.json"})
    mpirun(1, Words{"check", "--device", "cpu", "--json", file});
  ASSERT_TRUE(all_passed(mpirun(1, "-N 100 --json june/run.json"), 1));
  const Outcome outcome =
      alone("compare may june --csv both.csv --json both.json --page both.html");
  ASSERT_TRUE(ended_with(outcome, 0,
                         {"Each device: N = 200, NB = 32", "Each rank and link: pre-flight check",
                          "Not compared: other runs\n  B  device: N = 100"}));
  EXPECT_EQ(std::ranges::count(read_file("both.csv"), '\n'), 7)
      << "two members and a checked rank on two sides";
  EXPECT_NE(read_file("both.html").find("<h1>What changed</h1>"), std::string::npos);
  const Outcome history = alone("compare --history . -q");
  EXPECT_EQ(history.exit_code, 0) << describe(history);
  EXPECT_TRUE(valid("both.json", "comparison.schema.json"));
}

TEST_F(Compare, RefusesBadInputWithOneMessage) {
  write_file("words", "no row of results\n");
  ASSERT_TRUE(all_passed(mpirun(1, "-N 60 --json run.json"), 1));
  const std::vector<std::pair<Words, std::string>> cases{
      {"compare run.json",
       "name two reports or folders to compare, or one folder with --history, found \"run.json\""},
      {"compare run.json run.json -q -v", "-q and -v do not go together"},
      {"compare run.json run.json --fail-below 2%",
       "--fail-below must be a loss such as -2%, from -100% to below 0, found \"2%\""},
      {"compare run.json none.json", "none.json: cannot be read: No such file or directory"},
      {"compare run.json words", "or a log of HPL with rows of results, found none"},
      {"compare run.json run.json --json run.json", "run.json"},
  };
  for (const auto& [words, message] : cases) {
    const Outcome outcome = alone(words);
    EXPECT_TRUE(ended_with(outcome, 2, {message}));
    EXPECT_EQ(std::ranges::count(outcome.errors, '\n'), 1) << describe(outcome);
  }
}

}  // namespace
}  // namespace hpl::test
