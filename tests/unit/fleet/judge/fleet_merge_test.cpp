#include "hpl/fleet/judge/fleet_merge.h"

#include <algorithm>
#include <ctime>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "hpl/base/error/error.h"
#include "hpl/base/record/record.h"
#include "hpl/report/result/run_failures.h"
#include "support/message_of.h"
#include "unit/fleet/sample_fleet.h"

namespace hpl {
namespace {

/// A report of every host by itself.
std::vector<FleetReport> one_by_one(const FleetReport& fleet) {
  std::vector<FleetReport> reports;
  FleetReport alone = fleet;
  alone.hosts.clear();
  alone.members.clear();
  auto member = fleet.members.begin();
  for (const FleetHost& host : fleet.hosts) {
    FleetReport report = alone;
    report.hosts = {host};
    for (; member != fleet.members.end() && member->hosts[0] == host.name; ++member)
      report.members.push_back(*member);
    judge_fleet(report);
    report.exit_code = exit_code_of(report);
    reports.push_back(std::move(report));
  }
  return reports;
}

/// The ordinary job of a member, as `xhpl --json` writes it.
JobReport job_of(const FleetReport& fleet, const FleetMember& member) {
  JobReport job;
  job.header = fleet.header;
  for (const FleetHost& host : fleet.hosts)
    if (std::ranges::find(member.hosts, host.name) != member.hosts.end()) job.hosts.push_back(host);
  job.devices = member.devices;
  for (std::size_t rank = 0; rank < job.devices.size(); ++rank)
    job.devices[rank].rank = static_cast<int>(rank);
  job.plan = {fleet.spec};
  job.runs = member.runs;
  job.gates = judge(fleet.thresholds.gates, job.runs);
  const auto is_wrong = [](const RunResult& run) { return !run_failures(run).empty(); };
  job.exit_code = exit_code_of({.wrong = std::ranges::any_of(job.runs, is_wrong),
                                .slow = !std::ranges::all_of(job.gates, &GateResult::held)});
  return job;
}

/// Through the document and back.
FleetReport read_back(const JobReport& job) {
  const JsonCursor::Json document = to_json_value(job);
  return fleet_of(from_json_value<JobReport>(JsonCursor(document, "a.json")), "a.json");
}

/// The verdicts on members and hosts, a line each.
std::string verdicts_of(const FleetReport& fleet) {
  std::string text;
  const auto add = [&](const auto& one) {
    text += fmt::format("{}: {}\n", one.name, to_string(one.verdict));
    for (const Finding& finding : one.findings)
      text += fmt::format("  {} {} {}\n", name_of(kSeverities, finding.severity),
                          name_of(kBases, finding.basis), finding.text);
  };
  for (const FleetMember& member : fleet.members)
    add(member);
  for (const FleetHost& host : fleet.hosts)
    add(host);
  for (const Remark& remark : fleet.remarks)
    text += remark.text + "\n";
  return text + fleet.pass_list + " | " + fleet.warn_list + " | " + fleet.fail_list;
}

TEST(FleetMerge, OneJobAMemberOneANodeAndOneOfAllGiveTheSameVerdict) {
  FleetReport fleet = test::sample_fleet(5, 2);
  fleet.thresholds.gates.min_gflops = 30;
  test::set_rates(fleet.members[2], fleet.spec, {70, 70, 70});    // below its peers
  test::set_rates(fleet.members[4], fleet.spec, {20, 100, 100});  // below the gate once
  fleet.members[7].runs[1].residual->scaled = 99;
  fleet.members[9].runs[2].residual.reset();
  fleet.members[0].runs[0].devices[0].sensors.uncorrected_errors = 3;
  judge_fleet(fleet);
  ASSERT_EQ(fleet.fail_list, "node[01-04]");
  std::vector<FleetReport> members;
  for (const FleetMember& member : fleet.members)
    members.push_back(read_back(job_of(fleet, member)));
  // Each job knows the host as a whole.
  EXPECT_EQ(verdicts_of(merge_fleets(members)), verdicts_of(fleet));
  EXPECT_EQ(verdicts_of(merge_fleets({fleet})), verdicts_of(fleet));
  const std::vector<FleetReport> nodes = one_by_one(fleet);
  EXPECT_EQ(merge_fleets(nodes).fail_list, fleet.fail_list);
  for (std::size_t i = 0; i < fleet.members.size(); ++i)
    EXPECT_EQ(merge_fleets(nodes).members[i].verdict, fleet.members[i].verdict);
}

TEST(FleetMerge, AnOrdinaryJobIsADeviceANodeOrAPairByItsRanksAndHosts) {
  const FleetReport fleet = test::sample_fleet(2, 2);
  FleetMember node = fleet.members[0];
  node.devices.push_back(fleet.members[1].devices[0]);
  const FleetReport of_node = read_back(job_of(fleet, node));
  EXPECT_EQ(of_node.each, FleetMemberKind::Node);
  EXPECT_EQ(of_node.members[0].name, "node01");
  EXPECT_EQ(of_node.members[0].kind, "2 x NVIDIA H100");
  FleetMember pair = node;
  pair.hosts = {"node01", "node02"};
  pair.devices[1] = fleet.members[2].devices[0];
  const FleetReport of_pair = read_back(job_of(fleet, pair));
  EXPECT_EQ(of_pair.each, FleetMemberKind::Pair);
  EXPECT_EQ(of_pair.members[0].name, "node01 node02");
  EXPECT_EQ(of_pair.hosts.size(), 2U);
}

TEST(FleetMerge, OrdinaryJobsThatCannotBeMembersAreRefused) {
  const FleetReport fleet = test::sample_fleet(3, 1);
  const auto refusal = [&](const auto& change) -> std::string {
    JobReport job = job_of(fleet, fleet.members[0]);
    change(job);
    return test::message_of<ConfigError>([&] { read_back(job); });
  };
  EXPECT_EQ(refusal([](JobReport& job) { job.devices.clear(); }),
            "a.json: --merge takes reports with hosts and devices, found none; xhpl "
            "1.2.3 wrote it");
  EXPECT_EQ(refusal([&](JobReport& job) { job.hosts.assign(3, job.hosts[0]); }),
            "a.json: --merge takes jobs of one host or of two, found 3 hosts");
  EXPECT_EQ(refusal([](JobReport& job) { job.plan.push_back(job.plan[0]); }),
            "a.json: --merge takes jobs with repetitions of one run, found 2 runs");
}

TEST(FleetMerge, AnOrdinaryJobThatFailedOrDiedTakesItsHostWithIt) {
  const FleetReport fleet = test::sample_fleet(4, 1);
  std::vector<FleetReport> jobs;
  for (const FleetMember& member : fleet.members)
    jobs.push_back(fleet_of(job_of(fleet, member), "a.json"));
  JobReport failed = job_of(fleet, fleet.members[1]), died = job_of(fleet, fleet.members[2]);
  failed.exit_code = ExitCode::Failed;  // for a reason that its runs do not show
  died.exit_code.reset();
  died.runs.pop_back();
  jobs[1] = fleet_of(failed, "b.json");
  jobs[2] = fleet_of(died, "c.json");
  const FleetReport merged = merge_fleets(jobs);
  EXPECT_EQ(merged.pass_list, "node[01,04]") << "the others' results stay";
  EXPECT_EQ(merged.fail_list, "node[02-03]");
  EXPECT_EQ(merged.hosts[1].findings.at(0).text, "failed in its own job");
  EXPECT_EQ(merged.hosts[2].findings.at(0).text, "its job did not come to its end");
  EXPECT_EQ(merged.members[2].runs.size(), 2U) << "so do those that it made";
  EXPECT_EQ(merged.exit_code, ExitCode::Failed);
}

TEST(FleetMerge, AnOrdinaryJobThatWasSlowLeavesASlowFleet) {
  const FleetReport fleet = test::sample_fleet(3, 1);
  std::vector<FleetReport> jobs;
  for (const FleetMember& member : fleet.members)
    jobs.push_back(fleet_of(job_of(fleet, member), "a.json"));
  JobReport slow = job_of(fleet, fleet.members[1]);
  slow.exit_code = ExitCode::Slow;  // for a reason that its runs do not show
  jobs[1] = fleet_of(slow, "b.json");
  const FleetReport merged = merge_fleets(jobs);
  EXPECT_EQ(merged.fail_list, "node02");
  EXPECT_EQ(merged.exit_code, ExitCode::Slow);
  EXPECT_EQ(merge_fleets({merged}).exit_code, ExitCode::Slow);
}

TEST(FleetMerge, AHostThatWasWarnedInItsOwnJobDoesNotPass) {
  FleetReport fleet = test::judged_fleet(4, 2, {{1, {93, 93, 93}}});
  ASSERT_EQ(fleet.warn_list, "node01");
  FleetReport other = test::sample_fleet(4, 2);
  other.started.seconds += 1000;
  for (FleetMember& member : other.members)
    for (RunResult& run : member.runs)
      run.started += 1000;
  judge_fleet(other);
  other.exit_code = fleet.exit_code = ExitCode::Passed;
  const FleetReport merged = merge_fleets({fleet, other});
  EXPECT_EQ(merged.members[1].verdict, Verdict::Passed) << "over all of its runs";
  EXPECT_EQ(merged.warn_list, "node01");
  EXPECT_TRUE(merged.hosts[0].findings.at(0).text.starts_with(
      "warned in its own job: node01 cuda 1: rate 93"))
      << merged.hosts[0].findings[0].text;
  EXPECT_EQ(merge_fleets({merged}).warn_list, "node01");
  EXPECT_EQ(merged.exit_code, ExitCode::Passed);
}

TEST(FleetMerge, AThousandJobsAreJudgedInSecondsAndKeepNoStepOfTheirRuns) {
  FleetReport fleet = test::sample_fleet(1000, 1);
  test::set_rates(fleet.members[500], fleet.spec, {50, 50, 50});
  JobReport job;
  std::vector<FleetReport> jobs;
  const std::clock_t begin = std::clock();  // of this process: others may compute beside it
  for (const FleetMember& member : fleet.members) {
    job = job_of(fleet, member);
    for (RunResult& run : job.runs)
      for (int step = 0; step < 8; ++step)
        run.steps.push_back({.step = step, .columns_done = 256 * (step + 1), .seconds = 1});
    jobs.push_back(read_back(job));
    EXPECT_TRUE(jobs.back().members[0].runs[0].steps.empty());
  }
  const FleetReport merged = merge_fleets(std::move(jobs));
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  EXPECT_EQ(merged.members.size(), 1000U);
  EXPECT_EQ(merged.fail_list, "node501");
  EXPECT_LT(seconds, 100);
}

TEST(FleetMerge, JobsOfSingleNodesAreJudgedAsOneFleet) {
  FleetReport fleet = test::sample_fleet(5, 2);
  for (std::size_t i = 4; i < 6; ++i)
    test::set_rates(fleet.members[i], fleet.spec, {50, 50, 50});
  const std::vector<FleetReport> jobs = one_by_one(fleet);
  for (const FleetReport& job : jobs)
    EXPECT_EQ(exit_code_of(job), ExitCode::Passed) << "by itself a node has nothing to be slow to";
  const FleetReport merged = merge_fleets(jobs);
  EXPECT_EQ(merged.fail_list, "node03");
  EXPECT_EQ(merged.exit_code, ExitCode::Slow);
  EXPECT_EQ(merged.members.size(), 10U);
}

/// Calls a host by another name, as its job does.
void rename(FleetReport& fleet, const std::string& from, const std::string& to) {
  const auto change = [&](std::string& name) {
    if (name == from) name = to;
  };
  for (FleetHost& host : fleet.hosts)
    change(host.name);
  for (FleetMember& member : fleet.members) {
    if (member.hosts.front() == from) member.name.replace(0, from.size(), to);
    for (std::string& host : member.hosts)
      change(host);
    for (JobDevice& device : member.devices)
      change(device.host);
  }
}

TEST(FleetMerge, AHostIsOneWithItsDomainAndWithout) {
  const FleetReport fleet = test::sample_fleet(3, 2);
  FleetReport wrong = fleet;
  wrong.started.seconds += 1000;
  for (FleetMember& member : wrong.members)
    for (RunResult& run : member.runs)
      run.started += 1000;
  wrong.members[0].runs[1].residual->scaled = 99;
  rename(wrong, "node01", "node01.site.org");
  FleetReport sound = fleet;
  for (FleetReport* const report : {&sound, &wrong}) {
    judge_fleet(*report);
    report->exit_code = exit_code_of(*report);
  }
  const FleetReport merged = merge_fleets({sound, wrong}, {"node01.site.org", "node02.site.org"});
  EXPECT_EQ(merged.fail_list, "node01");
  EXPECT_EQ(merged.pass_list, "node[02-03]");
  ASSERT_EQ(merged.members.size(), 6U);
  EXPECT_EQ(merged.members[0].name, "node01 cuda 0");
  EXPECT_EQ(merged.members[0].runs.size(), 6U);
}

TEST(FleetMerge, DoesNotDependOnTheOrderOfTheReports) {
  std::vector<FleetReport> reports = one_by_one(test::sample_fleet(3, 2));
  FleetReport warned = reports[1], cut_off = test::sample_fleet(3, 2), failed = reports[2];
  warned.hosts[0].verdict = Verdict::Warned;
  warned.hosts[0].findings = {{.severity = Severity::Warning, .text = "a little slow"}};
  cut_off.exit_code.reset();
  failed.hosts[0].verdict = Verdict::Failed;
  failed.hosts[0].findings = {{.severity = Severity::Slow, .text = "slower than it was"}};
  failed.exit_code = ExitCode::Slow;
  failed.thresholds.tolerance = 4;
  rename(reports[0], "node01", "node01.site.org");
  reports = {reports[0], warned, cut_off, failed};
  std::vector<std::size_t> order{0, 1, 2, 3};
  std::string first;
  do {
    std::vector<FleetReport> given;
    for (const std::size_t i : order)
      given.push_back(reports[i]);
    const FleetReport merged = merge_fleets(given);
    EXPECT_EQ(merged.hosts.at(1).verdict, Verdict::Unchecked) << "its last job had no end";
    const std::string document = to_json_value(merged).dump();
    if (first.empty()) first = document;
    EXPECT_EQ(document, first);
  } while (std::ranges::next_permutation(order).found);
}

TEST(FleetMerge, AJobThatNeverReportedIsAMissingHost) {
  const FleetReport merged =
      merge_fleets(one_by_one(test::sample_fleet(3, 2)), {"node01", "node02", "node03", "node04"});
  EXPECT_EQ(merged.fail_list, "node04");
  EXPECT_EQ(merged.hosts.back().verdict, Verdict::Missing);
}

TEST(FleetMerge, AHostMayBeExpectedWithoutItsDomain) {
  FleetReport fleet;
  fleet.hosts = {{{.name = "node01.site"}}, {{.name = "10.0.0.1"}}};
  expect_hosts(fleet, {"node01", "node01.site", "node02", "node02", "10.0.0.1"});
  ASSERT_EQ(fleet.hosts.size(), 3U);
  EXPECT_EQ(fleet.hosts[2].name, "node02");
}

TEST(FleetMerge, AHostMayBeExpectedWithADomainThatItDoesNotSay) {
  FleetReport fleet;
  fleet.hosts = {{{.name = "node01"}}, {{.name = "node02.a"}}};
  expect_hosts(fleet, {"node01.site", "node02.b", "10.0.0.1", "10.0.0.2"});
  ASSERT_EQ(fleet.hosts.size(), 5U);
  EXPECT_EQ(fleet.hosts[2].name, "node02.b");
}

TEST(FleetMerge, AnOrdinaryJobThatMissedAGateWhileOthersTookItsCoresIsWarned) {
  const FleetReport fleet = test::sample_fleet(3, 1);
  JobReport slow = job_of(fleet, fleet.members[1]);
  slow.exit_code = ExitCode::Slow;
  for (RunResult& run : slow.runs)
    run.others = OtherProcesses{"node02", 0.94};
  EXPECT_EQ(fleet_of(slow, "b.json").warn_list, "node02");
}

TEST(FleetMerge, AHostWhoseJobWasCutOffHasFailedHoweverGoodItsRunsWere) {
  std::vector<FleetReport> jobs = one_by_one(test::sample_fleet(4, 2));
  jobs[1].exit_code.reset();
  jobs[2].exit_code = ExitCode::Broken;
  jobs[2].error = "a rank died\n  rank 0 on node03: was busy";
  const FleetReport merged = merge_fleets(jobs);
  EXPECT_EQ(merged.fail_list, "node[02-03]");
  EXPECT_EQ(merged.hosts[1].findings.at(0).text, "its job did not come to its end");
  EXPECT_EQ(merged.hosts[2].findings.at(0).text, "its job ended early: a rank died");
  EXPECT_FALSE(merged.error) << "the merged report is whole";
}

TEST(FleetMerge, HostsOfAJobThatWasCutOffAreNeitherSoundNorToBlame) {
  for (const auto& [code, error] :
       {std::pair<std::optional<ExitCode>, std::optional<std::string>>{std::nullopt, std::nullopt},
        {ExitCode::Broken, std::nullopt},
        {ExitCode::Broken, "a rank died"}}) {
    FleetReport job = test::sample_fleet(3, 2);
    job.exit_code = code;
    job.error = error;
    judge_fleet(job);
    const FleetReport merged = merge_fleets({job});
    EXPECT_EQ(merged.exit_code, ExitCode::Failed);
    EXPECT_EQ(merged.pass_list, "");
    EXPECT_EQ(merged.fail_list, "");
    const std::string what =
        error ? "its job ended early: a rank died" : "its job did not come to its end";
    ASSERT_EQ(merged.header.remarks.size(), 1U);
    EXPECT_EQ(merged.header.remarks[0].text, "node[01-03]: " + what);
    EXPECT_EQ(merged.hosts[0].verdict, Verdict::Unchecked);
    EXPECT_EQ(merged.hosts[0].findings.at(0).text, what);
    EXPECT_EQ(merge_fleets({merged}).pass_list, "") << "merging again makes nobody sound";
  }
}

TEST(FleetMerge, LaterRunsOfAMemberFollowTheEarlierOnes) {
  FleetReport first = test::sample_fleet(1, 3), second = first;
  second.started.seconds += 1000;
  for (FleetMember& member : second.members)
    for (RunResult& run : member.runs)
      run.started += 1000;
  const FleetReport merged = merge_fleets({second, first});
  ASSERT_EQ(merged.members.size(), 3U);
  ASSERT_EQ(merged.members[0].runs.size(), 6U);
  EXPECT_EQ(merged.members[0].runs[5].repeat_index, 5);
}

TEST(FleetMerge, AReportGivenTwiceCountsOnce) {
  const std::vector<FleetReport> jobs = one_by_one(test::sample_fleet(3, 2));
  std::vector<FleetReport> twice = jobs;
  twice.push_back(jobs[1]);
  twice.push_back(merge_fleets(jobs));
  const FleetReport merged = merge_fleets(twice);
  for (const FleetMember& member : merged.members)
    EXPECT_EQ(member.runs.size(), 3U) << member.name;
  ASSERT_EQ(merged.header.remarks.size(), 1U);
  EXPECT_EQ(merged.header.remarks[0].text, "24 runs in more than one of the reports, counted once");
  EXPECT_EQ(merged.exit_code, ExitCode::Passed);
}

TEST(FleetMerge, OtherRunsAreRefused) {
  const FleetReport first = test::sample_fleet(1, 3);
  const auto refusal = [&](const FleetReport& second) -> std::string {
    return test::message_of<ConfigError>([&] { merge_fleets({first, second}); });
  };
  FleetReport second = first;
  second.spec.order = 30'000;
  EXPECT_EQ(refusal(second),
            "fleets of one merged report must have made the same run, found N = 20000 and N = "
            "30000");
  second = first;
  second.each = FleetMemberKind::Node;
  EXPECT_NE(refusal(second).find("fleet device and fleet node"), std::string::npos);
  second = first;
  second.spec.emulated_moduli = 14;
  EXPECT_EQ(
      refusal(second),
      "fleets of one merged report must have made the same run, found arithmetic FP64 emulated "
      "by 14 INT8 products, Ozaki II and arithmetic FP64");
  second = first;
  second.spec.threshold = 1e300;
  EXPECT_NE(refusal(second).find("threshold"), std::string::npos) << refusal(second);
}

TEST(FleetMerge, GatesAreKeptInEitherOrder) {
  std::vector<FleetReport> jobs = one_by_one(test::sample_fleet(2, 2));
  for (const std::size_t gated : {0U, 1U}) {
    std::vector<FleetReport> reports = jobs;
    reports[1].started.seconds += 1;
    reports[gated].thresholds.gates.min_gflops = 1e6;
    judge_fleet(reports[gated]);
    reports[gated].exit_code = exit_code_of(reports[gated]);
    ASSERT_EQ(reports[gated].exit_code, ExitCode::Slow);
    const FleetReport merged = merge_fleets(reports);
    EXPECT_EQ(merged.pass_list, "");
    EXPECT_EQ(merged.exit_code, ExitCode::Slow);
    EXPECT_EQ(merged.thresholds.gates.min_gflops, 1e6);
    ASSERT_EQ(merged.header.remarks.size(), 1U);
    EXPECT_EQ(merged.header.remarks[0].text,
              "the jobs had different limits: the strictest of each counts for all hosts");
  }
}

TEST(FleetMerge, TheStrictestOfEachLimitCounts) {
  std::vector<FleetReport> jobs = one_by_one(test::sample_fleet(2, 2));
  jobs[0].thresholds = {
      .tolerance = 4, .spreads = 3, .gates = {.min_efficiency = 10, .max_spread = 900}};
  jobs[1].thresholds = {.tolerance = 5,
                        .spreads = 2,
                        .gates = {.min_efficiency = 20, .min_peak_efficiency = 1},
                        .strict = true};
  const FleetThresholds merged = merge_fleets(jobs).thresholds;
  EXPECT_EQ(merged.tolerance, 4);
  EXPECT_EQ(merged.spreads, 2);
  EXPECT_EQ(merged.gates.min_efficiency, 20);
  EXPECT_EQ(merged.gates.min_peak_efficiency, 1);
  EXPECT_EQ(merged.gates.max_spread, 900);
  EXPECT_FALSE(merged.gates.min_gflops);
  EXPECT_TRUE(merged.strict);
}

TEST(FleetMerge, AHostThatFailedInItsOwnJobDoesNotPass) {
  std::vector<FleetReport> jobs = one_by_one(test::sample_fleet(3, 2));
  jobs[1].hosts[0].verdict = Verdict::Failed;
  jobs[1].hosts[0].findings = {{.text = "slower than its reference"}};
  jobs[1].exit_code = ExitCode::Failed;
  jobs[2].hosts[0].verdict = Verdict::Unchecked;
  jobs[2].exit_code = ExitCode::Failed;
  const FleetReport merged = merge_fleets(jobs);
  EXPECT_EQ(merged.fail_list, "node02");
  EXPECT_EQ(merged.pass_list, "node01");
  EXPECT_EQ(merged.hosts[1].findings.at(0).text,
            "failed in its own job: slower than its reference");
  const FleetReport again = merge_fleets({merged});
  EXPECT_EQ(again.fail_list, "node02");
  EXPECT_EQ(again.hosts[1].findings.at(0).text, merged.hosts[1].findings.at(0).text);
}

TEST(FleetMerge, TheReferenceOfALaterJobIsNotLost) {
  std::vector<FleetReport> jobs = one_by_one(test::sample_fleet(3, 2));
  FleetReport fast = test::sample_fleet(3, 2);
  for (FleetMember& member : fast.members)
    test::set_rates(member, fast.spec, {200, 200, 200});
  judge_fleet(fast);
  jobs[1].started.seconds += 1;
  jobs[1].reference = FleetReference{.source = "site.json", .kinds = fast.kinds};
  const FleetReport merged = merge_fleets(jobs);
  ASSERT_TRUE(merged.reference);
  EXPECT_EQ(merged.fail_list, "node[01-03]");
}

TEST(FleetMerge, TheFewestDevicesThatAHostShowedCount) {
  FleetReport first = test::sample_fleet(3, 2), second = first;
  second.started.seconds += 1000;
  second.hosts[1].devices = 1;
  EXPECT_EQ(merge_fleets({first, second}).fail_list, "node02");
}

TEST(FleetMerge, MoreRanksThanCanBeCountedAreRefused) {
  FleetReport first = test::sample_fleet(1, 1), second = first;
  first.hosts[0].ranks = second.hosts[0].ranks = kMostRanks - 1;
  EXPECT_THROW(merge_fleets({first, second}), ConfigError);
}

TEST(FleetMerge, KeepsWhatAJobExpected) {
  FleetReport one = test::sample_fleet(1, 3), other = test::sample_fleet(2, 3);
  other.expectations = {{"NVIDIA H100",
                         {.model = "simulated",
                          .seconds = 1,
                          .gflops = 200,
                          .error_seconds = 0.05,
                          .sheet = "NVIDIA H100 SXM 80 GB"}}};
  for (FleetReport* const report : {&one, &other}) {
    judge_fleet(*report);
    report->exit_code = exit_code_of(*report);
  }
  const FleetReport merged = merge_fleets({one, other});
  ASSERT_EQ(merged.expectations.size(), 1U);
  EXPECT_EQ(merged.exit_code, ExitCode::Slow);
}

}  // namespace
}  // namespace hpl
