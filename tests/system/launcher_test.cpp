#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "xhpl_fixture.h"

namespace hpl::test {
namespace {

/// scripts/launch/xhpl-mpirun
using Launcher = XhplTest;

TEST_F(Launcher, RunsTheProgramWithItsArguments) {
  EXPECT_TRUE(all_passed(launcher("-n 2 -N 60 --NB 8 -P 2 -Q 1 --no-attainable"), 1));
}

TEST_F(Launcher, HandsOnTheExitCodeOfTheProgram) {
  const Outcome wrong = launcher("-n 1 -N 60 -P 1 -Q 1 --threshold 1e-30 --no-attainable");
  EXPECT_EQ(wrong.exit_code, 1) << describe(wrong);
  EXPECT_FALSE(shows(wrong, {"mpirun detected"})) << "the verdict has said it";
  EXPECT_TRUE(refused(launcher("-n 1 --NB 0"), "--NB must be"));
}

TEST_F(Launcher, PrintsItsCommand) {
  const Outcome outcome =
      launcher("-n 8 --per-node 4 --launcher mpirun --print --tag-output -- -N 10");
  EXPECT_TRUE(ended_with(outcome, 0, {"mpirun ", "-np 8 ", "--tag-output ", " -N 10"}));
}

TEST_F(Launcher, TakesMoreRanksThanNumaNodesWhereTheirProductsAreFaster) {
  write_program("nproc", "#!/bin/sh\necho ${OMP_NUM_THREADS:-64}\n");
  write_program("mpirun",
                "#!/bin/sh\n"
                "[ \"$1\" != --version ] || { echo 'mpirun (Open MPI) 4.1.6'; exit; }\n"
                "while [ \"$1\" != -np ]; do shift; done\n"
                "case $2 in 1) rate=990 unit=G ;; 2) rate=1.74 unit=T ;; 4) rate=1.83 unit=T ;;\n"
                "  *) rate=1.84 unit=T ;; esac\n"
                "printf '  compute threads  %d\\nattainable rate of 9 TFLOP/s\\n' $((64 / $2))\n"
                "printf '  attainable       %s %sFLOP/s  measured now\\n' $rate $unit\n");
  const auto ranks_of = [&](const std::string& words) {
    return shell(
        "PATH=$PWD:$PATH OMP_NUM_THREADS=1 exec \"$0\" --launcher mpirun --print --xhpl \"$@\"",
        Words{HPL_SCRIPTS_DIR "/launch/xhpl-mpirun", HPL_XHPL_PATH} + words);
  };
  for (const char* const words : {"--auto", "run --mem-fraction 80%", "mxp --auto --NB 64"}) {
    const Outcome outcome = ranks_of(words);
    EXPECT_TRUE(shows(outcome, {"-np 4 "})) << words;
    EXPECT_TRUE(shows(outcome, {"4 make 1830, 8 make 1840 GFLOP/s; taking 4 (or --per-node)"}));
  }
  for (const char* const words : {"-N 10", "run --auto -P 1", "check --auto"})
    EXPECT_FALSE(shows(ranks_of(words), {"taking"})) << words;
  EXPECT_FALSE(shows(ranks_of("--per-node 2 --auto"), {"taking"}));
}

TEST_F(Launcher, GivesRanksTheEnvironmentOfTheUser) {
  write_program("mpirun", "#!/bin/sh\nenv\n");
  const Outcome outcome =
      shell("PATH=$PWD:$PATH exec \"$0\" launch --launcher mpirun --xhpl \"$0\" -n 1 -N 10",
            Words{HPL_XHPL_PATH});
  EXPECT_TRUE(shows(outcome, {"PATH="})) << describe(outcome);
  for (const char* const name : {"HPL_REEXEC", "OMP_NUM_THREADS", "OPENBLAS_CORETYPE"})
    EXPECT_FALSE(shows(outcome, {name})) << "other hosts may need another value";
}

TEST_F(Launcher, CountsNoGpusForProcessors) {
  const auto ranks_of = [&](const std::string& words) {
    return shell("SLURM_GPUS_ON_NODE=7 exec \"$0\" --launcher mpirun --print --xhpl \"$@\"",
                 Words{HPL_SCRIPTS_DIR "/launch/xhpl-mpirun", HPL_XHPL_PATH} + words);
  };
  EXPECT_TRUE(shows(ranks_of("run -N 10"), {"-np 7 "}));
  for (const char* const words : {"run --device cpu -N 10", "-N 10 --device=cpu"})
    EXPECT_FALSE(shows(ranks_of(words), {"-np 7 "})) << words;
}

TEST_F(Launcher, TheSlotsOfAHostFileAreTheRanksOfItsHosts) {
  const std::string repeated = "10.0.0.1\n10.0.0.1\n10.0.0.2\n10.0.0.2\n";
  struct Case {
    std::string text, hosts, ranks;
  };
  const std::vector<Case> cases{
      {"# nodes\nnode01 slots=8 max-slots=8\n\nnode02 slots=8 \n", "node01:8\\,node02:8", "16"},
      {"node01:8\nnode02:8\n", "node01:8\\,node02:8", "16"},
      {"node01 slots=2\r\nnode02 slots = 4 # more\r\n", "node01:2\\,node02:4", "6"},
      {repeated, "10.0.0.1:2\\,10.0.0.2:2", "4"},
      {"n[01-02]:3\nn02\n", "n01:3\\,n02:4", "7"},
  };
  for (const Case& one : cases) {
    write_file("hosts", one.text);
    for (const char* const flag : {"--hostfile", "--machinefile", "-f"})
      EXPECT_TRUE(shows(launcher(Words{"--launcher", "mpirun", "--print", flag, "hosts", "--"}),
                        {"--host " + one.hosts + " ", "-np " + one.ranks + " "}))
          << one.text;
  }
  EXPECT_TRUE(refused(launcher("--print --hostfile nowhere run"), "cannot read nowhere"));
}

TEST_F(Launcher, ALineOfAHostFileThatIsNoHostIsNamed) {
  for (const std::string line :
       {"node01 slots=many", "node01:0", "node01:8 slots=8", "node01 node02",
        "node01 slots=8 max_slots=4", "a:b:8", "[fe80::1", "-oProxy"}) {
    write_file("hosts", "node00\n\n" + line + "\n");
    const Outcome outcome = launcher("--print --hostfile hosts run");
    EXPECT_TRUE(
        ended_with(outcome, 2,
                   {"xhpl launch: hosts line 3 must be HOST, HOST:COUNT or HOST slots=COUNT",
                    "found '" + line + "'\n"}));
  }
  write_file("hosts", "# none\n");
  EXPECT_TRUE(refused(launcher("--print --hostfile hosts run"), "hosts names no host"));
}

TEST_F(Launcher, StartsTheRanksOfTheLargestGridThatIsNamed) {
  const auto printed = [&](const std::string& words) {
    return launcher("--launcher mpirun --print -- " + words);
  };
  EXPECT_TRUE(shows(printed("-N 100 -P 2 -Q 3"), {"-np 6 "}));
  EXPECT_TRUE(shows(printed("mxp -P2 -Q 1,2 -N 9"), {"-np 4 "}));
  EXPECT_TRUE(shows(printed("plan --P=3,1 --Q=1,5 -o Path"), {"-np 5 "}));
  for (const char* const words : {"-N 100 -P 97", "-N 100 -P 97 -Q x", "check -P 97 -Q 1"})
    EXPECT_FALSE(shows(printed(words), {"-np 97 "})) << words;
}

TEST_F(Launcher, FillsTheSlotsOfTheFirstHostsAndNoMore) {
  const auto printed = [&](const std::string& words) {
    return launcher(words + " --launcher mpirun --print");
  };
  EXPECT_TRUE(shows(printed("--hosts a:8,b:4 -n 10"), {"a:8\\,b:2 --map-by slot -np 10 "}));
  EXPECT_TRUE(shows(printed("--hosts a:8,b:4 -n 6"), {"a:6 --map-by ppr:6:node -np 6 "}));
  EXPECT_TRUE(shows(printed("--hosts a:8,b:4 --per-node 4"), {"a:4\\,b:4 ", "-np 8 "}));
  EXPECT_TRUE(shows(printed("--hosts a,b,a"), {"a:2\\,b:1 ", "-np 3 "}));
  EXPECT_TRUE(refused(printed("--hosts a:8,b:4 -n 13"), "have 12 slots, -n asks for 13 ranks"));
  EXPECT_TRUE(refused(printed("--hosts a:8,b:4 --per-node 5"),
                      "b has 4 slots, --per-node asks for 5 ranks"));
}

TEST_F(Launcher, RefusesAddressesThatNoLauncherTakes) {
  for (const char* const list : {"fe80::1", "[fe80::1]:8", "fe80::1%eth0"})
    EXPECT_TRUE(refused(launcher(Words{"--launcher", "mpirun", "--print", "--hosts", list}),
                        "mpirun takes no IPv6 address, found fe80::1"));
}

TEST_F(Launcher, InAnAllocationWithoutSrunSaysWhatIsMissing) {
  for (const std::string name : {"bash", "dirname", "readlink"})
    write_program(name, "#!/bin/sh\nexec /usr/bin/" + name + " \"$@\"\n");
  const Outcome outcome =
      program(Words{HPL_SCRIPTS_DIR "/launch/xhpl-mpirun", "--xhpl", HPL_XHPL_PATH, "--print"},
              {{"SLURM_JOB_ID", "7"}, {"PATH", directory().string()}});
  EXPECT_TRUE(refused(outcome, "SLURM_JOB_ID is set, but there is no srun in PATH"));
}

TEST_F(Launcher, StartsEquallyManyRanksOnTheHostsThatItIsGiven) {
  const Outcome outcome = launcher("--hosts n[1-3] --per-node 2 --launcher mpirun --print");
  EXPECT_TRUE(shows(outcome, {"-np 6 ", "n1:2\\,n2:2\\,n3:2 "}));
  const Outcome uneven = launcher("--hosts n[1-3] -n 4 --launcher mpirun");
  EXPECT_EQ(uneven.exit_code, 2) << describe(uneven);
}

TEST_F(Launcher, SpeaksToTheLauncherOfMpichInItsWords) {
  write_program("mpiexec.some", "#!/bin/sh\necho HYDRA build details:\n");
  const Outcome outcome = launcher("--hosts n[1-3] --per-node 2 --launcher ./mpiexec.some --print");
  EXPECT_TRUE(outcome.output.starts_with(
      "./mpiexec.some -bind-to none -hosts n1:2\\,n2:2\\,n3:2 -ppn 2 -np 6 "))
      << describe(outcome);
}

TEST_F(Launcher, RefusesWrongOptionsInWords) {
  for (const char* const words : {"-n 0", "--per-node x", "--launcher ssh", "-n"}) {
    const Outcome outcome = launcher(words);
    EXPECT_EQ(outcome.exit_code, 2) << describe(outcome);
    EXPECT_TRUE(outcome.errors.starts_with("xhpl launch: ")) << describe(outcome);
  }
}

/// The end of a launcher that Open MPI's stands for: what it prints, and its exit code.
std::string launcher_that_ends(const std::string& words, int exit_code) {
  return "#!/bin/sh\n"
         "case $* in\n"
         "*--version) echo 'mpirun (Open MPI) 4.1.4'; exit ;;\n"
         "*--display-allocation*) printf '== ALLOCATED NODES ==\\n\\tvm: slots=1 max_slots=0\\n'\n"
         "  printf '== ALLOCATED NODES ==\\n\\tvm: flags=0x11 slots=2 max_slots=0\\n'; exit ;;\n"
         "esac\n"
         "cat >&2 <<'END'\n" +
         words + "END\nexit " + std::to_string(exit_code) + "\n";
}

/// Between the lines with which Open MPI parts its messages from those of ranks.
std::string block(const std::string& text) {
  const std::string dashes = std::string(74, '-') + "\n";
  return dashes + text + dashes;
}

const std::string kNonZero = block(
    "Primary job  terminated normally, but 1 process returned\n"
    "a non-zero exit code. Per user-direction, the job has been aborted.\n");

TEST_F(Launcher, AnExitCodeOf1IsThatOfARank) {
  struct End {
    std::string words;
    int exit_code;
    int expected;
    std::string said;
  };
  const std::string help = block("WARNING: a network is not used.\n");
  const std::vector<End> ends{
      {block("There are not enough slots available in the system to satisfy the 4\nslots\n"), 1, 2,
       "xhpl launch: ./mpirun.some has slots for 2 ranks here, 4 were asked for; -n 2, or "
       "--oversubscribe before --\n"},
      {"mpirun: Error: unknown option \"--foo\"\nType 'mpirun --help' for usage.\n", 1, 2,
       "mpirun: Error: unknown option \"--foo\"\nType 'mpirun --help' for usage.\n"
       "xhpl launch: ./mpirun.some failed, no rank did: mpirun: Error: unknown option \"--foo\"\n"},
      {"libopen-rte.so.40: cannot open shared object file\n", 1, 3,
       "libopen-rte.so.40: cannot open shared object file\nxhpl launch: ./mpirun.some failed, no "
       "rank did: libopen-rte.so.40: cannot open shared object file\n"},
      {kNonZero, 1, 1, ""},
      // Open MPI 5 ends so.
      {block(
           "An unrecognized option was included on the mpirun command line:\n\n  Option: --foo\n"),
       213, 2,
       block(
           "An unrecognized option was included on the mpirun command line:\n\n  Option: --foo\n") +
           "xhpl launch: ./mpirun.some failed, no rank did: Option: --foo\n"},
      {"xhpl: rank 1 on n1: no memory\n" + block("prterun has exited due to process rank 1 with "
                                                 "PID 0 on node n1 calling\n\"abort\".\n"),
       3, 3, "xhpl: rank 1 on n1: no memory\n"},
      {help + kNonZero, 4, 4, help},
      {"xhpl: rank 1 on n1: no memory\n" + kNonZero, 3, 3, "xhpl: rank 1 on n1: no memory\n"},
      {"nothing of xhpl's\n" + kNonZero, 17, 3, "nothing of xhpl's\n" + kNonZero},
  };
  for (const End& end : ends) {
    write_program("mpirun.some", launcher_that_ends(end.words, end.exit_code));
    const Outcome outcome = launcher("--launcher ./mpirun.some -n 4 run");
    EXPECT_EQ(outcome.exit_code, end.expected) << describe(outcome);
    EXPECT_EQ(outcome.errors, end.said);
  }
  // Open MPI 5 has no word for the only rank.
  for (const std::string words : {"", "# run 1 of 1: 50 %\n"}) {
    write_program("mpirun.some", launcher_that_ends(words, 1));
    EXPECT_EQ(launcher("--launcher ./mpirun.some -n 1 run").exit_code, 1) << words;
    EXPECT_EQ(launcher("--launcher ./mpirun.some -n 4 run").exit_code, 3) << words;
  }
}

TEST_F(Launcher, ASignalEndsTheJobWithExitCode3) {
  write_program("mpirun.some",
                "#!/bin/sh\n"
                "case $1 in --version) exit ;; esac\n"
                "trap 'exit 1' TERM\n"
                "while :; do sleep 0.1; : >started; done\n");
  for (const std::string name : {"TERM", "INT", "HUP"}) {
    // With -m a job in the background does not ignore SIGINT.
    const Outcome outcome = shell("rm -f started; set -m; " HPL_SCRIPTS_DIR
                                  "/launch/xhpl-mpirun --launcher ./mpirun.some --xhpl \"$0\" & "
                                  "until [ -e started ]; do sleep 0.1; done; kill -" +
                                  name + " $!; wait $!");
    EXPECT_EQ(outcome.exit_code, 3) << describe(outcome);
    EXPECT_TRUE(shows(outcome, {"xhpl launch: SIG" + name + " ended the job\n"}));
  }
}

TEST_F(Launcher, OfAnotherMpiIsNamedOnceAHostAndRunsNothing) {
  struct Case {
    Variables variables;
    std::string said;  // empty: nothing
  };
  const std::string other = kHydra ? "OMPI_COMM_WORLD" : "PMI";
  const std::string local = kHydra ? "OMPI_COMM_WORLD_LOCAL_RANK" : "MPI_LOCALRANKID";
  const Variables two{{other + "_SIZE", "2"}, {other + "_RANK", "1"}};
  const std::vector<Case> cases{
      {{{other + "_SIZE", "2"}, {other + "_RANK", "0"}}, other + "_SIZE counts 2 processes"},
      {two, other + "_SIZE counts 2 processes"},
      {{two[0], two[1], {local, "1"}}, ""},
      {{{other + "_RANK", "1"}}, other + "_RANK is 1"},
  };
  for (const Case& one : cases) {
    const Outcome outcome = alone("-N 60 --json run.json", one.variables);
    EXPECT_TRUE(ended_with(outcome, 3, {one.said}));
    EXPECT_EQ(outcome.output, "");
    EXPECT_EQ(outcome.errors.empty(), one.said.empty()) << describe(outcome);
    EXPECT_FALSE(std::filesystem::exists(directory() / "run.json"));
  }
}

TEST_F(Launcher, IsFoundByTheProgramAndHandsOnStandardInput) {
  write_dat({.orders = {60}, .grid_rows = {1}, .grid_columns = {2}});
  const Outcome outcome =
      shell("\"$0\" launch --launcher " HPL_MPIEXEC " -n 2 run --dat - --no-attainable < HPL.dat");
  EXPECT_TRUE(all_passed(outcome, 1));
}

using nlohmann::json;

/// scripts/launch/xhpl-fleet with programs of the test's own in place of a scheduler's.
class FleetLauncher : public XhplTest {
 protected:
  Outcome fleet(const Words& arguments, Variables environment = {}) {
    const char* const path = std::getenv("PATH");
    environment.emplace_back("PATH", directory().string() + ":" + (path ? path : ""));
    return program(Words{HPL_SCRIPTS_DIR "/launch/xhpl-fleet"} + arguments, environment);
  }
};

TEST_F(FleetLauncher, OneJobANodeLeavesAReportOfEachAndNamesWhoLeavesNone) {
  // A host is out of reach.
  write_program("ssh",
                "#!/bin/bash\n"
                "while :; do case $1 in -n) shift ;; -o) shift 2 ;; *) break ;; esac; done\n"
                "if [ \"$1\" = n3 ]; then exit 255; fi\n"
                "XHPL_TEST_HOST=$1 LD_PRELOAD=" HPL_OTHER_HOST " exec sh -c \"$2\"\n");
  write_program("start",
                "#!/bin/bash\n"
                "exec \"" HPL_SCRIPTS_DIR "/launch/xhpl-mpirun\" --launcher \"" HPL_MPIEXEC
                "\" --xhpl \"" HPL_XHPL_PATH "\" -n 1 \"$@\"\n");
  const Outcome outcome = fleet("--hosts n[1,3] --launcher ssh --dir reports --xhpl-mpirun " +
                                (directory() / "start").string() +
                                " --device cpu -N 100 --NB 32 --no-attainable --no-check");
  EXPECT_TRUE(ended_with(outcome, 1,
                         {"1 of 2 jobs passed", "left no report, see their .log: n3",
                          "xhpl report --merge --expect-hosts 'n[1,3]' reports/*.json"}));
  const json report = json_file("reports/n1.json")["fleet"];
  EXPECT_EQ(report["pass_list"], "n1");
}

TEST_F(FleetLauncher, BatchJobsThatNeverStartAreGivenUpAndThoseThatEndEarlyNamed) {
  // n1 passes, n2 is out of reach, n3 runs out of time, n4 is none of Slurm's hosts.
  write_program("sbatch",
                "#!/bin/bash\n"
                "for word; do case $word in --nodelist=*) host=${word#*=} ;; esac; done\n"
                "printf '%s\\n' \"$*\" >>sbatch.log\n"
                "case $host in\n"
                "n1) echo ' \"exit_code\": 0,' >reports/n1.json; echo '1;here' ;;\n"
                "n3) echo ' \"exit_code\": null,' >reports/n3.json; echo 3 ;;\n"
                "n4) echo 'Invalid node name specified' >&2; exit 1 ;;\n"
                "*) echo \"${host#n}\" ;;\n"
                "esac\n");
  write_program("squeue",
                "#!/bin/bash\n"
                "[ -e asked ] || { : >asked; echo 'Unable to contact slurm controller'; exit 1; }\n"
                "echo '1|COMPLETED|None'\n"
                "echo '2|PENDING|ReqNodeNotAvail, UnavailableNodes:n2'\n"
                "echo '3|TIMEOUT|TimeLimit'\n"
                "echo '77|RUNNING|None'\n");
  write_program("scancel",
                "#!/bin/bash\n"
                "echo \"$*\" >>cancelled\n");
  const Outcome outcome = fleet(
      "--hosts n[1-4] --launcher sbatch --dir reports --node-wait 1 --partition=gpu "
      "--gpus-per-node=8 -- -N 100");
  EXPECT_TRUE(
      ended_with(outcome, 1,
                 {"1 of 4 jobs passed; reports in reports\n", "failed: n3 (TIMEOUT)\n",
                  "n2 (never started, Slurm has not got the node), n4 (not taken by sbatch)\n"}));
  EXPECT_EQ(outcome.errors.find("Slurm does not answer"), outcome.errors.rfind("Slurm does not"))
      << describe(outcome);
  EXPECT_TRUE(shows(outcome, {"Unable to contact"}));
  EXPECT_EQ(read_file("cancelled"), "2\n");
  const std::string submitted = read_file("sbatch.log");
  for (const char* const word : {"--no-requeue", "--mem=0", "--partition=gpu", "--gpus-per-node=8"})
    EXPECT_NE(submitted.find(word), std::string::npos) << word << submitted;
}

TEST_F(FleetLauncher, AStepInALargeAllocationHasTheRanksAndCoresOfItsNode) {
  write_program("srun",
                "#!/bin/bash\n"
                "if [ \"$1\" = --mpi=list ]; then echo pmix; exit; fi\n"
                "echo \"$* ${SLURM_NTASKS:-none}\" >>srun.log\n");
  write_program("xhpl",
                "#!/bin/bash\n"
                "");
  const Outcome outcome = fleet("--dir reports -N 100", {{"SLURM_JOB_ID", "7"},
                                                         {"SLURM_JOB_NODELIST", "n[1-2]"},
                                                         {"SLURM_JOB_NUM_NODES", "2"},
                                                         {"SLURM_NTASKS", "16"},
                                                         {"SLURM_TASKS_PER_NODE", "8(x2)"}});
  EXPECT_TRUE(shows(outcome, {"0 of 2 jobs passed"}));
  const std::string steps = read_file("srun.log");
  EXPECT_NE(steps.find("-n 8 --ntasks-per-node=8 "), std::string::npos) << steps;
  EXPECT_NE(steps.find("--nodelist=n2"), std::string::npos) << steps;
  EXPECT_EQ(steps.find("-n 16"), std::string::npos) << steps;
  EXPECT_EQ(steps.find("--exact"), std::string::npos) << "one core a rank:" << steps;
  EXPECT_EQ(steps.find(" 16\n"), std::string::npos) << "of the whole allocation:" << steps;
}

TEST_F(FleetLauncher, IsACommandOfXhpl) {
  const auto by_job = [&](const Words& words) {
    return alone("fleet" + words, {{"PATH", HPL_SCRIPTS_DIR "/launch:/usr/bin:/bin"}});
  };
  const Outcome outcome = by_job("--by-job --hosts n[1-2] --launcher ssh --print node -N 100");
  EXPECT_TRUE(ended_with(outcome, 0, {" n2 cd", "\\ node\\ -N\\ 100"}));
  EXPECT_TRUE(refused(by_job("node --by-job"), "--by-job must be the first word"));
  const Outcome help = by_job("--by-job --help");
  EXPECT_TRUE(help.output.starts_with("Usage: xhpl fleet --by-job ")) << describe(help);
}

TEST_F(FleetLauncher, StartsTheRanksThatTheListGivesEachHost) {
  const Outcome counted = fleet("--hosts n1:8,fe80::1,n2,n2 --launcher ssh --print -N 100");
  EXPECT_TRUE(ended_with(
      counted, 0,
      {" n1 cd", "\\ -n\\ 8\\ fleet", " fe80::1 cd", "\\ -n\\ 1\\ fleet", "\\ -n\\ 2\\ fleet"}));
  write_file("hosts", "n1\nn2\n");
  const Outcome plain = fleet("--hostfile hosts --launcher ssh --print -N 100");
  EXPECT_TRUE(ended_with(plain, 0, {" n1 cd", " n2 cd"}));
  EXPECT_FALSE(shows(plain, {"-n\\ "}));
}

TEST_F(FleetLauncher, HostsComeInTheFormsOfSchedulers) {
  const Outcome outcome = fleet("--hosts r[1-2]n[08-10,12],login --launcher ssh --print -N 100");
  EXPECT_TRUE(ended_with(outcome, 0, {" r1n08 ", " r1n10 ", " r2n12 ", " login "}));
  for (const char* const list : {"n[1-2]x", "n[", "n[2-1]", "a,,b", "n[1]]", "n[1-2"}) {
    const Outcome refusal = fleet(Words{"--hosts", list} + "--launcher ssh --print");
    EXPECT_EQ(refusal.exit_code, 2) << list << describe(refusal);
    EXPECT_NE(refusal.errors.find("--hosts needs a list such as"), std::string::npos) << list;
  }
}

}  // namespace
}  // namespace hpl::test
