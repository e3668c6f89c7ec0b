#include "commands/campaign/output_words.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace hpl::campaign {
namespace {

using Words = std::vector<std::string>;

const Words kHosts{"n1", "n2.site", "n10"};

TEST(OutputWords, TheLastAreThoseOfXhplIfThereAreAny) {
  EXPECT_EQ(last_words("a\nxhpl: one\nb\nn1: xhpl launch: two\n"),
            (Words{"xhpl: one", "n1: xhpl launch: two"}));
  EXPECT_EQ(
      last_words("ssh: connect to host n3 port 22: No route to host\na remote daemon\nb\nc\n"),
      Words{"ssh: connect to host n3 port 22: No route to host"});
  EXPECT_EQ(last_words("mpirun noticed that rank 1 died\nb\nc\nd\n"),
            Words{"mpirun noticed that rank 1 died"});
  EXPECT_EQ(last_words("a\nb\nc\nd\n"), (Words{"b", "c", "d"}));
  EXPECT_EQ(last_words(""), Words());
}

TEST(OutputWords, HostsWithoutAnAnswerAreToBlameBeforeOthers) {
  EXPECT_EQ(
      blamed_hosts("xhpl: rank 1 on n1: a message was lost; no answer from rank 2 on n2: dead\n"
                   "srun: error: n10: task 3: Killed\n",
                   kHosts),
      Words{"n2.site"});
  EXPECT_EQ(
      blamed_hosts("ssh: connect to host n10: no route\nxhpl: rank 0 on n1: a timeout\n", kHosts),
      Words{"n10"});
  EXPECT_EQ(blamed_hosts("mpirun noticed that rank 1 on node n1 died\n", kHosts), Words{"n1"});
}

TEST(OutputWords, NoHostIsToBlameIfAllAreOrNoneIs) {
  EXPECT_EQ(blamed_hosts("ssh: n1\nssh: n2\nssh: n10\n", kHosts), Words());
  EXPECT_EQ(blamed_hosts("a line about n1 that blames none\n", kHosts), Words());
  EXPECT_EQ(blamed_hosts("xhpl: n100 is another host\n", kHosts), Words());
}

TEST(OutputWords, NameADeadRankAsLaunchersDo) {
  for (const char* const words :
       {"no answer from rank 3 on gpu02", "process rank 3 with PID 7 on node gpu02",
        "RANK 3 PID 9 RUNNING AT gpu02", "gpu02: task 3: Killed"})
    EXPECT_EQ(dead_rank("noise\nbefore " + std::string(words) + " behind\n", 3), words);
  EXPECT_EQ(dead_rank("no answer from rank 33 on gpu02\nrank 3 is gone\n", 3), "");
}

TEST(OutputWords, GpuDirectIsShownByARecordAndNeverDenied) {
  const std::string at = "gpu01:7:7 [0] NCCL INFO Channel 00/0 : 0[0] -> 2[0] [send] via ";
  EXPECT_EQ(
      gpudirect_text(at + "NET/IB/0/GDRDMA comm 0x7\n" + at + "NET/IB/0\n" + at + "P2P/IPC\n"),
      "yes: 1 of 2 connections by network\n"
      "      1 NET/IB/0\n      1 NET/IB/0/GDRDMA\n      1 P2P/IPC\n");
  EXPECT_TRUE(gpudirect_text(at + "NET/Socket/0\n")
                  .starts_with("unknown: none of 1 connections by network names GDRDMA\n"));
  EXPECT_EQ(gpudirect_text("no record\n"), "unknown: NCCL recorded no connection by network\n");
}

}  // namespace
}  // namespace hpl::campaign
