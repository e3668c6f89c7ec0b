#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "xhpl_fixture.h"

namespace hpl::test {
namespace {

using nlohmann::json;

/// scripts/launch/xhpl-fleet with programs of the test's own in place of a scheduler's.
class FleetLauncher : public XhplTest {
 protected:
  void write_program(const std::string& name, const std::string& text) {
    write_file(name, "#!/bin/bash\n" + text);
    std::filesystem::permissions(directory() / name, std::filesystem::perms::owner_all);
  }

  Outcome fleet(const std::vector<std::string>& arguments,
                std::vector<std::pair<std::string, std::string>> environment = {}) {
    const char* const path = std::getenv("PATH");
    environment.emplace_back("PATH", directory().string() + ":" + (path ? path : ""));
    std::vector<std::string> words{HPL_SCRIPTS_DIR "/launch/xhpl-fleet"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return run({.words = words, .directory = directory(), .environment = environment});
  }

  std::string in_directory(const std::string& name) const { return (directory() / name).string(); }
};

TEST_F(FleetLauncher, OneJobANodeLeavesAReportOfEachAndNamesWhoLeavesNone) {
  // A host is out of reach.
  write_program("ssh",
                "while :; do case $1 in -n) shift ;; -o) shift 2 ;; *) break ;; esac; done\n"
                "if [ \"$1\" = n3 ]; then exit 255; fi\n"
                "XHPL_TEST_HOST=$1 LD_PRELOAD=" HPL_OTHER_HOST " exec sh -c \"$2\"\n");
  write_program("start", "exec \"" HPL_SCRIPTS_DIR "/launch/xhpl-mpirun\" --launcher \"" HPL_MPIEXEC
                         "\" --xhpl \"" HPL_XHPL_PATH "\" -n 1 \"$@\"\n");
  const Outcome outcome = fleet({"--hosts", "n[1,3]", "--launcher", "ssh", "--dir", "reports",
                                 "--xhpl-mpirun", in_directory("start"), "--device", "cpu", "-N",
                                 "100", "--NB", "32", "--no-attainable", "--no-check"});
  EXPECT_EQ(outcome.exit_code, 1) << describe(outcome);
  EXPECT_NE(outcome.output.find("1 of 2 jobs passed"), std::string::npos) << describe(outcome);
  EXPECT_NE(outcome.output.find("left no report, see their .log: n3"), std::string::npos);
  EXPECT_NE(outcome.output.find("xhpl-report --merge --expect-hosts 'n[1,3]' reports/*.json"),
            std::string::npos);
  const json report = json::parse(read_file("reports/n1.json"))["fleet"];
  EXPECT_EQ(report["pass_list"], "n1");
}

TEST_F(FleetLauncher, BatchJobsThatNeverStartAreGivenUpAndThoseThatEndEarlyNamed) {
  // n1 passes, n2 is out of reach, n3 runs out of time, n4 is none of Slurm's hosts.
  write_program("sbatch",
                "for word; do case $word in --nodelist=*) host=${word#*=} ;; esac; done\n"
                "printf '%s\\n' \"$*\" >>sbatch.log\n"
                "case $host in\n"
                "n1) echo ' \"exit_code\": 0,' >reports/n1.json; echo '1;here' ;;\n"
                "n3) echo ' \"exit_code\": null,' >reports/n3.json; echo 3 ;;\n"
                "n4) echo 'Invalid node name specified' >&2; exit 1 ;;\n"
                "*) echo \"${host#n}\" ;;\n"
                "esac\n");
  write_program("squeue",
                "[ -e asked ] || { : >asked; echo 'Unable to contact slurm controller'; exit 1; }\n"
                "echo '1|COMPLETED|None'\n"
                "echo '2|PENDING|ReqNodeNotAvail, UnavailableNodes:n2'\n"
                "echo '3|TIMEOUT|TimeLimit'\n"
                "echo '77|RUNNING|None'\n");
  write_program("scancel", "echo \"$*\" >>cancelled\n");
  const Outcome outcome =
      fleet({"--hosts", "n[1-4]", "--launcher", "sbatch", "--dir", "reports", "--node-wait", "1",
             "--partition=gpu", "--gpus-per-node=8", "--", "-N", "100"});
  EXPECT_EQ(outcome.exit_code, 1) << describe(outcome);
  for (const char* const line :
       {"1 of 4 jobs passed; reports in reports\n", "failed: n3 (TIMEOUT)\n",
        "n2 (never started, Slurm has not got the node), n4 (not taken by sbatch)\n"})
    EXPECT_NE(outcome.output.find(line), std::string::npos) << line << describe(outcome);
  EXPECT_EQ(outcome.errors.find("Slurm does not answer"), outcome.errors.rfind("Slurm does not"))
      << describe(outcome);
  EXPECT_NE(outcome.errors.find("Unable to contact"), std::string::npos) << describe(outcome);
  EXPECT_EQ(read_file("cancelled"), "2\n");
  const std::string submitted = read_file("sbatch.log");
  for (const char* const word : {"--no-requeue", "--mem=0", "--partition=gpu", "--gpus-per-node=8"})
    EXPECT_NE(submitted.find(word), std::string::npos) << word << submitted;
}

TEST_F(FleetLauncher, AStepInALargeAllocationHasTheRanksAndCoresOfItsNode) {
  write_program("srun",
                "if [ \"$1\" = --mpi=list ]; then echo pmix; exit; fi\n"
                "echo \"$* ${SLURM_NTASKS:-none}\" >>srun.log\n");
  write_program("xhpl", "");
  const Outcome outcome =
      fleet({"--dir", "reports", "-N", "100"}, {{"SLURM_JOB_ID", "7"},
                                                {"SLURM_JOB_NODELIST", "n[1-2]"},
                                                {"SLURM_JOB_NUM_NODES", "2"},
                                                {"SLURM_NTASKS", "16"},
                                                {"SLURM_TASKS_PER_NODE", "8(x2)"}});
  EXPECT_NE(outcome.output.find("0 of 2 jobs passed"), std::string::npos) << describe(outcome);
  const std::string steps = read_file("srun.log");
  EXPECT_NE(steps.find("-n 8 --ntasks-per-node=8 "), std::string::npos) << steps;
  EXPECT_NE(steps.find("--nodelist=n2"), std::string::npos) << steps;
  EXPECT_EQ(steps.find("-n 16"), std::string::npos) << steps;
  EXPECT_EQ(steps.find("--exact"), std::string::npos) << "one core a rank:" << steps;
  EXPECT_EQ(steps.find(" 16\n"), std::string::npos) << "of the whole allocation:" << steps;
}

TEST_F(FleetLauncher, IsACommandOfXhpl) {
  const auto by_job = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {HPL_XHPL_PATH, "fleet"});
    return run({.words = words,
                .directory = directory(),
                .environment = {{"PATH", HPL_SCRIPTS_DIR "/launch:/usr/bin:/bin"}}});
  };
  const std::vector<std::string> options{"--hosts", "n[1-2]", "--launcher", "ssh", "--print"};
  std::vector<std::string> words{"--by-job"};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), {"node", "-N", "100"});
  const Outcome outcome = by_job(words);
  EXPECT_EQ(outcome.exit_code, 0) << describe(outcome);
  EXPECT_NE(outcome.output.find(" n2 cd"), std::string::npos) << describe(outcome);
  EXPECT_NE(outcome.output.find("\\ node\\ -N\\ 100"), std::string::npos) << describe(outcome);
  EXPECT_TRUE(refused(by_job({"node", "--by-job"}), "--by-job must be the first word"));
  const Outcome help = by_job({"--by-job", "--help"});
  EXPECT_TRUE(help.output.starts_with("Usage: xhpl fleet --by-job ")) << describe(help);
}

TEST_F(FleetLauncher, HostsComeInTheFormsOfSchedulers) {
  const Outcome outcome =
      fleet({"--hosts", "r[1-2]n[08-10,12],login", "--launcher", "ssh", "--print", "-N", "100"});
  EXPECT_EQ(outcome.exit_code, 0) << describe(outcome);
  for (const char* const host : {" r1n08 ", " r1n10 ", " r2n12 ", " login "})
    EXPECT_NE(outcome.output.find(host), std::string::npos) << host << describe(outcome);
  for (const char* const list : {"n[1-2]x", "n[", "n[2-1]", "a,,b", "n[1]]", "n[1-2"}) {
    const Outcome refusal = fleet({"--hosts", list, "--launcher", "ssh", "--print"});
    EXPECT_EQ(refusal.exit_code, 2) << list << describe(refusal);
    EXPECT_NE(refusal.errors.find("--hosts needs a list such as"), std::string::npos) << list;
  }
}

}  // namespace
}  // namespace hpl::test
