#include "system/process.h"

#include <gtest/gtest.h>

#include "support/few_cores.h"

namespace {

using hpl::test::Outcome;

Outcome run_shell(const std::string& script) {
  return hpl::test::run(
      {.words = {"sh", "-c", script}, .directory = ".", .timeout = std::chrono::seconds(3)});
}

const std::string kLastWords =
    "printf 'mpirun detected that one or more processes exited with non-zero status, thus "
    "causing\\n"
    "the job to be terminated.\\n\\n  Process name: [[1,1],0]\\n  Exit code:    3\\n' >&2; ";

TEST(Process, ALauncherThatStaysBehindItsJobHasTheExitCodeThatItTold) {
  const Outcome outcome = run_shell(kLastWords + "exec sleep 60");
  EXPECT_FALSE(outcome.timed_out) << describe(outcome);
  EXPECT_EQ(outcome.exit_code, 3);
}

TEST(Process, AJobOfWhichSomethingIsLeftHasTimedOutAndNamesIt) {
  const Outcome outcome = run_shell(kLastWords + "sleep 10; exit 3");
  EXPECT_TRUE(outcome.timed_out) << describe(outcome);
  EXPECT_EQ(outcome.children_left, std::vector<std::string>{"sleep 10 "});
}

TEST(Process, ALauncherThatHasNotToldHowItsJobEndedHasTimedOut) {
  EXPECT_TRUE(run_shell("exec sleep 60").timed_out);
}

TEST(Process, StaysOnCores) {
  hpl::test::stay_on_cores(1, 7);
  EXPECT_EQ(run_shell("nproc").output, "1\n");
}

}  // namespace
