#include <regex>

#include "xhpl_fixture.h"

namespace hpl::test {
namespace {

class ReportPage : public XhplTest {
 protected:
  /// Success if it ended with exit code 2 and one line that has `fragment`, and left no page.
  testing::AssertionResult refused_with(const Words& words, const std::string& fragment) {
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
  const Outcome job = mpirun(2, "--json run.json");
  ASSERT_TRUE(all_passed(job, 1));
  const Outcome made = report("run.json -o page.html");
  ASSERT_EQ(made.exit_code, 0) << describe(made);
  EXPECT_EQ(made.output + made.errors, "");
  const std::string page = read_file("page.html");
  EXPECT_NE(page.find("<strong>PASSED</strong>"), std::string::npos);
  EXPECT_NE(page.find("WR11C2R4"), std::string::npos);
  EXPECT_NE(page.find("matrix multiply"), std::string::npos);
  EXPECT_EQ(report("run.json -o -").output, page);
}

TEST_F(ReportPage, IsWrittenByTheJobItself) {
  ASSERT_TRUE(all_passed(mpirun(1, "-N 60 --page run.html"), 1));
  EXPECT_NE(read_file("run.html").find("<strong>PASSED</strong>"), std::string::npos);
  const Outcome check = mpirun(1, "check --page check.html");
  EXPECT_NE(read_file("check.html").find("</html>"), std::string::npos) << describe(check);
  const Outcome fleet = mpirun(2, "fleet -N 60 --share-cores --page fleet.html");
  EXPECT_NE(read_file("fleet.html").find("</html>"), std::string::npos) << describe(fleet);
}

TEST_F(ReportPage, RefusesWhatIsNoReportWithOneMessage) {
  write_file("text.json", "HPLinpack\n");
  EXPECT_TRUE(refused_with("none.json -o page.html", "none.json: cannot be read: No such file"));
  EXPECT_TRUE(refused_with("text.json -o page.html", "text.json: must be JSON"));
  EXPECT_TRUE(refused_with("text.json -o text.json", "which is also one of the files to read"));
  EXPECT_TRUE(refused_with("text.json -o none/page.html", "cannot write the page to"));
}

TEST_F(ReportPage, DoesNotTakeForWrittenWhatTheDiskRefuses) {
  write_dat({.orders = {30}});
  ASSERT_EQ(mpirun(1, "--json run.json").exit_code, 0);
  for (const std::string arguments :
       {"--help", "--version", "run.json -o -", "run.json -o /dev/full"}) {
    const Outcome outcome = shell("\"$0\" " + arguments + " > /dev/full", {HPL_REPORT_PATH});
    EXPECT_EQ(outcome.exit_code, 3) << arguments << describe(outcome);
    EXPECT_EQ(split_lines(outcome.errors).size(), 1U) << arguments << describe(outcome);
  }
}

TEST_F(ReportPage, ALimitOfFileSizesIsToldAndLeavesNothing) {
  write_dat({.orders = {30}});
  ASSERT_EQ(mpirun(1, "--json run.json").exit_code, 0);
  const Outcome outcome =
      program(under_limit("-f 1") + Words{HPL_REPORT_PATH} + "run.json -o page.html");
  EXPECT_EQ(outcome.exit_code, 3) << describe(outcome);
  const std::string page = (directory() / "page.html").string();
  EXPECT_EQ(outcome.errors,
            "xhpl report: cannot write the page to '" + page + "': File too large\n");
  EXPECT_FALSE(std::filesystem::exists(page));
}

TEST_F(ReportPage, SaysWhatItCanDo) {
  const Outcome help = report("--help");
  EXPECT_TRUE(ended_with(help, 0, {"--output FILE"}));
  EXPECT_TRUE(std::regex_match(report("--version").output, std::regex("xhpl-report [0-9.]+\n")));
}

}  // namespace
}  // namespace hpl::test
