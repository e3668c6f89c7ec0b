#include "hpl/commands/report/options.h"

#include <initializer_list>

#include <gtest/gtest.h>

#include "hpl/base/error/error.h"
#include "support/message_of.h"

namespace hpl::page {
namespace {

ReportOptions parsed(std::initializer_list<const char*> words) {
  std::vector<const char*> argv{"xhpl-report"};
  argv.insert(argv.end(), words);
  return parse_report_command_line(static_cast<int>(argv.size()), argv.data());
}

std::string refusal(std::initializer_list<const char*> words) {
  return test::message_of<ConfigError>([&] { parsed(words); });
}

TEST(ReportOptions, TakeFilesAndATarget) {
  const ReportOptions options =
      parsed({"a.json", "b.json", "-o", "page.html", "--title", "Before and after", "--runs", "2"});
  EXPECT_EQ(options.files, (std::vector<std::string>{"a.json", "b.json"}));
  EXPECT_EQ(options.output, "page.html");
  EXPECT_EQ(options.page.title, "Before and after");
  EXPECT_EQ(options.page.runs_in_full, 2U);
}

TEST(ReportOptions, NeedFilesAndATarget) {
  EXPECT_NE(refusal({"-o", "page.html"}).find("no file is given"), std::string::npos);
  EXPECT_EQ(parsed({"a.json"}).format.name, "text") << "its results, printed";
  for (const char* const what : {"--merge", "--sheet", "--format=page"})
    EXPECT_NE(refusal({"a.json", what}).find("give -o FILE"), std::string::npos) << what;
  EXPECT_NE(refusal({"a.json", "-o"}).find("--output"), std::string::npos)
      << refusal({"a.json", "-o"});
}

TEST(ReportOptions, RefuseWhatTheyDoNotKnow) {
  EXPECT_EQ(refusal({"a.json", "-o", "x", "--pdf"}),
            "unknown argument \"--pdf\"; xhpl report --help shows every flag");
  EXPECT_EQ(refusal({"a.json", "-o", "x", "--runs", "many"}),
            "--runs must be a whole number from 0 to 1000, found \"many\"");
  EXPECT_EQ(refusal({"a.json", "-o", "x", "--runs", "-1"}),
            "--runs must be at least 0, found \"-1\"");
}

TEST(ReportOptions, TakeValuesBehindAnEqualsSign) {
  const ReportOptions options = parsed({"a.json", "-o=page.html", "--title=-o=x"});
  EXPECT_EQ(options.output, "page.html");
  EXPECT_EQ(options.page.title, "-o=x");
  EXPECT_EQ(refusal({"-o=", "a.json"}),
            "-o must be followed by a value, found none; xhpl report --help shows every flag");
}

TEST(ReportOptions, RefuseATitleThatIsNoText) {
  EXPECT_EQ(refusal({"a.json", "-o", "x", "--title", "caf\xE9"}),
            "--title must be text in UTF-8, found \"caf\\xE9\"");
  EXPECT_EQ(parsed({"a.json", "-o", "x", "--title", "caf\xC3\xA9"}).page.title, "caf\xC3\xA9");
}

TEST(ReportOptions, KnowThePowerMeterAndTheForm) {
  const ReportOptions options =
      parsed({"a.json", "--power-log", "pdu.csv", "--power-offset", "-3.5", "--power-scope",
              "fraction=1/4,place=upstream", "--top500"});
  EXPECT_EQ(options.power_log, "pdu.csv");
  EXPECT_EQ(options.power_offset, -3.5);
  ASSERT_TRUE(options.power_scope);
  EXPECT_EQ(options.power_scope->fraction, 0.25);
  EXPECT_TRUE(options.top500);
  EXPECT_EQ(options.output, "-") << "a form is text to read";
}

TEST(ReportOptions, KnowTheFormOfHplMxp) {
  EXPECT_TRUE(parsed({"a.json", "--mxp"}).fills_form());
  EXPECT_EQ(
      refusal({"a.json", "--mxp", "--top500"}),
      "--merge, --sheet, --top500, --mxp and --format each say what to make; give one of them");
}

TEST(ReportOptions, KnowTheFormats) {
  EXPECT_EQ(parsed({"a.json", "-o", "x"}).format.name, "page");
  const ReportOptions options = parsed({"a.json", "--format", "JUnit"});
  EXPECT_EQ(options.format.name, "junit");
  EXPECT_EQ(options.output, "-") << "other programs read from a pipe as well";
  EXPECT_EQ(refusal({"a.json", "--format", "pdf"}),
            "--format must be page, junit, openmetrics, csv, markdown or text, found \"pdf\"");
  EXPECT_NE(refusal({"a.json", "--format", "csv", "--merge", "-o", "x"}).find("give one of them"),
            std::string::npos);
}

TEST(ReportOptions, RefuseAnOffsetWithoutALogOrANumber) {
  EXPECT_EQ(refusal({"a.json", "-o", "x", "--power-offset", "3"}),
            "--power-offset shifts the times of --power-log; give both");
  EXPECT_EQ(refusal({"a.json", "-o", "x", "--power-log", "l", "--power-offset", "soon"}),
            "--power-offset must be seconds from -1000000000 to 1000000000, found \"soon\"");
  EXPECT_EQ(refusal({"a.json", "-o", "x", "--power-scope", "place=roof"}),
            "--power-scope: place must be upstream, modeled, downstream or component, found "
            "\"roof\"");
}

TEST(ReportOptions, KnowTheHostsOfAMergedFleet) {
  const ReportOptions options =
      parsed({"--merge", "--expect-hosts", "n[08-10]", "--pass-list", "good", "--warn-list", "odd",
              "--fail-list", "bad", "a.json", "-o", "all.json"});
  EXPECT_EQ(options.expected_hosts, (std::vector<std::string>{"n08", "n09", "n10"}));
  EXPECT_EQ(options.host_lists.passed, "good");
  EXPECT_EQ(options.host_lists.warned, "odd");
  EXPECT_EQ(options.host_lists.failed, "bad");
  EXPECT_EQ(parsed({"--sheet", "--expect-hosts", "n[1-2]", "a.json", "-o", "x"}).page.hosts.size(),
            2U);
  EXPECT_EQ(refusal({"--merge", "a.json", "-o", "x", "--expect-hosts", "n[1"}),
            "--expect-hosts must be a list of hosts such as node[01-03,07], found \"n[1\"");
  for (const char* const flag : {"--expect-hosts", "--pass-list", "--warn-list", "--fail-list"})
    EXPECT_EQ(refusal({"a.json", "-o", "x", flag, "n1"}),
              std::string(flag) + " belongs to --merge; give both");
}

TEST(ReportOptions, ShowHelpAndVersionWithoutFiles) {
  EXPECT_NE(parsed({"--help"}).text.find("--title TEXT"), std::string::npos) << parsed({"-h"}).text;
  EXPECT_EQ(parsed({"--version"}).text.rfind("xhpl-report ", 0), 0U);
}

}  // namespace
}  // namespace hpl::page
