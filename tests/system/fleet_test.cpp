#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "xhpl_fixture.h"

namespace hpl::test {
namespace {

using nlohmann::json;

/// Each rank finds a host of four cores, whatever this machine has.
const std::string kManyCores = "HWLOC_SYNTHETIC=core:4 pu:1";

class Fleet : public XhplTest {
 protected:
  /// One rank on each of these hosts, with more before the program.
  Outcome on_hosts(const std::vector<Words>& hosts, const Words& arguments) {
    std::vector<Words> prefixes;
    for (const Words& host : hosts) {
      std::string libraries = HPL_OTHER_HOST;
      if (host.back().starts_with("XHPL_TEST_THREADS")) libraries += ":" HPL_FEW_THREADS;
      if (host.back().starts_with("XHPL_TEST_FLIP")) libraries += ":" HPL_OTHER_BLAS;
      prefixes.push_back(Words{"env", "LD_PRELOAD=" + libraries} + ("XHPL_TEST_HOST=" + host[0]) +
                         Words{host.begin() + 1, host.end()});
    }
    return mpirun_each(
        prefixes, "fleet" + arguments +
                      "--device cpu --no-attainable --no-check --share-cores --json fleet.json "
                      "--pass-list pass --warn-list warn --fail-list fail");
  }

  json document() const { return json_file("fleet.json"); }

  /// The verdict of each member, in their order: "n1 passed, n2 failed".
  std::string verdicts() const {
    std::string text;
    const json fleet = document()["fleet"];
    for (const json& member : fleet["members"])
      text += (text.empty() ? "" : ", ") + member["hosts"][0].get<std::string>() + " " +
              member["verdict"].get<std::string>();
    return text;
  }

  /// A fleet of n1, n2 and n3, of which a rank breaks as `order` says
  /// (tests/support/broken_mpi.cpp).
  Outcome broken(const std::string& order, const Words& arguments) {
    std::vector<Words> prefixes;
    for (const std::string host : {"n1", "n2", "n3"})
      prefixes.push_back({"env", "LD_PRELOAD=" HPL_OTHER_HOST ":" HPL_BROKEN_MPI,
                          "XHPL_TEST_HOST=" + host, order});
    return mpirun_each(prefixes,
                       "fleet -N 100 --NB 32 --threads 1 --device cpu --no-attainable --no-check "
                       "--share-cores --watchdog 1 --progress never --json fleet.json --pass-list "
                       "pass --fail-list fail" +
                           arguments);
  }
};

/// Nothing else sends messages in such a fleet: the first one brings a run to rank 0.
TEST_F(Fleet, AMemberThatStopsInARoundIsNamedAndTheOthersKeepTheirVerdicts) {
  const Outcome outcome = broken("XHPL_TEST_BREAK=1:1:stop", {});
  EXPECT_TRUE(ended_with(outcome, 3, {"no progress for 1 s; no answer from rank 1 on "}));
  EXPECT_EQ(verdicts(), "n1 passed, n2 failed, n3 passed");
  EXPECT_EQ(read_file("pass"), "n[1,3]\n");
  EXPECT_EQ(read_file("fail"), "n2\n");
  EXPECT_EQ(document()["exit_code"], 3);
}

TEST_F(Fleet, AMemberThatStopsBetweenRoundsIsNamedAndTheOthersKeepTheirVerdicts) {
  const Outcome outcome = broken("XHPL_TEST_STOP_AT_BARRIER=2:2", "--repeat 3");
  EXPECT_TRUE(ended_with(outcome, 3, {"no answer from rank 2 on "}));
  EXPECT_EQ(verdicts(), "n1 passed, n2 passed, n3 failed");
  EXPECT_EQ(read_file("pass"), "n[1-2]\n");
  EXPECT_EQ(read_file("fail"), "n3\n");
}

TEST_F(Fleet, WhereTheFirstRankStopsAnotherOneEndsTheJobAndTheResultsStay) {
  // It is let go on and killed soon after: on a crowded machine it needs more than a second.
  setenv("OMPI_MCA_odls_base_sigkill_timeout", "4", 1);
  const Outcome outcome = broken("XHPL_TEST_STOP_AT_BARRIER=0:2", "--repeat 3");
  unsetenv("OMPI_MCA_odls_base_sigkill_timeout");
  EXPECT_TRUE(ended_with(outcome, 3, {"no answer from rank 0 on "}));
  // Others kill it at once: the document is the last one that it wrote, with the runs of that
  // moment.
  if (kKillsAtOnce) return;
  const json fleet = document()["fleet"];
  for (const json& member : fleet["members"])
    EXPECT_GT(member["runs"].size(), 0U) << member["name"];
  // Let go on by the launcher, it hears what was said and writes it down.
  EXPECT_EQ(verdicts(), "n1 failed, n2 passed, n3 passed");
  EXPECT_EQ(document()["exit_code"], 3);
}

TEST_F(Fleet, RanksThatShareACoreAreRefusedBeforeAnythingIsMeasured) {
  const std::vector<Words> hosts(4, Words{"env", "HWLOC_SYNTHETIC=core:2 pu:1"});
  const Words job = "fleet -N 100 --NB 32 --no-attainable --no-check --json fleet.json --no-bind";
  EXPECT_TRUE(refused(mpirun_each(hosts, job),
                      ": ranks 0 and 1 share core 0: start with --bind-to none or fewer ranks; "
                      "--share-cores "));
  const Outcome shared = mpirun_each(hosts, job + "--share-cores --tolerance 0.001 --spreads 0");
  EXPECT_TRUE(ended_with(shared, 0, {"ranks share cores (--share-cores): no figure is compared"}));
  EXPECT_EQ(document()["fleet"]["fail_list"], "");
}

TEST_F(Fleet, EveryDeviceSolvesItsOwnSystem) {
  write_dat({.orders = {60}, .grid_rows = {2}, .grid_columns = {2}});  // not for one device
  const Outcome outcome =
      mpirun(4, "fleet -N 150 --NB 32 --repeat 2 --device cpu --json fleet.json --share-cores");
  ASSERT_EQ(outcome.exit_code, 0) << describe(outcome);
  const json fleet = document()["fleet"];
  ASSERT_EQ(fleet["members"].size(), 4U);
  for (const json& member : fleet["members"]) {
    EXPECT_EQ(member["verdict"], "passed");
    ASSERT_EQ(member["runs"].size(), 2U);
    EXPECT_EQ(member["runs"][1]["status"], "passed");
    EXPECT_LT(member["runs"][1]["residual"]["scaled"], 16);
  }
  EXPECT_EQ(fleet["fail_list"], "");

  const Outcome other =
      mpirun(2, "fleet device -N 151 --NB 32 --device cpu --share-cores --reference fleet.json");
  EXPECT_TRUE(refused(other, "fleet.json is of another run: N = 150.*N = 151"));
}

TEST_F(Fleet, ShowsWhatChangedSinceItsReference) {
  const auto again = [&](const Words& more) {
    return mpirun(2, "fleet -N 150 --NB 32 --device cpu --share-cores --tolerance 1000" + more);
  };
  const Outcome may = again("--json may.json");
  ASSERT_EQ(may.exit_code, 0) << describe(may);
  const Outcome june = again("--reference may.json --label image=new --page p.html");
  ASSERT_TRUE(
      ended_with(june, 0,
                 {"\nWhat changed since may.json\n", "\n  labels (device): none -> image=new\n",
                  "change %  noise %\n", "\nRates of 2 members: "}));
  EXPECT_NE(read_file("p.html").find(R"("from":"none","to":"image=new")"), std::string::npos);
}

// A sheet that no processor is as slow as.
TEST_F(Fleet, IsComparedWithTheRateOfADataSheet) {
  write_file("slow.json",
             R"({"schema_version": 1, "kind": "machine", "name": "an abacus",
                 "host": {"product_gflops": 0.2}, "node": {}})");
  const std::vector<Words> ranks(2, Words{"env", kManyCores});
  const Outcome outcome =
      mpirun_each(ranks,
                  "fleet -N 500 --NB 64 --device cpu --no-bind --no-attainable --expect slow.json "
                  "--json fleet.json --tolerance 1000");
  ASSERT_EQ(outcome.exit_code, 0) << describe(outcome);
  const json fleet = document()["fleet"];
  ASSERT_EQ(fleet["expectations"].size(), 1U);
  EXPECT_LT(fleet["expectations"][0]["most_gflops"], 0.3);
  EXPECT_TRUE(
      shows(outcome, {"by the data sheet of an abacus; median ", ": faster than expected"}));
  const Outcome bad = mpirun(2, "fleet -N 500 --device cpu --share-cores --expect none.json");
  EXPECT_TRUE(refused(bad, "none.json"));
}

TEST_F(Fleet, ANodeWithoutADeviceIsOnTheFailList) {
  const Outcome outcome =
      on_hosts({{"n01"}, {"n02"}, {"n03", "XHPL_TEST_THREADS=2"}, {"n04"}, {"n05"}, {"n06"}},
               {"node", "-N", "120", "--NB", "32", "--threads", "2", "--expect-hosts", "n[01-07]"});
  ASSERT_EQ(outcome.exit_code, 1) << describe(outcome);
  EXPECT_EQ(read_file("fail"), "n[03,07]\n");
  EXPECT_EQ(read_file("pass"), "n[01-02,04-06]\n");
  const json fleet = document()["fleet"];
  ASSERT_EQ(fleet["members"].size(), 5U);
  EXPECT_EQ(fleet["hosts"][2]["verdict"], "not run");
  EXPECT_EQ(fleet["hosts"][6]["verdict"], "missing");
}

TEST_F(Fleet, AWrongSolutionFailsItsNodeAndStopsNobody) {
  const Outcome outcome = on_hosts({{"n1"}, {"n2"}, {"n3"}},
                                   {"pair", "-N", "100", "--NB", "16", "--threshold", "1e-30"});
  ASSERT_EQ(outcome.exit_code, 1) << describe(outcome);
  const json fleet = document()["fleet"];
  ASSERT_EQ(fleet["members"].size(), 3U) << "every node with both its neighbours";
  for (const json& member : fleet["members"]) {
    EXPECT_EQ(member["hosts"].size(), 2U);
    EXPECT_EQ(member["runs"].size(), 1U);
    EXPECT_EQ(member["verdict"], "failed");
  }
  EXPECT_EQ(read_file("fail"), "n[1-3]\n");
}

TEST_F(Fleet, ChecksumsThatDisagreeFailTheirHost) {
  // A change that the residual does not show.
  const Outcome outcome =
      on_hosts({{"n1"}, {"n2", "XHPL_TEST_FLIP=1:3:50:20"}, {"n3"}},
               {"device", "-N", "300", "--NB", "32", "--threads", "1", "--verify", "1"});
  ASSERT_EQ(outcome.exit_code, 1) << describe(outcome);
  EXPECT_EQ(read_file("fail"), "n2\n");
  EXPECT_EQ(read_file("pass"), "n[1,3]\n");
  const json run = document()["fleet"]["members"][1]["runs"][0];
  EXPECT_EQ(run["status"], "failed");
  EXPECT_EQ(run["checksums"]["faults"][0]["rank"], 0) << "of the member";
  EXPECT_GT(run["checksums"]["comparisons"], 0);
  EXPECT_TRUE(shows(outcome, {"n2 cpu 0: run 1: checksums: disagree after step "}));
}

TEST_F(Fleet, GatesOnRpeakAndOnTheSpreadOfRanksAreJudged) {
  // The spread of two values is 200 % at most.
  const Words job =
      "fleet node -N 300 --NB 32 --threads 1 --device cpu --share-cores --rpeak 1e6 --max-spread "
      "201 "
      "--min-peak-efficiency";
  EXPECT_TRUE(ended_with(mpirun(2, job + "1e-9"), 0));
  const Outcome slow = mpirun(2, job + "99");
  EXPECT_TRUE(ended_with(slow, 4, {"--min-peak-efficiency 99 missed"}));
  EXPECT_FALSE(shows(slow, {"--max-spread"}));
}

TEST_F(Fleet, AJobThatDiesKeepsItsRunsAndNoEarlierLists) {
  write_file("pass", "old\n");
  write_file("fail", "old\n");
  write_file("rank", "echo $$ >process-" + kShellRank + "\nexec \"$@\"\n");
  write_file("job",
             "\"$@\" &\n"
             "until [ \"$(grep -c '\"status\"' fleet.json 2>/dev/null)\" -gt 4 ]; do\n"
             "  kill -0 $! || exit 5; sleep 0.05; done\n"
             "grep -q old pass fail && exit 6\n"
             "kill -KILL \"$(cat process-1)\"\n"
             "wait $!\n");
  const Outcome outcome =
      program(Words{"sh", "job", HPL_MPIEXEC, "-np", "2", "sh", "rank", HPL_XHPL_PATH} +
              "fleet device -N 500 --NB 64 --threads 1 --device cpu --share-cores --no-attainable "
              "--no-check "
              "--for 1h --json fleet.json --pass-list pass --fail-list fail");
  EXPECT_EQ(outcome.exit_code, kCodeOfAKilledRank) << describe(outcome);
  EXPECT_EQ(read_file("pass"), "") << "nobody is known to be sound";
  const json document = this->document();
  EXPECT_EQ(document["exit_code"], kKillsAtOnce ? json() : json(3));
  for (const json& member : document["fleet"]["members"])
    EXPECT_GT(member["runs"].size(), 0U) << member["name"];
}

TEST_F(Fleet, OrdinaryJobsOfNodesAreMergedIntoOneFleet) {
  for (const char* const host : {"n1", "n2", "n3"}) {
    const bool wrong = host == std::string("n2");
    const Outcome job = alone(
        "-N 300 --NB 32 --threads 1 --device cpu --no-attainable --no-check --repeat 2 --json " +
            std::string(host) + ".json",
        {{"LD_PRELOAD", HPL_OTHER_HOST ":" HPL_OTHER_BLAS},
         {"XHPL_TEST_HOST", host},
         {"XHPL_TEST_ADD", wrong ? "0:0:7:1" : "9:0:7:1"}});
    ASSERT_EQ(job.exit_code, wrong ? 1 : 0) << describe(job);
  }
  const Outcome merge = report(
      "--merge --expect-hosts n[1-4] n1.json n2.json n3.json -o fleet.json --pass-list pass "
      "--fail-list fail");
  ASSERT_EQ(merge.exit_code, 1) << "one failed, one is missing" << describe(merge);
  const json fleet = document()["fleet"];
  ASSERT_EQ(fleet["members"].size(), 3U);
  EXPECT_EQ(fleet["members"][0]["name"], "n1 cpu 0");
  EXPECT_EQ(fleet["members"][0]["runs"].size(), 2U);
  EXPECT_EQ(fleet["members"][1]["verdict"], "failed");
  EXPECT_EQ(fleet["hosts"][3]["verdict"], "missing");
  EXPECT_EQ(read_file("pass").find('2'), std::string::npos) << read_file("pass");

  const Outcome sound = report("--merge n1.json n3.json -o -");
  EXPECT_EQ(sound.exit_code, 0) << describe(sound);
}

TEST_F(Fleet, BadRequestsAreRefused) {
  EXPECT_TRUE(refused(mpirun(2, "fleet --share-cores -N 100,200"), "found 2 runs"));
  EXPECT_TRUE(refused(mpirun(2, "fleet pair --share-cores -N 100"), "needs two nodes"));
  EXPECT_TRUE(
      refused(mpirun(2, "fleet node --share-cores -N 100 -P 1 -Q 1"), "must take all 2 rank"));
}

}  // namespace
}  // namespace hpl::test
