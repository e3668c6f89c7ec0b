#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "xhpl_fixture.h"

namespace hpl::test {
namespace {

using nlohmann::json;

class Fleet : public XhplTest {
 protected:
  /// One rank on each of these hosts, with more before the program.
  Outcome on_hosts(const std::vector<std::vector<std::string>>& hosts,
                   std::vector<std::string> arguments) {
    std::vector<std::vector<std::string>> prefixes;
    for (const std::vector<std::string>& host : hosts) {
      std::vector<std::string> words{"env", "XHPL_TEST_HOST=" + host.front()};
      std::string libraries = HPL_OTHER_HOST;
      for (std::size_t i = 1; i < host.size(); ++i) {
        if (host[i].starts_with("XHPL_TEST_THREADS")) libraries += ":" HPL_FEW_THREADS;
        if (host[i].starts_with("XHPL_TEST_FLIP")) libraries += ":" HPL_OTHER_BLAS;
        words.push_back(host[i]);
      }
      words.push_back("LD_PRELOAD=" + libraries);
      prefixes.push_back(std::move(words));
    }
    const std::vector<std::string> always{
        "--device",    "cpu",  "--no-attainable", "--no-check", "--json",      "fleet.json",
        "--pass-list", "pass", "--warn-list",     "warn",       "--fail-list", "fail",
        "--tolerance", "1000"};
    arguments.insert(arguments.begin(), "fleet");
    arguments.insert(arguments.end(), always.begin(), always.end());
    return mpirun_each(prefixes, arguments);
  }

  json report() const { return json::parse(read_file("fleet.json")); }
};

TEST_F(Fleet, EveryDeviceSolvesItsOwnSystem) {
  write_dat({.orders = {60}, .grid_rows = {2}, .grid_columns = {2}});  // not for one device
  const Outcome outcome =
      mpirun(4, {"fleet", "-N", "150", "--NB", "32", "--repeat", "2", "--device", "cpu", "--json",
                 "fleet.json", "--tolerance", "1000"});
  ASSERT_EQ(outcome.exit_code, 0) << describe(outcome);
  const json fleet = report()["fleet"];
  ASSERT_EQ(fleet["members"].size(), 4U);
  for (const json& member : fleet["members"]) {
    EXPECT_EQ(member["verdict"], "passed");
    ASSERT_EQ(member["runs"].size(), 2U);
    EXPECT_EQ(member["runs"][1]["status"], "passed");
    EXPECT_LT(member["runs"][1]["residual"]["scaled"], 16);
  }
  EXPECT_EQ(fleet["fail_list"], "");

  const Outcome other = mpirun(2, {"fleet", "device", "-N", "151", "--NB", "32", "--device", "cpu",
                                   "--reference", "fleet.json"});
  EXPECT_TRUE(refused(other, "fleet.json is of another run: N = 150.*N = 151"));
}

TEST_F(Fleet, ShowsWhatChangedSinceItsReference) {
  const std::vector<std::string> words{"fleet",    "-N",  "150",         "--NB", "32",
                                       "--device", "cpu", "--tolerance", "1000"};
  const auto again = [&](std::vector<std::string> more) {
    more.insert(more.begin(), words.begin(), words.end());
    return mpirun(2, more);
  };
  const Outcome may = again({"--json", "may.json"});
  ASSERT_EQ(may.exit_code, 0) << describe(may);
  const Outcome june =
      again({"--reference", "may.json", "--label", "image=new", "--page", "p.html"});
  ASSERT_EQ(june.exit_code, 0) << describe(june);
  for (const char* const line :
       {"\nWhat changed since may.json\n", "\n  labels (device): none -> image=new\n",
        "change %  noise %\n", "\nRates of 2 members: "})
    EXPECT_NE(june.output.find(line), std::string::npos) << line << describe(june);
  EXPECT_NE(read_file("p.html").find(R"("from":"none","to":"image=new")"), std::string::npos);
}

// A sheet that no processor is as slow as.
TEST_F(Fleet, IsComparedWithTheRateOfADataSheet) {
  write_file("slow.json",
             R"({"schema_version": 1, "kind": "machine", "name": "an abacus",
                 "host": {"product_gflops": 0.2}, "node": {}})");
  const Outcome outcome =
      mpirun(2, {"fleet", "-N", "500", "--NB", "64", "--device", "cpu", "--expect", "slow.json",
                 "--json", "fleet.json", "--tolerance", "1000"});
  ASSERT_EQ(outcome.exit_code, 0) << describe(outcome);
  const json fleet = report()["fleet"];
  ASSERT_EQ(fleet["expectations"].size(), 1U);
  EXPECT_LT(fleet["expectations"][0]["most_gflops"], 0.3);
  EXPECT_NE(outcome.output.find("by the data sheet of an abacus; median "), std::string::npos);
  EXPECT_NE(outcome.output.find(": faster than expected"), std::string::npos) << describe(outcome);
  const Outcome bad = mpirun(2, {"fleet", "-N", "500", "--device", "cpu", "--expect", "none.json"});
  EXPECT_TRUE(refused(bad, "none.json"));
}

TEST_F(Fleet, ANodeWithoutADeviceIsOnTheFailList) {
  const Outcome outcome =
      on_hosts({{"n01"}, {"n02"}, {"n03", "XHPL_TEST_THREADS=2"}, {"n04"}, {"n05"}, {"n06"}},
               {"node", "-N", "120", "--NB", "32", "--threads", "2", "--expect-hosts", "n[01-07]"});
  ASSERT_EQ(outcome.exit_code, 1) << describe(outcome);
  EXPECT_EQ(read_file("fail"), "n[03,07]\n");
  EXPECT_EQ(read_file("pass"), "n[01-02,04-06]\n");
  const json fleet = report()["fleet"];
  ASSERT_EQ(fleet["members"].size(), 5U);
  EXPECT_EQ(fleet["hosts"][2]["verdict"], "not run");
  EXPECT_EQ(fleet["hosts"][6]["verdict"], "missing");
}

TEST_F(Fleet, AWrongSolutionFailsItsNodeAndStopsNobody) {
  const Outcome outcome = on_hosts({{"n1"}, {"n2"}, {"n3"}},
                                   {"pair", "-N", "100", "--NB", "16", "--threshold", "1e-30"});
  ASSERT_EQ(outcome.exit_code, 1) << describe(outcome);
  const json fleet = report()["fleet"];
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
  const json run = report()["fleet"]["members"][1]["runs"][0];
  EXPECT_EQ(run["status"], "failed");
  EXPECT_EQ(run["checksums"]["faults"][0]["rank"], 0) << "of the member";
  EXPECT_GT(run["checksums"]["comparisons"], 0);
  EXPECT_NE(outcome.output.find("n2 cpu 0: run 1: checksums: disagree after step "),
            std::string::npos)
      << describe(outcome);
}

TEST_F(Fleet, GatesOnRpeakAndOnTheSpreadOfRanksAreJudged) {
  // The spread of two values is 200 % at most.
  const std::vector<std::string> job{"fleet",        "node",    "-N",
                                     "300",          "--NB",    "32",
                                     "--threads",    "1",       "--device",
                                     "cpu",          "--rpeak", "1e6",
                                     "--max-spread", "201",     "--min-peak-efficiency"};
  std::vector<std::string> held = job, missed = job;
  held.emplace_back("1e-9");
  missed.emplace_back("99");
  const Outcome sound = mpirun(2, held);
  EXPECT_EQ(sound.exit_code, 0) << describe(sound);
  const Outcome slow = mpirun(2, missed);
  EXPECT_EQ(slow.exit_code, 4) << describe(slow);
  EXPECT_NE(slow.output.find("--min-peak-efficiency 99 missed"), std::string::npos)
      << describe(slow);
  EXPECT_EQ(slow.output.find("--max-spread"), std::string::npos) << describe(slow);
}

TEST_F(Fleet, WhatIsNotCheckedIsInNoListAndCarriesItsArithmetic) {
  const Outcome outcome = on_hosts({{"n1"}}, {"device", "-N", "100", "--NB", "32", "--threshold",
                                              "0", "--arithmetic", "emulated:14"});
  ASSERT_EQ(outcome.exit_code, 1) << describe(outcome);
  for (const char* const list : {"pass", "warn", "fail"})
    EXPECT_EQ(read_file(list), "") << list;
  for (const char* const line :
       {"\n1 of 1 host not checked: n1\n", "\narithmetic: FP64 emulated by 14 INT8 products"})
    EXPECT_NE(outcome.output.find(line), std::string::npos) << line << describe(outcome);
  EXPECT_EQ(report()["fleet"]["spec"]["emulated_moduli"], 14);
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
  const Outcome outcome = run({.words = {"sh",
                                         "job",
                                         HPL_MPIEXEC,
                                         "-np",
                                         "2",
                                         "sh",
                                         "rank",
                                         HPL_XHPL_PATH,
                                         "fleet",
                                         "device",
                                         "-N",
                                         "500",
                                         "--NB",
                                         "64",
                                         "--threads",
                                         "1",
                                         "--device",
                                         "cpu",
                                         "--no-attainable",
                                         "--no-check",
                                         "--for",
                                         "1h",
                                         "--json",
                                         "fleet.json",
                                         "--pass-list",
                                         "pass",
                                         "--fail-list",
                                         "fail"},
                               .directory = directory(),
                               .environment = {}});
  EXPECT_EQ(outcome.exit_code, kCodeOfAKilledRank) << describe(outcome);
  EXPECT_EQ(read_file("pass"), "") << "nobody is known to be sound";
  const json document = report();
  EXPECT_EQ(document["exit_code"], kHydra ? json() : json(3));
  for (const json& member : document["fleet"]["members"])
    EXPECT_GT(member["runs"].size(), 0U) << member["name"];
}

TEST_F(Fleet, OrdinaryJobsOfNodesAreMergedIntoOneFleet) {
  for (const char* const host : {"n1", "n2", "n3"}) {
    const bool wrong = host == std::string("n2");
    const Outcome job = run({.words = {HPL_XHPL_PATH, "-N", "300", "--NB", "32", "--threads", "1",
                                       "--device", "cpu", "--no-attainable", "--no-check",
                                       "--repeat", "2", "--json", std::string(host) + ".json"},
                             .directory = directory(),
                             .environment = {{"LD_PRELOAD", HPL_OTHER_HOST ":" HPL_OTHER_BLAS},
                                             {"XHPL_TEST_HOST", host},
                                             {"XHPL_TEST_ADD", wrong ? "0:0:7:1" : "9:0:7:1"}}});
    ASSERT_EQ(job.exit_code, wrong ? 1 : 0) << describe(job);
  }
  const Outcome merge =
      run({.words = {HPL_REPORT_PATH, "--merge", "--expect-hosts", "n[1-4]", "n1.json", "n2.json",
                     "n3.json", "-o", "fleet.json", "--pass-list", "pass", "--fail-list", "fail"},
           .directory = directory(),
           .environment = {}});
  ASSERT_EQ(merge.exit_code, 1) << "one failed, one is missing" << describe(merge);
  const json fleet = report()["fleet"];
  ASSERT_EQ(fleet["members"].size(), 3U);
  EXPECT_EQ(fleet["members"][0]["name"], "n1 cpu 0");
  EXPECT_EQ(fleet["members"][0]["runs"].size(), 2U);
  EXPECT_EQ(fleet["members"][1]["verdict"], "failed");
  EXPECT_EQ(fleet["hosts"][3]["verdict"], "missing");
  EXPECT_EQ(read_file("pass").find('2'), std::string::npos) << read_file("pass");

  const Outcome sound = run({.words = {HPL_REPORT_PATH, "--merge", "n1.json", "n3.json", "-o", "-"},
                             .directory = directory(),
                             .environment = {}});
  EXPECT_EQ(sound.exit_code, 0) << describe(sound);
}

TEST_F(Fleet, BadRequestsAreRefused) {
  EXPECT_TRUE(refused(mpirun(2, {"fleet", "-N", "100,200"}), "found 2 runs"));
  EXPECT_TRUE(refused(mpirun(2, {"fleet", "pair", "-N", "100"}), "needs two nodes"));
  EXPECT_TRUE(refused(mpirun(2, {"fleet", "node", "-N", "100", "-P", "1", "-Q", "1"}),
                      "must take all 2 rank"));
}

}  // namespace
}  // namespace hpl::test
