#include <string>

#include "xhpl_fixture.h"

namespace hpl::test {
namespace {

class LiveView : public XhplTest {};

// Products are slowed down, so that a run takes seconds on any machine.
TEST_F(LiveView, IsDrawnOnTheTerminalOfTheLauncherAndLeavesTheReport) {
  const std::string command =
      "stty cols 60; exec " HPL_MPIEXEC
      " --oversubscribe --bind-to none -x LD_PRELOAD=" HPL_SLOW_PRODUCTS " -np 2 " HPL_XHPL_PATH
      " -N 2500 --NB 64 -P 1 -Q 2 --no-check --no-attainable";
  const Outcome outcome = on_terminal(command);
  EXPECT_EQ(outcome.exit_code, 0) << describe(outcome);
  EXPECT_NE(outcome.output.find("\r\x1b[1A\x1b[J"), std::string::npos) << describe(outcome);
  EXPECT_NE(outcome.output.find(" %  left 0:"), std::string::npos) << describe(outcome);
  const std::size_t last = outcome.output.rfind('\x1b');
  EXPECT_NE(outcome.output.find("1 tests completed and passed", last), std::string::npos)
      << describe(outcome);
}

TEST_F(LiveView, LeavesNoControlCharactersInAJobThatIsRedirected) {
  const Outcome outcome =
      mpirun(2, {"-N", "300", "--NB", "32", "-P", "1", "-Q", "2", "--progress", "always"});
  ASSERT_TRUE(all_passed(outcome, 1));
  EXPECT_EQ((outcome.output + outcome.errors).find_first_of("\r\x1b"), std::string::npos)
      << describe(outcome);
  EXPECT_NE(outcome.errors.find("# run 1 of 1"), std::string::npos) << describe(outcome);
}

}  // namespace
}  // namespace hpl::test
