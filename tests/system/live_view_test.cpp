#include <string>
#include <vector>

#include "xhpl_fixture.h"

namespace hpl::test {
namespace {

class LiveView : public XhplTest {};

// Products have a pause, so that a run takes seconds on any machine.
TEST_F(LiveView, IsDrawnOnTheTerminalOfTheLauncherAndLeavesTheReport) {
  for (const std::string& launcher :
       {std::string(HPL_MPIEXEC " -np 2 env XHPL_TEST_PAUSE=20 LD_PRELOAD=" HPL_SLOW_PRODUCTS
                                " " HPL_XHPL_PATH),
        std::string("env XHPL_TEST_PAUSE=20 LD_PRELOAD=" HPL_SLOW_PRODUCTS " " HPL_SCRIPTS_DIR
                    "/launch/xhpl-mpirun --launcher " HPL_MPIEXEC " --xhpl " HPL_XHPL_PATH
                    " -n 2")}) {
    const Outcome outcome = on_terminal("stty cols 60; exec " + launcher +
                                        " -N 1000 --NB 64 -P 1 -Q 2 --no-check --no-attainable");
    EXPECT_TRUE(ended_with(outcome, 0, {"\r\x1b[1A\x1b[J", " %  left 0:"}));
    const std::size_t last = outcome.output.rfind('\x1b');
    EXPECT_NE(outcome.output.find("1 tests completed and passed", last), std::string::npos)
        << describe(outcome);
  }
}

TEST_F(LiveView, LeavesNoControlCharactersInAJobThatIsRedirected) {
  const Outcome outcome = mpirun(2, "-N 300 --NB 32 -P 1 -Q 2 --progress always");
  ASSERT_TRUE(all_passed(outcome, 1));
  EXPECT_EQ((outcome.output + outcome.errors).find_first_of("\r\x1b"), std::string::npos)
      << describe(outcome);
  EXPECT_TRUE(shows(outcome, {"# run 1 of 1"}));
}

const std::string kSmallJob =
    " -np 2 " HPL_XHPL_PATH " -N 100 --NB 32 -P 1 -Q 2 --no-check --no-attainable";
const std::string kGreen = "...... \x1b[32mPASSED\x1b[0m";

TEST_F(LiveView, ColorIsForTheTerminalOfTheLauncherAlone) {
  const std::string command = HPL_MPIEXEC + kSmallJob;
  const Outcome shown = on_terminal("unset NO_COLOR; exec " + command);
  EXPECT_TRUE(shows(shown, {kGreen}));
  // Rank 0 has a terminal of the launcher's making here, too.
  const Outcome redirected = on_terminal("unset NO_COLOR; " + command + " > report");
  EXPECT_EQ(redirected.exit_code, 0) << describe(redirected);
  EXPECT_EQ(read_file("report").find('\x1b'), std::string::npos) << read_file("report");
  EXPECT_NE(read_file("report").find("...... PASSED"), std::string::npos);
  const Outcome refused = on_terminal("NO_COLOR=1 exec " + command + " --progress never");
  EXPECT_EQ(refused.output.find('\x1b'), std::string::npos) << describe(refused);
}

TEST_F(LiveView, ColorCanBeAskedFor) {
  const Words job = "-N 100 --NB 32 -P 1 -Q 1";
  EXPECT_NE(mpirun(1, job + "--color always").output.find(kGreen), std::string::npos);
  EXPECT_EQ(mpirun(1, job).output.find('\x1b'), std::string::npos);
}

TEST_F(LiveView, AQuietJobShowsResultAndSummaryAlone) {
  const Outcome outcome = mpirun(2, "-N 100 --NB 32 -P 1 -Q 2 --quiet");
  EXPECT_EQ(outcome.exit_code, 0) << describe(outcome);
  EXPECT_EQ(outcome.errors, "") << describe(outcome);
  const std::vector<std::string> lines = split_lines(outcome.output);
  ASSERT_EQ(lines.size(), 11U) << describe(outcome);
  EXPECT_TRUE(lines[1].starts_with("T/V  ")) << describe(outcome);
  EXPECT_TRUE(lines[3].starts_with("WR")) << describe(outcome);
  EXPECT_TRUE(lines[9].ends_with("...... PASSED")) << describe(outcome);
  EXPECT_TRUE(lines[10].starts_with("# passed: 1 of 1 run, best ")) << describe(outcome);

  const Outcome check = mpirun(2, "check --quiet --share-cores");
  EXPECT_FALSE(shows(check, {"Pre-flight check"}));
  EXPECT_TRUE(shows(check, {"Verdict: "}));
  const Outcome fleet = mpirun(2, "fleet -N 100 --NB 32 -P 1 -Q 1 --quiet --share-cores");
  EXPECT_TRUE(fleet.output.starts_with("2 members on 1 host, N = 100")) << describe(fleet);
  EXPECT_TRUE(shows(fleet, {"1 of 1 host passed"}));
}

}  // namespace
}  // namespace hpl::test
