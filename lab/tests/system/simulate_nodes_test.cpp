// lab/scripts/simulate-nodes with hosts by an agent, on processors.
#include <string>

#include "xhpl_fixture.h"

namespace hpl::test {
namespace {

class SimulateNodes : public XhplTest {
 protected:
  Outcome simulate(const Words& words, const std::string& xhpl = HPL_XHPL_PATH) {
    return program(Words{HPL_LAB_SCRIPTS_DIR "/simulate-nodes", "--xhpl", xhpl} + words, {}, 110);
  }

  /// Whether this machine lets a process have a host name of its own, which the agent needs.
  bool names_hosts() {
    return shell("unshare --uts hostname node || unshare --map-root-user --uts hostname node")
               .exit_code == 0;
  }
};

TEST_F(SimulateNodes, FindsResultsOfOneHostOnTwo) {
  if (!names_hosts()) GTEST_SKIP() << "a process cannot have a host name of its own here";
  const Outcome proof = simulate("--proof --hosts 2 --settings fp64,mxp -N 200 --NB 16");
  EXPECT_TRUE(ended_with(proof, 0,
                         {"| fp64 | 2 x 1 | mpi | fine | 2 of 2 | 2 of 2 | 2 of 2 |",
                          "| mxp | 2 x 1 | mpi-host | coarse | 2 of 2 | 2 of 2 | 2 of 2 |",
                          "| pair | 2 x 1 | 1 of 1 |"}));
}

/// Panels by another variant round differently: every run passes, and no hash is that of one host.
TEST_F(SimulateNodes, NoticesAnotherResult) {
  if (!names_hosts()) GTEST_SKIP() << "a process cannot have a host name of its own here";
  write_program("other",
                "#!/bin/sh\n[ -n \"$NCCL_HOSTID\" ] && [ \"$1\" = run ] && set -- \"$@\" "
                "--nbmin 8\nexec " HPL_XHPL_PATH " \"$@\"\n");
  const Outcome proof =
      simulate("--proof --hosts 2 --settings fp64 -N 200 --NB 16", directory() / "other");
  EXPECT_TRUE(ended_with(proof, 1, {"| 2 of 2 | 0 of 2 | 0 of 2 |"}));
}

TEST_F(SimulateNodes, BreaksRanksAndTellsHowTheJobEnds) {
  if (!names_hosts()) GTEST_SKIP() << "a process cannot have a host name of its own here";
  const Outcome failures = simulate("--failures --hosts 2 --watchdog 5");
  EXPECT_TRUE(ended_with(failures, 0,
                         {"| SIGKILL to the rank of node2 |", "| SIGSTOP to the rank of node2 |",
                          "no answer from rank 1 on node2"}));
}

TEST_F(SimulateNodes, RefusesFlagsThatDoNotFit) {
  EXPECT_TRUE(ended_with(simulate("-N 200"), 2, {"a mode is missing"}));
  EXPECT_TRUE(ended_with(simulate("--proof --hosts 1"), 2, {"two at least"}));
  EXPECT_TRUE(ended_with(simulate("--proof --gpus 0,1 --hosts 3"), 2, {"found 3 with 2 GPUs"}));
  EXPECT_TRUE(
      ended_with(simulate("--cut-link --gpus 0,1"), 2, {"--gpus is for hosts by an agent"}));
  EXPECT_TRUE(ended_with(simulate("--proof --settings fp32"), 2, {"found fp32"}));
}

}  // namespace
}  // namespace hpl::test
