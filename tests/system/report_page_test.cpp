#include <regex>

#include "xhpl_fixture.h"

namespace hpl::test {
namespace {

class ReportPage : public XhplTest {
 protected:
  Outcome report(std::vector<std::string> words) {
    words.insert(words.begin(), HPL_REPORT_PATH);
    return run({.words = std::move(words), .directory = directory(), .environment = {}});
  }

  /// Success if it ended with exit code 2 and one line that has `fragment`, and left no page.
  testing::AssertionResult refused_with(const std::vector<std::string>& words,
                                        const std::string& fragment) {
    const Outcome outcome = report(words);
    const std::vector<std::string> lines = split_lines(outcome.errors);
    if (outcome.exit_code != 2 || lines.size() != 1 || !outcome.output.empty() ||
        lines[0].find(fragment) == std::string::npos || !read_file("page.html").empty()) {
      return testing::AssertionFailure() << describe(outcome);
    }
    return testing::AssertionSuccess();
  }
};

TEST_F(ReportPage, HoldsTheFiguresOfTheTextReport) {
  write_dat({.orders = {200}, .grid_rows = {2}, .grid_columns = {1}});
  const Outcome job = mpirun(2, {"--json", "run.json"});
  ASSERT_TRUE(all_passed(job, 1));
  const Outcome made = report({"run.json", "-o", "page.html"});
  ASSERT_EQ(made.exit_code, 0) << describe(made);
  EXPECT_EQ(made.output + made.errors, "");
  const std::string page = read_file("page.html");
  EXPECT_NE(page.find("<strong>PASSED</strong>"), std::string::npos);
  EXPECT_NE(page.find("WR11C2R4"), std::string::npos);
  EXPECT_NE(page.find("matrix multiply"), std::string::npos);
  EXPECT_EQ(report({"run.json", "-o", "-"}).output, page);
}

TEST_F(ReportPage, IsWrittenByTheJobItself) {
  ASSERT_TRUE(all_passed(mpirun(1, {"-N", "60", "--page", "run.html"}), 1));
  EXPECT_NE(read_file("run.html").find("<strong>PASSED</strong>"), std::string::npos);
  const Outcome check = mpirun(1, {"check", "--page", "check.html"});
  EXPECT_NE(read_file("check.html").find("</html>"), std::string::npos) << describe(check);
  const Outcome fleet = mpirun(2, {"fleet", "-N", "60", "--page", "fleet.html"});
  EXPECT_NE(read_file("fleet.html").find("</html>"), std::string::npos) << describe(fleet);
}

TEST_F(ReportPage, RefusesWhatIsNoReportWithOneMessage) {
  write_file("text.json", "HPLinpack\n");
  write_file("other.json", R"({"schema_version": 99})");
  EXPECT_TRUE(
      refused_with({"none.json", "-o", "page.html"}, "none.json: cannot be read: No such file"));
  EXPECT_TRUE(refused_with({"text.json", "-o", "page.html"}, "text.json: must be JSON"));
  EXPECT_TRUE(refused_with({"other.json", "-o", "page.html"},
                           "other.json: schema_version must be 1, found 99"));
  write_file("deep.json", "{\"later\":" + std::string(100'000, '[') + std::string(100'000, ']') +
                              R"(,"schema_version":1,"a":2,"b":3})");
  EXPECT_TRUE(refused_with({"deep.json", "-o", "page.html"}, "found more than 64 levels"));
  EXPECT_TRUE(refused_with({"-o", "page.html"}, "no file is given"));
  EXPECT_TRUE(refused_with({"text.json"}, "give -o FILE"));
  EXPECT_TRUE(
      refused_with({"text.json", "-o", "text.json"}, "which is also one of the files to read"));
  EXPECT_TRUE(refused_with({"text.json", "-o", "none/page.html"}, "cannot write the page to"));
}

TEST_F(ReportPage, DoesNotTakeForWrittenWhatTheDiskRefuses) {
  write_dat({.orders = {30}});
  ASSERT_EQ(mpirun(1, {"--json", "run.json"}).exit_code, 0);
  for (const std::string arguments :
       {"--help", "--version", "run.json -o -", "run.json -o /dev/full"}) {
    const Outcome outcome =
        run({.words = {"sh", "-c", "\"$0\" " + arguments + " > /dev/full", HPL_REPORT_PATH},
             .directory = directory(),
             .environment = {}});
    EXPECT_EQ(outcome.exit_code, 3) << arguments << describe(outcome);
    EXPECT_EQ(split_lines(outcome.errors).size(), 1U) << arguments << describe(outcome);
  }
}

TEST_F(ReportPage, ALimitOfFileSizesIsToldAndLeavesNothing) {
  write_dat({.orders = {30}});
  ASSERT_EQ(mpirun(1, {"--json", "run.json"}).exit_code, 0);
  const Outcome outcome =
      run({.words = {"sh", "-c", "ulimit -f 1; exec \"$0\" run.json -o page.html", HPL_REPORT_PATH},
           .directory = directory(),
           .environment = {}});
  EXPECT_EQ(outcome.exit_code, 3) << describe(outcome);
  const std::string page = (directory() / "page.html").string();
  EXPECT_EQ(outcome.errors,
            "xhpl-report: cannot write the page to '" + page + "': File too large\n");
  EXPECT_FALSE(std::filesystem::exists(page));
}

TEST_F(ReportPage, SaysWhatItCanDo) {
  const Outcome help = report({"--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_NE(help.output.find("--output FILE"), std::string::npos);
  EXPECT_TRUE(std::regex_match(report({"--version"}).output, std::regex("xhpl-report [0-9.]+\n")));
}

}  // namespace
}  // namespace hpl::test
