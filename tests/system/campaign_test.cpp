#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "xhpl_fixture.h"

namespace hpl::test {
namespace {

using nlohmann::json;

/// scripts/launch/xhpl-campaign on simulated hosts: a rank is a host.
class Campaign : public XhplTest {
 protected:
  /// A starter that keeps the commands of all steps in `started`. The products of n2 are wrong. The
  /// check is of one rank and passes: it would find that simulated hosts share their cores.
  void write_starter() {
    write_program("start",
                  "#!/bin/bash\n"
                  "xhpl=$2 hosts=$4; shift 5; echo \"$hosts: $*\" >>started\n"
                  "names=$(\"" HPL_SCRIPTS_DIR
                  "/launch/xhpl-fleet\" --hosts \"$hosts\" --names)\n"
                  "if [ $1 = check ]; then\n"
                  "  \"$xhpl\" \"$@\"\n"
                  "  sed -i -e \"s/^  .ranks.: 1,/  \\\"ranks\\\": $(wc -w <<<\"$names\"),/\" \\\n"
                  "    -e 's/^ \"exit_code\": ./ \"exit_code\": 0/' all/check.json\n"
                  "  : >all/check.warn; : >all/check.fail; echo \"$hosts\" >all/check.pass\n"
                  "  exit\n"
                  "fi\n"
                  "export names=\"$names\"\n"
                  "exec \"" HPL_MPIEXEC
                  "\" -np $(wc -w <<<\"$names\") bash rank \"$xhpl\" \"$@\"\n");
    write_file("rank", "names=($names) host=${names[" + kShellRank +
                           "]}\n"
                           "if [ $host = n2 ]; then export XHPL_TEST_ADD=1:0:7:1; fi\n"
                           "export XHPL_TEST_HOST=$host LD_PRELOAD=" HPL_OTHER_HOST
                           ":" HPL_OTHER_BLAS
                           "\n"
                           "exec \"$@\"\n");
  }

  Outcome campaign(const std::string& starter, const Words& more,
                   const Variables& environment = {}) {
    const Words words{HPL_SCRIPTS_DIR "/launch/xhpl-campaign",
                      "-o",
                      "all",
                      "--xhpl",
                      HPL_XHPL_PATH,
                      "--xhpl-mpirun",
                      starter,
                      "--check-flags",
                      "--tolerance 1000",
                      "--fleet-flags",
                      "-N 120 --NB 32 --tolerance 1000 --share-cores --no-check --no-attainable",
                      "--run-flags",
                      "-N 120 --NB 32 --grid auto --no-check --no-attainable"};
    return program(words + more + "--threads 1 --device cpu", environment);
  }
  Outcome campaign(const Words& more) { return campaign((directory() / "start").string(), more); }

  json document(const std::string& step) const {
    return json::parse(read_file("all/" + step + ".json"));
  }
};

constexpr const char* kFourHosts = "--hosts n[1-4]";

TEST_F(Campaign, EachStepHasTheHostsThatPassedBeforeAndIsMadeOnce) {
  write_starter();
  const Outcome outcome = campaign(kFourHosts);
  ASSERT_EQ(outcome.exit_code, 1) << describe(outcome);
  EXPECT_EQ(read_file("all/device.fail"), "n2\n");
  EXPECT_EQ(document("pair")["fleet"]["pass_list"], "n[1,3-4]");
  EXPECT_EQ(document("whole")["hosts"].size(), 3U);
  EXPECT_TRUE(shows(
      outcome, {"\ndevice  WRONG, passed n[1,3-4], failed n2\n",
                "\nnode    skipped: a node has one rank", "\npair    passed, passed n[1,3-4]\n",
                "\nwhole   passed, # passed: 1 of 1", "\nCampaign: WRONG\n"}));
  EXPECT_TRUE(read_file("all/verdict.txt").starts_with("Campaign: WRONG\ncheck   "));
  const std::string page = read_file("all/campaign.html");
  for (const char* const word :
       {"<h2>Fleet: each device</h2>", "<h2>Fleet: each pair</h2>", "state=drain"})
    EXPECT_NE(page.find(word), std::string::npos) << word;

  // The step without an end is made again, and no other.
  write_file("all/pair.json", R"({"exit_code": null})");
  write_file("started", "");
  const Outcome again = campaign(kFourHosts);
  EXPECT_EQ(again.exit_code, 1) << describe(again);
  EXPECT_TRUE(read_file("started").starts_with("n[1,3-4]: fleet pair "));
  EXPECT_EQ(split_lines(read_file("started")).size(), 1U);
  EXPECT_TRUE(refused(campaign("--hosts n[1-3]"), "is of a campaign with other settings"));
}

TEST_F(Campaign, TwoAreTwoDatesOfAHistoryWithALineForEachMember) {
  write_starter();
  for (const std::string month : {"may", "june"}) {
    // The sound hosts.
    ASSERT_EQ(campaign("--hosts n[1,3-4] --label month=" + month).exit_code, 0);
    std::filesystem::rename(directory() / "all", directory() / month);
  }
  const Outcome outcome =
      alone("compare --history may june --json history.json --csv history.csv --page history.html");
  ASSERT_TRUE(ended_with(outcome, 0, {"labels (device, job, pair): month=may -> month=june"}));
  const json history = json_file("history.json");
  ASSERT_EQ(history["sides"].size(), 2U);
  EXPECT_EQ(history["sides"][0]["files"],
            (json{"may/check.json", "may/device.json", "may/pair.json", "may/whole.json"}));
  EXPECT_EQ(history["uncompared"], json::array());
  std::map<std::string, std::vector<std::string>> lines;  // members by their run
  for (const json& run : history["runs"])
    for (const json& member : run["members"]) {
      const json& points = member["points"];
      ASSERT_EQ(points.size(), 2U) << member;
      const std::string each = run["each"].is_null() ? "job" : run["each"];
      lines[run["check"] ? "check" : each].push_back(points[1]["name"]);
      const json& changes = points[1]["changes"];
      for (const auto& [figure, value] : points[0]["figures"].items()) {
        if (value.is_null() || value == 0) continue;
        EXPECT_TRUE(std::ranges::any_of(
            changes, [&](const json& change) { return change["figure"] == figure; }))
            << figure << points;
      }
    }
  const std::map<std::string, std::vector<std::string>> expected{
      {"device", {"n1 cpu 0", "n3 cpu 0", "n4 cpu 0"}},
      {"pair", {"n1 n3", "n1 n4", "n3 n4"}},
      {"job", {"n[1,3-4]"}}};
  EXPECT_EQ(lines["check"].size(), 1U) << "this host's only rank";
  lines.erase("check");
  EXPECT_EQ(lines, expected);
  EXPECT_EQ(split_lines(read_file("history.csv")).size(), 1 + 2 * 8U);
  EXPECT_NE(read_file("history.html").find("\"history\":true"), std::string::npos);
}

TEST_F(Campaign, OnOneMachineSkipsWhatWouldBeTheWhole) {
  write_starter();
  const Outcome outcome = campaign("--hosts n1");
  ASSERT_EQ(outcome.exit_code, 0) << describe(outcome);
  EXPECT_EQ(split_lines(read_file("started")).size(), 2U) << "check and the whole";
  EXPECT_TRUE(shows(
      outcome, {"device  skipped: one device is the whole", "pair    skipped: needs three nodes"}));
}

TEST_F(Campaign, InAnAllocationNamesTheNodeThatDiesAndGoesOnWithoutIt) {
  write_starter();
  // A step with n3 among its nodes dies, but for the check.
  write_program(
      "srun",
      "#!/bin/bash\n"
      "if [ \"$1\" = --mpi=list ]; then exit; fi\n"
      "while [ $1 != \"" HPL_XHPL_PATH
      "\" ]; do\n"
      "  case $1 in --nodelist=*) hosts=${1#*=} ;; esac; shift\n"
      "done\n"
      "shift\n"
      "if [ $1 != check ] && [[ $hosts =~ n3|1-4 ]]; then\n"
      "  echo 'xhpl: rank 1 on n2: a message was lost; no answer from rank 2 on n3: dead' >&2\n"
      "  echo 'srun: error: n3: task 2: Killed' >&2; exit 137\n"
      "fi\n"
      "exec ./start --xhpl \"" HPL_XHPL_PATH "\" --hosts \"$hosts\" -- \"$@\"\n");
  const auto in_allocation = [&](const Words& more) {
    return campaign(HPL_SCRIPTS_DIR "/launch/xhpl-mpirun", more,
                    {{"PATH", directory().string() + ":/usr/bin:/bin"},
                     {"SLURM_JOB_ID", "7"},
                     {"SLURM_JOB_NODELIST", "n[1-4]"},
                     {"SLURM_NTASKS", "4"}});
  };
  const Outcome dead = in_allocation({});
  EXPECT_TRUE(ended_with(dead, 3,
                         {"device did not come to its end, see all/device.txt; start again to "
                          "go on, without the host to blame by --deny n3\n"}));
  const Outcome outcome = in_allocation("--deny n3");
  EXPECT_EQ(outcome.exit_code, 1) << describe(outcome);
  EXPECT_NE(read_file("all/device.txt.1").find("n3: task 2: Killed"), std::string::npos);
  EXPECT_EQ(document("check")["preflight"]["ranks"], 4) << "of the first start";
  EXPECT_TRUE(shows(outcome, {"\ndevice  WRONG, passed n[1,4], failed n2\n",
                              "\nwhole   passed, # passed: 1 of 1", "\ndenied  WRONG, n3\n"}));
  EXPECT_TRUE(refused(in_allocation("--deny n7"), "--deny must name hosts.*found n7"));
}

TEST_F(Campaign, IsACommandOfXhpl) {
  const Outcome help = program({HPL_XHPL_PATH, "campaign", "--help"},
                               {{"PATH", HPL_SCRIPTS_DIR "/launch:/usr/bin:/bin"}});
  EXPECT_TRUE(help.output.starts_with("Usage: xhpl campaign -o DIR")) << describe(help);
  EXPECT_TRUE(refused(program({HPL_SCRIPTS_DIR "/launch/xhpl-campaign", "-N", "100"}),
                      "-o must say where the campaign's files go"));
  EXPECT_TRUE(refused(program({HPL_SCRIPTS_DIR "/launch/xhpl-campaign", "june"}),
                      "files go; did you mean -o june\\?"));
}

TEST_F(Campaign, AStepThatCannotGoOnEndsItWithItsLastWords) {
  write_program("start", "#!/bin/bash\necho 'xhpl: rank 2 is gone' >&2\nexit 3\n");
  const Outcome outcome = campaign(kFourHosts);
  EXPECT_TRUE(ended_with(
      outcome, 3, {"xhpl: rank 2 is gone\n", "check did not come to its end, see all/check.txt"}));
  EXPECT_TRUE(refused(campaign("--hosts n["), "--hosts needs a list"));
}

TEST_F(Campaign, TheSlotsOfItsHostsAreTheRanksOfANode) {
  write_program("start", "#!/bin/bash\necho \"$*\" >started\nexit 3\n");
  write_file("hosts", "n1 slots=2\nn2:2\n");
  for (const char* const words : {"--hostfile hosts", "--hosts n[1-2]:2"}) {
    campaign(words);
    EXPECT_NE(read_file("started").find(" --hosts n1,n2 --per-node 2 -- check "), std::string::npos)
        << read_file("started");
  }
  EXPECT_TRUE(
      refused(campaign("--hosts n1:2,n2:4"), "equally many slots on each host, found 2 and 4"));
  EXPECT_TRUE(refused(campaign("--hosts n1:2 --per-node 3"), "2 slots each, found --per-node 3"));
}

TEST_F(Campaign, AMistypedFlagLeavesNothingBehind) {
  write_program("start",
                "#!/bin/bash\necho \"xhpl: unknown argument \\\"--hots\\\"\" >&2\n"
                "echo 'Process name: [[1,1],0]' >&2\nexit 2\n");
  EXPECT_TRUE(
      ended_with(campaign("--hosts n[1-2]"), 2,
                 {"\nxhpl campaign: check: xhpl: unknown argument \"--hots\" (nothing of this "
                  "step was kept in all)\n"}));
  EXPECT_FALSE(std::filesystem::exists(directory() / "all"));
}

/// A starter whose steps pass on two hosts of one rank. `whole` is what it does for the whole.
std::string passing_starter(const std::string& whole) {
  return "#!/bin/bash\n"
         "while [ $1 != -- ]; do shift; done; shift\n"
         "echo $1 >>started\n"
         "step=$1; while [ $# -gt 0 ]; do\n"
         "  case $1 in --json) json=$2 ;; --pass-list) echo 'n[1-2]' >$2 ;; *-list) : >$2 ;; esac\n"
         "  shift\n"
         "done\n"
         "if [ $step = run ]; then " +
         whole +
         "; fi\n"
         "printf '{\\n \"exit_code\": 0,\\n  \"ranks\": 2,\\n}' >$json\n";
}

TEST_F(Campaign, AStepThatOtherProcessesDisturbedIsMadeAgain) {
  const std::string remark =
      "the rate is no measure of this machine: other processes took 94 % of\n#   the cores of n1";
  write_program("xhpl", "#!/bin/sh\n");  // makes the page
  write_program("start", passing_starter("[ -e quiet ] || echo '# remark: " + remark + "'"));
  const Words other{"--xhpl", (directory() / "xhpl").string(), "--hosts", "n[1-2]"};
  const Outcome outcome = campaign(other);
  EXPECT_TRUE(ended_with(outcome, 3, {"\nCampaign: REPEAT\n", "start again"}));
  EXPECT_TRUE(
      shows(outcome, {"\nreservations  whole: other processes took 94 % of the cores of n1\n"}));
  write_file("quiet", "");
  write_file("started", "");
  EXPECT_TRUE(ended_with(campaign(other), 0, {"\nCampaign: passed\n"}));
  EXPECT_EQ(read_file("started"), "run\n") << "the other steps were measured";
}

TEST_F(Campaign, FlagsOfAStepThatWasNotMadeYetMayChange) {
  write_program("xhpl", "#!/bin/sh\n");
  write_program("start",
                passing_starter("[ -e right ] || { echo 'xhpl: no such flag' >&2; exit 2; }"));
  const auto with_flags = [&](const std::string& flags) {
    return campaign(Words{"--xhpl", (directory() / "xhpl").string(), "--hosts", "n[1-2]",
                          "--run-flags", flags});
  };
  EXPECT_TRUE(refused(with_flags("--atuo"), "whole: xhpl: no such flag"));
  write_file("right", "");
  EXPECT_EQ(with_flags("--auto").exit_code, 0);
  EXPECT_TRUE(refused(with_flags("-N 3"), "is of a campaign with other settings"));
}

TEST_F(Campaign, HostsOfWhichNoneAnswersAreNotDenied) {
  write_program("start",
                "#!/bin/bash\necho 'ssh: connect to host n1: no route' >&2\n"
                "echo 'ssh: connect to host n2: no route' >&2\nexit 3\n");
  const Outcome outcome = campaign("--hosts n[1-2]");
  EXPECT_TRUE(ended_with(outcome, 3, {"see all/check.txt; start again to go on\n"}));
  EXPECT_FALSE(shows(outcome, {"--deny"}));
}

/// Proofs of scripts/launch/xhpl-campaign by four ranks on two hosts.
class Proof : public Campaign {
 protected:
  Outcome proof(const Words& more) {
    return program(
        Words{HPL_SCRIPTS_DIR "/launch/xhpl-campaign", "-o", "all", "--proof", "--xhpl",
              (directory() / "xhpl").string(), "--xhpl-mpirun", (directory() / "start").string()} +
            more,
        {{"HOME", "/home/ada"}});
  }

  /// The line of a step in the table.
  std::string row(const std::string& step) const {
    for (const std::string& line : split_lines(read_file("all/proof.md")))
      if (line.starts_with("| " + step + " ")) return line;
    return "no row of " + step;
  }

  /// A starter whose documents have the form of the program's. Only the job with a killed rank is a
  /// real one. `steps` are the cases of single steps.
  void write_proof_starter(const std::string& steps) {
    write_program("xhpl", "#!/bin/sh\nexec " HPL_XHPL_PATH " \"$@\"\n");
    write_program(
        "start",
        "#!/bin/bash\n"
        "program=$2; while [ $1 != -- ]; do shift; done; shift\n"
        "step= previous= hash=00000000000000a1 name=gpu01\n"
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
            "  '') exit ;;\n"
            "esac\n"
            "cat >all/$step.json <<END\n"
            "{\n"
            " \"hosts\": [\n  {\n   \"name\": \"gpu01.site.example\",\n   \"serial\": \"S700\"\n"
            "  }\n ],\n"
            "  \"ranks\": 4,\n"
            " \"plan\": [\n  {\n   \"order\": 9000,\n   \"block_size\": 100,\n"
            "   \"grid_rows\": 2,\n   \"grid_columns\": 2\n  }\n ],\n"
            " \"runs\": [\n  {\n   \"spec\": {\n    \"order\": 9000,\n    \"block_size\": 100,\n"
            "    \"grid_rows\": 2,\n    \"grid_columns\": 2\n   },\n   \"seconds\": 8.0,\n"
            "   \"gflops\": 60.5,\n   \"solution_hash\": \"$hash\",\n   \"expected\": {\n"
            "    \"gflops\": 64.5\n   }\n  }\n ],\n"
            " \"exit_code\": 0\n}\nEND\n");
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
  EXPECT_TRUE(shows(outcome, {"# Proof: WRONG\n\nhosts 2, ranks 4, seconds ",
                              "\ngrid-1x4 WRONG, two jobs have different solutions\n",
                              "\nGPUDirect RDMA: yes: 1 of 2 connections by network\n"}));
  const std::map<std::string, Words> expected{
      {"whole", {"passed", "60.5", "64.5", "9000", "2x2", "00000000000000a1"}},
      {"killed", {"passed", "ended"}},
      {"transport-peer", {"not here", "--transport peer is not available here"}},
      {"transport-mpi-host", {"FAILED", "--transport needs N"}},
      {"grid-2x2-again", {"passed"}},
      {"grid-4x1", {"FAILED", "rank 2 is gone"}},
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
  EXPECT_TRUE(ended_with(proof(kTwoHosts), 3, {"# Proof: INCOMPLETE\n"}));
  EXPECT_NE(row("killed").find("FAILED"), std::string::npos) << row("killed");
  EXPECT_NE(row("killed").find("s later: no message names rank 3"), std::string::npos);
}

TEST_F(Proof, BadInputLeavesNothingBehind) {
  write_proof_starter("  check) echo 'xhpl: unknown argument \"--hots\"'; exit 2 ;;\n");
  EXPECT_TRUE(refused(proof("--hots"), "check: xhpl: unknown argument \"--hots\""));
  EXPECT_FALSE(std::filesystem::exists(directory() / "all"));
  EXPECT_TRUE(refused(proof("--seconds 60"), "--seconds must be a whole number from 120"));
  EXPECT_TRUE(refused(campaign("--anonymous"), "--anonymous and --seconds belong to --proof"));
}

}  // namespace
}  // namespace hpl::test
