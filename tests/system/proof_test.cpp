#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "hpl/run/report/json_report.h"
#include "unit/check/findings/made_up_cluster.h"
#include "unit/report/fixed_results.h"
#include "xhpl_fixture.h"

namespace hpl::test {
namespace {

/// A proof by four ranks on two hosts.
class Proof : public XhplTest {
 protected:
  Outcome proof(const Words& more) {
    return program(
        Words{HPL_CAMPAIGN_PATH, "-o", "all", "--proof", "--xhpl", (directory() / "xhpl").string(),
              "--xhpl-mpirun", (directory() / "start").string()} +
            more,
        {{"HOME", "/home/ada"}});
  }

  /// The line of a step in the table.
  std::string row(const std::string& step) const {
    for (const std::string& line : split_lines(read_file("all/proof.md")))
      if (line.starts_with("| " + step + " ")) return line;
    return "no row of " + step;
  }

  /// The report of a run whose solution has the hash 00000000000000a1.
  static std::string run_report() {
    JobReport job{.header = fixed_header(),
                  .hosts = {{.name = "gpu01.site.example", .facts = {{"serial", "S700"}}}},
                  .exit_code = ExitCode::Passed};
    RunResult run = passing_run();
    run.spec.order = 9000;
    run.spec.block_size = 100;
    run.spec.grid_rows = run.spec.grid_columns = 2;
    run.seconds = 8;
    run.gflops = 60.5;
    run.solution_hash = 0xa1;
    run.expected = ExpectedRun{.model = "simulated", .seconds = 7.5, .gflops = 64.5};
    job.plan = {run.spec};
    job.runs = {run};
    job.tally.passed = 1;
    return to_json(job);
  }

  /// The report of a check of four ranks.
  static std::string check_report() {
    std::vector<RankRecord> ranks = sound_cluster(2, 2);
    for (RankRecord& rank : ranks)
      rank.host = rank.node == 0 ? "gpu01.site.example" : "gpu02.site.example";
    return json_text(to_json_value(CheckDocument{.program = {.name = "xhpl", .version = "1.2.3"},
                                                 .check = judge(CheckForm::Full, ranks, {0.05})}));
  }

  /// A starter whose documents are made up. Only the job with a killed rank is a real one. `steps`
  /// are the cases of single steps.
  void write_proof_starter(const std::string& steps) {
    write_file("run", run_report());
    write_file("check", check_report());
    write_program("xhpl", "#!/bin/sh\nexec " HPL_XHPL_PATH " \"$@\"\n");
    write_program(
        "start",
        "#!/bin/bash\n"
        "program=$2; while [ $1 != -- ]; do shift; done; shift\n"
        "step= previous= hash=00000000000000a1\n"
        "for word in \"$@\"; do\n"
        "  if [ \"$previous\" = --json ]; then step=$(basename $word .json); fi; previous=$word\n"
        "done\n"
        "echo \"on gpu01.site.example at 10.1.2.3, fe80::1, gpu[01-02], /home/ada/bin\"\n"
        "if [ \"$1\" = rates ]; then echo '{}' >all/rates.json; fi\n"
        "case $step in\n" +
            steps +
            "  killed) exec \"" HPL_SCRIPTS_DIR "/launch/xhpl-mpirun\" --launcher \"" HPL_MPIEXEC
            "\" --xhpl \"$program\" -n 4 -- \"$@\" --device cpu ;;\n"
            "  whole) sleep 5 ;; # a rank is killed after half of this time\n"
            "  check) cp check all/check.json; exit ;;\n"
            "  '') exit ;;\n"
            "esac\n"
            "sed \"s/00000000000000a1/$hash/\" run >all/$step.json\n");
  }
};

constexpr const char* kTwoHosts = "--hosts gpu[01-02] --per-node 2";

TEST_F(Proof, ListsEveryStepAndGoesOnBehindFailures) {
  write_proof_starter(
      "  transport-nccl) (\n"
      "    at='gpu01:7:7 [0] NCCL INFO Channel 00/0 : 0[0] -> 2[0] [send] via'\n"
      "    echo \"$at NET/IB/0/GDRDMA\"; echo \"$at NET/IB/0\"; echo \"$at P2P/IPC\"\n"
      "    ) >all/nccl.gpu01.7 ;;\n"
      "  transport-peer) echo 'xhpl: --transport peer is not available here'; exit 2 ;;\n"
      "  transport-mpi-host) echo 'xhpl: --transport needs N'; exit 2 ;;\n"
      "  grid-4x1) echo 'xhpl: rank 2 is gone'; exit 3 ;;\n"
      "  grid-1x4-again) hash=00000000000000b2 ;;\n");
  const Outcome outcome = proof(kTwoHosts);
  EXPECT_TRUE(ended_with(outcome, 1, {"archive: all/proof.tar.gz\n"}));
  EXPECT_TRUE(shows(outcome, {"# Proof: failed\n\nhosts 2, ranks 4, seconds ",
                              "\ngrid-1x4: failed, two jobs have different solutions\n",
                              "\nGPUDirect RDMA: yes: 1 of 2 connections by network\n"}));
  const std::map<std::string, Words> expected{
      {"whole", {"passed", "60.5", "64.5", "9000", "2x2", "00000000000000a1"}},
      {"killed", {"passed", "ended"}},
      {"transport-peer", {"not here", "--transport peer is not available here"}},
      {"transport-mpi-host", {"ended early", "--transport needs N"}},
      {"grid-2x2-again", {"passed"}},
      {"grid-4x1", {"ended early", "rank 2 is gone"}},
      {"grid-4x1-again", {"passed"}}};
  for (const auto& [step, words] : expected)
    for (const std::string& word : words)
      EXPECT_NE(row(step).find(word), std::string::npos) << word << " in " << row(step);
  EXPECT_NE(read_file("all/proof.md").find("run --NB 100 -N "), std::string::npos);
  EXPECT_TRUE(refused(proof(kTwoHosts), "needs a new directory, all holds files"));
}

TEST_F(Proof, AnonymousArchiveNamesNobody) {
  write_proof_starter(
      "  whole) hash=00000000000000a1; echo 'gpu01:7:7 [0] NCCL INFO Connected' >all/nccl.gpu01.7 "
      ";;\n"
      "  killed) echo \"killed: rank 3 at $(date +%s.%N)\"\n"
      "    echo 'mpirun noticed that process rank 3 with PID 7 on node gpu02 exited'; exit 3 ;;\n");
  const Outcome outcome = proof(Words(kTwoHosts) + "--anonymous");
  EXPECT_TRUE(ended_with(outcome, 0, {"# Proof: passed\n"}));
  EXPECT_TRUE(shows(outcome, {"s later: process rank 3 with PID 7 on node gpu02",
                              "\nGPUDirect RDMA: unknown: NCCL recorded no connection"}));
  const Outcome archive = shell(
      "mkdir open && tar -C open -xzf all/proof.tar.gz && cd open/proof && ls && cat * &&\n"
      "tar -tvzf ../../all/proof.tar.gz");
  ASSERT_EQ(archive.exit_code, 0) << describe(archive);
  for (const char* const name :
       {"gpu0", "gpu[", "site.example", "10.1.2.3", "fe80", "S700", "/home/ada", "root"})
    EXPECT_EQ(archive.output.find(name), std::string::npos) << name;
  for (const char* const name : {"nccl.anon-", "on anon-", " at ip-1, address, anon-[*], ~/bin",
                                 "\"serial\": \"serial-1\"", "proof.md"})
    EXPECT_NE(archive.output.find(name), std::string::npos) << name << describe(archive);
}

TEST_F(Proof, AKilledRankThatNobodyNamesIsAFailure) {
  write_proof_starter(
      "  killed) echo \"killed: rank 3 at $(date +%s.%N)\"; echo 'rank 2 is gone'; exit 3 ;;\n");
  EXPECT_TRUE(ended_with(proof(kTwoHosts), 3, {"# Proof: not finished\n"}));
  EXPECT_NE(row("killed").find("ended early"), std::string::npos) << row("killed");
  EXPECT_NE(row("killed").find("s later: no message names rank 3"), std::string::npos);
}

TEST_F(Proof, BadInputLeavesNothingBehind) {
  write_proof_starter("  check) echo 'xhpl: cannot read none'; exit 2 ;;\n");
  EXPECT_TRUE(refused(proof("--hots"), "check: unknown argument \"--hots\""));
  EXPECT_TRUE(refused(proof("--label a=b"), "check: xhpl: cannot read none"));
  EXPECT_FALSE(std::filesystem::exists(directory() / "all"));
  EXPECT_TRUE(refused(proof("--seconds 60"), "--seconds must be at least 120"));
  EXPECT_TRUE(refused(program({HPL_CAMPAIGN_PATH, "-o", "all", "--anonymous"}),
                      "--anonymous belongs to --proof; give both"));
}

}  // namespace
}  // namespace hpl::test
