#include "hpl/export/suite.h"

#include <gtest/gtest.h>

#include "hpl/base/error/error.h"
#include "hpl/check/findings/check_report.h"
#include "support/message_of.h"
#include "unit/export/sample_documents.h"

namespace hpl::page {
namespace {

using test::case_named;

double figure(const Case& one, std::string_view name) {
  for (const CaseFigure& of : one.figures)
    if (of.name == name) return of.value;
  ADD_FAILURE() << one.name << " has no " << name;
  return 0;
}

TEST(Suite, HasARunWithItsRepetitionsAndTheirMedian) {
  const Suite suite = suite_of(test::sample_file(test::job_of_repetitions()));
  const Case& run = case_named(suite, "WR11C2R4, N = 1000, NB = 128, 2 x 3");
  EXPECT_EQ(run.kind, CaseKind::Run);
  EXPECT_EQ(figure(run, "gflops"), 101);
  EXPECT_EQ(run.seconds, 7.5);
  EXPECT_EQ(run.verdict, CaseVerdict::Failed);
  ASSERT_EQ(run.faults.size(), 1U);
  EXPECT_TRUE(run.faults[0].starts_with("repetition 2: the scaled residual")) << run.faults[0];
  EXPECT_EQ(run.remarks, std::vector<std::string>{"DEPTH 3 runs as 1"});
  EXPECT_EQ(run.host + ", " + run.device + ", " + run.model, "node01, , 2 x NVIDIA H100");
  EXPECT_EQ(case_named(suite, "WR11C2R4, N = 2000, NB = 128, 2 x 3").verdict, CaseVerdict::Passed);
  EXPECT_EQ(suite.started, test::passing_run().started);
}

TEST(Suite, HasAGateWithItsReason) {
  const Suite suite = suite_of(test::sample_file(test::job_of_repetitions()));
  const Case& gate = case_named(suite, "--min-gflops 110");
  EXPECT_EQ(gate.kind, CaseKind::Gate);
  EXPECT_EQ(gate.verdict, CaseVerdict::Slow);
  EXPECT_EQ(gate.faults, std::vector<std::string>{"run 1 reached 100 GFLOP/s"});
}

TEST(Suite, HasTheMembersAndHostsOfAFleetWithTheFiguresOfItsTable) {
  const Suite suite = suite_of(test::sample_file(test::fleet_with_faults()));
  EXPECT_EQ(suite.hosts, "node[01-04,09]");
  EXPECT_EQ(suite.verdict(), CaseVerdict::Failed);
  const Case& slow = case_named(suite, "node03 cuda 1");
  EXPECT_EQ(slow.kind, CaseKind::Member);
  EXPECT_EQ(slow.verdict, CaseVerdict::Slow);
  EXPECT_EQ(slow.host + ", " + slow.device + ", " + slow.model, "node03, cuda 1, NVIDIA H100");
  EXPECT_EQ(figure(slow, "gflops"), 70.2);
  EXPECT_EQ(figure(slow, "efficiency_percent"), 100 * 70.2 / 125);
  ASSERT_FALSE(slow.faults.empty());
  EXPECT_NE(slow.faults[0].find("% below 100.5"), std::string::npos) << slow.faults[0];
  EXPECT_TRUE(case_named(suite, "node03").repeats_member);
  const Case& missing = case_named(suite, "node09");
  EXPECT_EQ(missing.verdict, CaseVerdict::Failed);
  EXPECT_FALSE(missing.repeats_member);
  EXPECT_EQ(missing.faults, std::vector<std::string>{"was expected and did not report"});
}

TEST(Suite, HasAWarnedMemberThatPassed) {
  FleetReport fleet = test::sample_fleet(1, 1);
  judge_fleet(fleet);
  fleet.members[0].verdict = FleetVerdict::Warned;
  fleet.members[0].findings = {{.severity = FleetSeverity::Warning, .text = "rate a little low"}};
  const Suite suite = suite_of({.name = "f.json", .content = Content::Fleet, .fleet = fleet});
  const Case& warned = case_named(suite, "node01 cuda 0");
  EXPECT_EQ(warned.verdict, CaseVerdict::Warned);
  EXPECT_TRUE(has_passed(warned.verdict));
  EXPECT_EQ(warned.faults, std::vector<std::string>{"rate a little low"});
}

TEST(Suite, HasNoPassedMemberOfAFleetThatWasCutOff) {
  FleetReport fleet = test::fleet_with_faults();
  fleet.error = "ended from outside";
  fleet.exit_code = ExitCode::Broken;
  const Suite suite = suite_of(test::sample_file(fleet));
  EXPECT_EQ(case_named(suite, "node01 cuda 0").verdict, CaseVerdict::Unchecked);
  const Case& end = case_named(suite, "came to its end");
  EXPECT_EQ(end.verdict, CaseVerdict::Broken);
  EXPECT_EQ(end.faults, std::vector<std::string>{"ended from outside"});
}

TEST(Suite, HasTheRanksOfACheckWithTheirFindings) {
  nlohmann::json document = test::check_document(test::full_check());
  const Suite suite = suite_of(test::file_of(document));
  const Case& slow = case_named(suite, "rank 5 on node1, cpu");
  EXPECT_EQ(slow.verdict, CaseVerdict::Slow);
  EXPECT_EQ(slow.faults, std::vector<std::string>{"13 % below the median"});
  const Case& remarked = case_named(suite, "rank 0 on node0, cpu");
  EXPECT_EQ(remarked.verdict, CaseVerdict::Passed);
  EXPECT_EQ(remarked.remarks, std::vector<std::string>{"no sensor of power"});
}

TEST(Suite, HasTheFiguresOfRanksButNotThoseOfLinks) {
  RankRecord rank{
      .rank = 0, .host = "node1", .processor = "EPYC", .device = "cuda 0", .device_model = "H200"};
  rank.measurements = {{.metric = Metric::DeviceMemory, .value = 4000},
                       {.metric = Metric::NodeLatency, .peer = 1, .value = 2}};
  CheckDocument document{.program = {"xhpl", "1.2.3"}, .check = {}};
  document.check.ranks = {rank};
  const Suite suite = suite_of(parse_run_file("check.json", json_text(to_json_value(document))));
  const Case& made = case_named(suite, "rank 0 on node1, cuda 0");
  EXPECT_EQ(made.model, "H200");
  ASSERT_EQ(made.figures.size(), 1U);
  EXPECT_EQ(figure(made, "device_memory"), 4000);
}

TEST(Suite, KnowsRunsThatWereNotCheckedOrStoppedAndJobsWithoutAnEnd) {
  JobReport job = test::sample_job();
  RunResult unchecked = test::passing_run();
  unchecked.residual.reset();
  unchecked.spec.threshold = 0;
  RunResult stopped = test::stopped_run();
  stopped.run_index = 1;
  job.runs = {unchecked, stopped};
  job.tally = {.unchecked = 1, .stopped = 1};
  job.exit_code.reset();
  const Suite suite = suite_of(test::sample_file(job));
  ASSERT_EQ(suite.cases.size(), 3U);
  EXPECT_EQ(suite.cases[0].faults, std::vector<std::string>{"the solution was not checked"});
  EXPECT_EQ(suite.cases[1].faults,
            std::vector<std::string>{"stopped early, after 87.5 % of the operations"});
  EXPECT_EQ(suite.cases[1].verdict, CaseVerdict::Unchecked);
  EXPECT_EQ(suite.verdict(), CaseVerdict::Broken);
  EXPECT_EQ(suite.hosts, "node01") << "of the environment, where there are no devices";
}

TEST(Suite, RefusesWhatIsNeitherRunsNorAFleetNorACheck) {
  EXPECT_EQ(test::message_of<ConfigError>(
                [] { suite_of(test::file_of(test::tuning_document(), "t.json")); }),
            "t.json: --format takes documents of runs, fleets or checks, found a search for "
            "settings");
  EXPECT_EQ(test::message_of<ConfigError>(
                [] { suite_of(test::file_of(test::product_document(true), "g.json")); }),
            "g.json: --format takes documents of runs, fleets or checks, found products");
}

}  // namespace
}  // namespace hpl::page
