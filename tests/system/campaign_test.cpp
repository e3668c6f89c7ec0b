#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "hpl/fleet/judge/fleet_json.h"
#include "hpl/run/report/json_report.h"
#include "unit/check/findings/made_up_cluster.h"
#include "unit/fleet/sample_fleet.h"
#include "unit/report/fixed_results.h"
#include "xhpl_fixture.h"

namespace hpl::test {
namespace {

using nlohmann::json;

/// The report of a check that found nothing, one rank a host.
std::string sound_check(const std::vector<std::string>& hosts) {
  std::vector<RankRecord> ranks = sound_cluster(static_cast<int>(hosts.size()), 1);
  for (RankRecord& rank : ranks)
    rank.host = hosts.at(rank.rank);
  return json_text(to_json_value(CheckDocument{.program = {.name = "xhpl", .version = "1.2.3"},
                                               .check = judge(CheckForm::Full, ranks, {0.05})}));
}

/// The report of a run that passed. `disturbed`: beside other processes.
std::string passed_run(bool disturbed) {
  JobReport job{.header = fixed_header(),
                .hosts = {{.name = "node01"}, {.name = "node02"}},
                .exit_code = ExitCode::Passed};
  job.runs = {passing_run()};
  if (disturbed) job.runs.front().others = OtherProcesses{"node01", 0.94};
  job.plan = {job.runs.front().spec};
  job.tally.passed = 1;
  return to_json(job);
}

/// xhpl campaign on simulated hosts: a rank is a host.
class Campaign : public XhplTest {
 protected:
  /// A starter that keeps the commands of all steps in `started`. The products of n2 are wrong. The
  /// check is a made-up one: it would find that simulated hosts share their cores.
  void write_starter(const std::vector<std::string>& hosts = {"n1", "n2", "n3", "n4"}) {
    write_file("check", sound_check(hosts));
    write_program("start",
                  "#!/bin/bash\n"
                  "xhpl=$2 hosts=$4; shift 5; echo \"$hosts: $*\" >>started\n"
                  "names=$(\"" HPL_SCRIPTS_DIR
                  "/launch/xhpl-fleet\" --hosts \"$hosts\" --names)\n"
                  "if [ $1 = check ]; then exec cp check all/check.json; fi\n"
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
    const Words words{HPL_CAMPAIGN_PATH,
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
      outcome, {"\ndevice  failed, passed n[1,3-4], failed n2: n2 cpu 0: ",
                "\nnode    skipped: a node has one rank", "\npair    passed, passed n[1,3-4]\n",
                "\nwhole   passed, 1 of 1 run passed, best ", "\nCampaign: failed\n"}));
  EXPECT_TRUE(read_file("all/verdict.txt").starts_with("Campaign: failed\ncheck   "));
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
  write_starter({"n1", "n3", "n4"});
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
  EXPECT_GE(lines["check"].size(), 3U) << "ranks, and links between them";
  lines.erase("check");
  EXPECT_EQ(lines, expected);
  EXPECT_EQ(split_lines(read_file("history.csv")).size(), 1 + 2 * 13U);
  EXPECT_NE(read_file("history.html").find("\"history\":true"), std::string::npos);
}

TEST_F(Campaign, OnOneMachineSkipsWhatWouldBeTheWhole) {
  write_starter({"n1"});
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
  EXPECT_TRUE(shows(
      outcome, {"\ndevice  failed, passed n[1,4], failed n2: n2 cpu 0: run 1: checksums: second ",
                "\nwhole   passed, 1 of 1 run passed", "\ndenied  failed, n3\n"}));
  EXPECT_TRUE(shows(in_allocation({}), {"\ndenied  failed, n3\n"})) << "denied hosts stay so";
  EXPECT_TRUE(refused(in_allocation("--deny n7"), "--deny must name hosts.*found n7"));
}

TEST_F(Campaign, IsACommandOfXhpl) {
  const Outcome help = program({HPL_XHPL_PATH, "campaign", "--help"});
  EXPECT_TRUE(help.output.starts_with("xhpl campaign: accept a machine")) << describe(help);
  EXPECT_TRUE(
      refused(program({HPL_CAMPAIGN_PATH, "-N", "100"}), "-o must say where the campaign's files"));
  EXPECT_TRUE(refused(program({HPL_CAMPAIGN_PATH, "june"}), "files go; did you mean -o june\\?"));
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
    EXPECT_NE(read_file("started").find(" --hosts n[1-2] --per-node 2 -- check "),
              std::string::npos)
        << read_file("started");
  }
  EXPECT_TRUE(
      refused(campaign("--hosts n1:2,n2:4"), "equally many slots on each host, found 2 and 4"));
  EXPECT_TRUE(refused(campaign("--hosts n1:2 --per-node 3"), "2 slots each, found --per-node 3"));
}

TEST_F(Campaign, AMistypedFlagOfAnyStepLeavesNothingBehind) {
  write_program("start", "#!/bin/bash\ntouch started\n");
  for (const auto& [flags, message] : {
           std::pair("--hots 3", "check: unknown argument \"--hots\""),
           std::pair("--run-flags --atuo",
                     "whole: unknown argument \"--atuo\", did you mean --auto"),
           std::pair("--fleet-flags --atuo", "fleet: unknown argument \"--atuo\""),
       })
    EXPECT_TRUE(refused(campaign("--hosts n[1-2] " + std::string(flags)), message)) << flags;
  EXPECT_FALSE(std::filesystem::exists(directory() / "all"));
  EXPECT_FALSE(std::filesystem::exists(directory() / "started"));
}

TEST_F(Campaign, InputThatRanksRefuseLeavesNothingBehind) {
  write_program("start",
                "#!/bin/bash\necho 'xhpl: --dat: cannot read none' >&2\n"
                "echo 'Process name: [[1,1],0]' >&2\nexit 2\n");
  EXPECT_TRUE(ended_with(campaign("--hosts n[1-2] --dat none"), 2,
                         {"\nxhpl campaign: check: xhpl: --dat: cannot read none (nothing of this "
                          "step was kept in all)\n"}));
  EXPECT_FALSE(std::filesystem::exists(directory() / "all"));
}

/// Campaigns of two hosts with one rank each, whose documents are made up.
class MadeUpCampaign : public Campaign {
 protected:
  /// `whole` is what the starter does for the whole.
  void write_passing_starter(const std::string& whole) {
    write_file("check", sound_check({"node01", "node02"}));
    FleetReport fleet = sample_fleet(2, 1);
    judge_fleet(fleet);
    fleet.exit_code = exit_code_of(fleet);
    write_file("device", fleet_json(fleet));
    write_file("run", passed_run(false));
    write_file("disturbed", passed_run(true));
    write_program("start",
                  "#!/bin/bash\n"
                  "while [ $1 != -- ]; do shift; done; shift\n"
                  "echo $1 >>started\n"
                  "case $1 in\n"
                  "  check) cp check all/check.json ;;\n"
                  "  fleet) cp device all/device.json ;;\n"
                  "  run) " +
                      whole +
                      " ;;\n"
                      "esac\n");
  }
  Outcome of_two(const Words& more = {}) { return campaign(Words("--hosts node[01-02]") + more); }
};

TEST_F(MadeUpCampaign, AStepThatOtherProcessesDisturbedIsMadeAgain) {
  write_passing_starter("[ -e quiet ] && cp run all/whole.json || cp disturbed all/whole.json");
  const Outcome outcome = of_two();
  EXPECT_TRUE(ended_with(outcome, 3, {"\nCampaign: repeat\n", "start again"}));
  EXPECT_TRUE(shows(outcome, {"\nreservations  whole: the rates are no measure of this machine: "
                              "other processes took up to 94 % of the cores of node01"}));
  EXPECT_EQ(json_file("all/campaign.json")["steps"].back()["verdict"], "repeat");
  write_file("quiet", "");
  write_file("started", "");
  EXPECT_TRUE(ended_with(of_two(), 0, {"\nCampaign: passed\n"}));
  EXPECT_EQ(read_file("started"), "run\n") << "the other steps were measured";
}

TEST_F(MadeUpCampaign, FlagsOfAStepThatWasNotMadeYetMayChange) {
  write_passing_starter(
      "[ -e right ] || { echo 'xhpl: no such file' >&2; exit 2; }; cp run all/whole.json");
  EXPECT_TRUE(refused(of_two("--run-flags --auto"), "whole: xhpl: no such file"));
  write_file("right", "");
  EXPECT_EQ(of_two("--run-flags --auto").exit_code, 0);
  const std::string document = read_file("all/campaign.json");
  EXPECT_TRUE(refused(of_two("--run-flags -N=3"), "is of a campaign with other settings"));
  EXPECT_EQ(read_file("all/campaign.json"), document) << "refused commands change nothing";
}

TEST_F(MadeUpCampaign, ReadersTakeItsDocument) {
  write_passing_starter("cp run all/whole.json");
  ASSERT_EQ(of_two().exit_code, 0);
  const json campaign = json_file("all/campaign.json");
  EXPECT_EQ(campaign["verdict"], "passed");
  EXPECT_EQ(campaign["steps"].size(), 5U);
  EXPECT_EQ(campaign["steps"][2]["reason"], "a node has one rank, as a device");
  const Outcome text = report("all/campaign.json");
  EXPECT_TRUE(ended_with(text, 0,
                         {"PASSED: campaign on node[01-02]\n3 of 3 steps passed", "PASSED: check",
                          "PASSED: fleet", "PASSED: run"}));
  ASSERT_EQ(report("all/campaign.json -o sheet.html").exit_code, 0);
  EXPECT_EQ(read_file("sheet.html").find("<section class=\"sheet good\">") == std::string::npos,
            false);
  const Outcome junit = report("all/campaign.json --format junit");
  EXPECT_TRUE(shows(junit, {"<testcase classname=\"xhpl.campaign.step\" name=\"whole\""}));
  std::filesystem::copy(directory() / "all", directory() / "june");
  const Outcome changes = alone("compare all/campaign.json june");
  EXPECT_TRUE(ended_with(changes, 0, {"all/campaign.json", "Each rank and link"}));
}

TEST_F(MadeUpCampaign, WithoutChecksAsItWasAskedForIsNotWrong) {
  write_passing_starter("cp unchecked all/whole.json");
  json run = json_file("run");
  run["runs"][0]["residual"] = nullptr;
  run["runs"][0]["spec"]["threshold"] = 0;
  run["plan"][0]["threshold"] = 0;
  write_file("unchecked", run.dump());
  EXPECT_TRUE(ended_with(of_two(), 0, {"\nCampaign: not checked\n"}));
}

TEST_F(MadeUpCampaign, ASheetIsNoBetterThanItsCampaign) {
  write_passing_starter("echo 'xhpl: rank 1 is gone' >&2; exit 3");
  EXPECT_EQ(of_two().exit_code, 3);
  const json campaign = json_file("all/campaign.json");
  EXPECT_EQ(campaign["verdict"], "ended early");
  EXPECT_EQ(campaign["steps"].back()["name"], "whole");
  EXPECT_EQ(campaign["steps"].back()["exit_code"], 3);
  ASSERT_EQ(report("all/campaign.json -o sheet.html").exit_code, 0);
  EXPECT_NE(read_file("sheet.html").find("ENDED EARLY"), std::string::npos);
  EXPECT_TRUE(shows(report("all/campaign.json"), {"ENDED EARLY: campaign"}));
}

TEST_F(MadeUpCampaign, OwnsItsDirectoryAndEndsItsStepWithItself) {
  write_passing_starter("echo $$ >pid; trap 'echo ended >trapped; exit 3' TERM; sleep 5 & wait");
  const std::string command = fmt::format(
      "'{}' -o all --hosts node[01-02] --xhpl-mpirun ./start >out 2>&1 & campaign=$!\n"
      "while [ ! -s pid ]; do sleep 0.1; done\n"
      "'{}' -o all --hosts node[01-02] --xhpl-mpirun ./start; echo \"second $?\"\n"
      "kill -$1 $campaign; wait $campaign; echo \"first $?\"; cat trapped\n",
      HPL_CAMPAIGN_PATH, HPL_CAMPAIGN_PATH);
  for (const char* const signal : {"TERM", "INT", "HUP"}) {
    std::filesystem::remove(directory() / "pid");
    // A job in the background of a shell ignores SIGINT: the shell of another user does not.
    const Outcome outcome = shell("set -m\n" + command, {"sh", signal});
    EXPECT_TRUE(shows(outcome, {"all is in use by process ", "second 2\n", "first 3\n", "ended\n"}))
        << describe(outcome);
    EXPECT_NE(read_file("out").find(fmt::format("whole: SIG{} ended it; start again", signal)),
              std::string::npos)
        << read_file("out");
    const json campaign = json_file("all/campaign.json");
    EXPECT_EQ(campaign["exit_code"], 3);
    EXPECT_EQ(campaign["steps"].back()["verdict"], "ended early");
  }
}

TEST_F(Campaign, HostsOfWhichNoneAnswersAreNotDenied) {
  write_program("start",
                "#!/bin/bash\necho 'ssh: connect to host n1: no route' >&2\n"
                "echo 'ssh: connect to host n2: no route' >&2\nexit 3\n");
  const Outcome outcome = campaign("--hosts n[1-2]");
  EXPECT_TRUE(ended_with(outcome, 3, {"see all/check.txt; start again to go on\n"}));
  EXPECT_FALSE(shows(outcome, {"--deny"}));
}

}  // namespace
}  // namespace hpl::test
