#include "hpl/export/suite.h"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hpl/base/error/error.h"
#include "hpl/base/record/record.h"
#include "hpl/check/findings/check_report.h"
#include "hpl/export/formats.h"
#include "hpl/fleet/report/fleet_table.h"
#include "hpl/machine/host/text_file.h"
#include "hpl/report/csv/run_table.h"
#include "support/message_of.h"
#include "unit/check/findings/made_up_cluster.h"
#include "unit/export/sample_documents.h"

namespace hpl::page {
namespace {

using test::case_named;

double figure(const Case& one, std::string_view name) {
  for (const CaseFigure& of : one.figures)
    if (info(of.figure).name == name) return of.value;
  ADD_FAILURE() << one.name << " has no " << name;
  return 0;
}

TEST(Suite, HasARunWithItsRepetitionsAndTheirMedian) {
  const Suite suite = suite_of(test::sample_file(test::job_of_repetitions()));
  const Case& run = case_named(suite, "WR11C2R4, N = 1000, NB = 128, 2 x 3");
  EXPECT_EQ(run.kind, CaseKind::Run);
  EXPECT_EQ(figure(run, "gflops"), 101);
  EXPECT_EQ(run.seconds, 7.5);
  EXPECT_EQ(run.verdict, Verdict::Failed);
  ASSERT_EQ(run.faults.size(), 1U);
  EXPECT_TRUE(run.faults[0].starts_with("repetition 2: the scaled residual")) << run.faults[0];
  EXPECT_EQ(run.remarks, std::vector<std::string>{"DEPTH 3 runs as 1"});
  EXPECT_EQ(run.host + ", " + run.device + ", " + run.model, "node01, , 2 x NVIDIA H100");
  EXPECT_EQ(case_named(suite, "WR11C2R4, N = 2000, NB = 128, 2 x 3").verdict, Verdict::Passed);
  EXPECT_EQ(suite.started, test::passing_run().started);
}

TEST(Suite, HasAGateWithItsReason) {
  const Suite suite = suite_of(test::sample_file(test::job_of_repetitions()));
  const Case& gate = case_named(suite, "--min-gflops 110");
  EXPECT_EQ(gate.kind, CaseKind::Gate);
  EXPECT_EQ(gate.verdict, Verdict::Slow);
  EXPECT_EQ(gate.faults, std::vector<std::string>{"run 1 reached 100 GFLOP/s"});
}

TEST(Suite, HasTheMembersAndHostsOfAFleetWithTheFiguresOfItsTable) {
  const Suite suite = suite_of(test::sample_file(test::fleet_with_faults()));
  EXPECT_EQ(suite.hosts, "node[01-04,09]");
  EXPECT_EQ(suite.verdict(), Verdict::Failed);
  const Case& slow = case_named(suite, "node03 cuda 1");
  EXPECT_EQ(slow.kind, CaseKind::Member);
  EXPECT_EQ(slow.verdict, Verdict::Slow);
  EXPECT_EQ(slow.host + ", " + slow.device + ", " + slow.model, "node03, cuda 1, NVIDIA H100");
  EXPECT_EQ(figure(slow, "gflops"), 70.2);
  EXPECT_EQ(figure(slow, "efficiency_percent"), 100 * 70.2 / 125);
  ASSERT_FALSE(slow.faults.empty());
  EXPECT_NE(slow.faults[0].find("% below 100.5"), std::string::npos) << slow.faults[0];
  EXPECT_TRUE(case_named(suite, "node03").repeats_member);
  const Case& missing = case_named(suite, "node09");
  EXPECT_EQ(missing.verdict, Verdict::Failed);
  EXPECT_FALSE(missing.repeats_member);
  EXPECT_EQ(missing.faults, std::vector<std::string>{"was expected and did not report"});
}

TEST(Suite, HasAWarnedMemberThatPassed) {
  FleetReport fleet = test::judged_fleet(1, 1);
  fleet.members[0].verdict = Verdict::Warned;
  fleet.members[0].findings = {{.severity = Severity::Warning, .text = "rate a little low"}};
  const Suite suite = suite_of({.name = "f.json", .content = Content::Fleet, .fleet = fleet});
  const Case& warned = case_named(suite, "node01 cuda 0");
  EXPECT_EQ(warned.verdict, Verdict::Warned);
  EXPECT_TRUE(has_passed(warned.verdict));
  EXPECT_EQ(warned.faults, std::vector<std::string>{"rate a little low"});
}

TEST(Suite, HasNoPassedMemberOfAFleetThatWasCutOff) {
  FleetReport fleet = test::fleet_with_faults();
  fleet.error = "ended from outside";
  fleet.exit_code = ExitCode::Broken;
  const Suite suite = suite_of(test::sample_file(fleet));
  EXPECT_EQ(case_named(suite, "node01 cuda 0").verdict, Verdict::Unchecked);
  const Case& end = case_named(suite, "came to its end");
  EXPECT_EQ(end.verdict, Verdict::Broken);
  EXPECT_EQ(end.faults, std::vector<std::string>{"ended from outside"});
}

TEST(Suite, HasTheRanksOfACheckWithTheirFindings) {
  nlohmann::json document = test::check_document(test::full_check());
  const Suite suite = suite_of(test::file_of(document));
  const Case& slow = case_named(suite, "rank 5 on node1, cpu");
  EXPECT_EQ(slow.verdict, Verdict::Slow);
  EXPECT_EQ(slow.faults, std::vector<std::string>{"13 % below the median"});
  const Case& remarked = case_named(suite, "rank 0 on node0, cpu");
  EXPECT_EQ(remarked.verdict, Verdict::Passed);
  EXPECT_EQ(remarked.remarks, std::vector<std::string>{"no sensor of power"});
}

TEST(Suite, HasTheFiguresOfRanksAndTheWorstOfTheirLinks) {
  RankRecord rank{
      .rank = 0, .host = "node1", .processor = "EPYC", .device = "cuda 0", .device_model = "H200"};
  rank.measurements = {{.metric = Figure::DeviceMemory, .value = 4000},
                       {.metric = Figure::NodeLatency, .peer = 1, .value = 2},
                       {.metric = Figure::NodeLatency, .peer = 2, .value = 5},
                       {.metric = Figure::NodeBandwidth, .peer = 1, .value = 40},
                       {.metric = Figure::NodeBandwidth, .peer = 2, .value = 30}};
  CheckDocument document{.program = {"xhpl", "1.2.3"}};
  document.check.ranks = {rank, {.rank = 1, .host = "node2", .device = "cuda 0"}};
  const Suite suite = suite_of(parse_run_file("check.json", json_text(to_json_value(document))));
  const Case& made = case_named(suite, "rank 0 on node1, cuda 0");
  EXPECT_EQ(made.model, "H200");
  ASSERT_EQ(made.figures.size(), 3U);
  EXPECT_EQ(figure(made, "device_memory"), 4000);
  EXPECT_EQ(figure(made, "node_latency"), 5);
  EXPECT_EQ(figure(made, "node_bandwidth"), 30);
  const Case& other = case_named(suite, "rank 1 on node2, cuda 0");
  EXPECT_EQ(figure(other, "node_latency"), 2);
  EXPECT_EQ(figure(other, "node_bandwidth"), 40);
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
  EXPECT_EQ(suite.cases[1].verdict, Verdict::Unchecked);
  EXPECT_EQ(suite.verdict(), Verdict::Broken);
  EXPECT_EQ(suite.hosts, "node01") << "of the environment, where there are no devices";
}

TEST(Suite, HasNoFiguresOfARunWhoseCheckWasNotCompleted) {
  JobReport job = test::sample_job();
  RunResult cut_off = test::passing_run();
  cut_off.residual.reset();
  job.runs = {cut_off};
  job.exit_code = ExitCode::Broken;
  const RunFile file = test::sample_file(job);
  const Suite suite = suite_of(file);
  EXPECT_EQ(suite.cases[0].verdict, Verdict::Unchecked);
  EXPECT_TRUE(suite.cases[0].figures.empty());
  EXPECT_EQ(suite.cases[0].faults,
            std::vector<std::string>{"the job ended before the solution was checked"});
  const std::string table = csv_table_text(std::span(&file, 1));
  EXPECT_EQ(std::ranges::count(table, '\n'), 1) << table;
}

TEST(Suite, OfACampaignHasItsStepsAndTheHostsThatWereDenied) {
  const CampaignReport campaign{
      .program = {.name = "xhpl-campaign", .version = "1.2.3"},
      .hosts = {"n1", "n2"},
      .denied = {"n2"},
      .steps = {{.name = "check", .verdict = Verdict::Warned, .reason = "warned n1"},
                {.name = "device", .reason = "one device is the whole"},
                {.name = "grid", .verdict = Verdict::NotRun, .reason = "no time was left"},
                {.name = "whole", .verdict = Verdict::Repeat, .reason = "disturbed"}},
      .verdict = Verdict::Failed,
      .exit_code = ExitCode::Failed};
  const RunFile file = parse_run_file("campaign.json", json_text(to_json_value(campaign)));
  const Suite suite = suite_of(file);
  ASSERT_EQ(suite.cases.size(), 5U) << "without the step that was skipped, with the end of the job";
  EXPECT_EQ(suite.subject, "campaign");
  EXPECT_EQ(suite.hosts, "n[1-2]");
  const std::vector<Verdict> expected{Verdict::Warned, Verdict::Unchecked, Verdict::Broken,
                                      Verdict::Failed, Verdict::Passed};
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_EQ(suite.cases[i].verdict, expected[i]) << suite.cases[i].name;
  EXPECT_EQ(suite.cases[0].faults, std::vector<std::string>{"warned n1"});
  EXPECT_EQ(suite.cases[3].faults, std::vector<std::string>{"left out by --deny"});
  const std::string metrics = openmetrics_text(std::span(&file, 1));
  EXPECT_NE(metrics.find(R"(xhpl_passed{case="step",step="whole"} 0)"), std::string::npos)
      << metrics;
}

TEST(Suite, RefusesWhatIsNeitherRunsNorAFleetNorACheckNorACampaign) {
  EXPECT_EQ(
      test::message_of<ConfigError>(
          [] { suite_of(test::file_of(test::tuning_document(), "t.json")); }),
      "t.json: --format takes documents of runs, fleets, checks or campaigns, found a search for "
      "settings");
}

std::vector<RunFile> one(RunFile file) {
  std::vector<RunFile> files;
  files.push_back(std::move(file));
  return files;
}

testing::AssertionResult has(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "no " << part << " in\n" << text;
}

TEST(Junit, ShowsASlowDeviceAsAFailedTest) {
  const std::string xml = junit_text(one(test::sample_file(test::fleet_with_faults())));
  EXPECT_TRUE(has(xml, "<testcase classname=\"xhpl.fleet.member\" name=\"node03 cuda 1\" time="));
  EXPECT_TRUE(has(xml, "<failure type=\"too slow\" message=\"rate"));
  // Eight devices, five hosts, the job; the device, its host and the missing one failed.
  EXPECT_TRUE(
      has(xml, "name=\"fleet.json\" tests=\"14\" failures=\"3\" errors=\"0\" skipped=\"0\""));
  EXPECT_TRUE(has(xml, "hostname=\"node[01-04,09]\""));
}

TEST(Junit, PassesAWarningOfACheckWithANote) {
  std::vector<RankRecord> ranks = test::sound_cluster(2, 2);
  const CheckReference may{.source = "may.json", .ranks = ranks};
  test::figure(ranks, Figure::DeviceMemory, 3) *= 0.92;
  const auto checked = [&](bool strict) {
    const CheckReport check = judge(CheckForm::Full, ranks, {0.05, strict, &may});
    return junit_text(one(test::file_of(to_json_value(CheckDocument{
        .program = {"xhpl", "1.2.3"}, .check = check, .exit_code = exit_code_of(check)}))));
  };
  const std::string warned = checked(false);
  EXPECT_TRUE(has(warned, "tests=\"5\" failures=\"0\" errors=\"0\" skipped=\"0\""));
  EXPECT_EQ(warned.find("<failure"), std::string::npos) << warned;
  EXPECT_TRUE(has(warned, "<system-out>warning: device memory copy "));
  const std::string failed = checked(true);
  EXPECT_TRUE(has(failed, "failures=\"1\""));
  EXPECT_TRUE(has(failed, "<failure type=\"too slow\" message=\"device memory copy "));
}

TEST(Junit, SkipsWhatWasNotChecked) {
  JobReport job = test::sample_job();
  job.runs[0].residual.reset();
  job.runs[0].spec.threshold = 0;
  const std::string xml = junit_text(one(test::sample_file(job)));
  EXPECT_TRUE(has(xml, "<skipped type=\"not checked\" message=\"the solution was not checked\""));
  EXPECT_TRUE(has(xml, "skipped=\"1\""));
}

TEST(Junit, EscapesWhatXmlDoesNotTake) {
  JobReport job = test::job_of_repetitions();
  job.gates[0].reason = "a < b & \"c\" \x01 \xEF\xBF\xBF";
  const std::string xml = junit_text(one(test::sample_file(job)));
  EXPECT_TRUE(has(xml, "message=\"a &lt; b &amp; &quot;c&quot; \xEF\xBF\xBD \xEF\xBF\xBD\""));
}

TEST(OpenMetrics, HasTheRateAndTheVerdictOfAMember) {
  const std::string text = openmetrics_text(one(test::sample_file(test::fleet_with_faults())));
  const std::string labels =
      "{case=\"member\",host=\"node03\",device=\"cuda 1\",model=\"NVIDIA "
      "H100\",arithmetic=\"FP64\","
      "variant=\"WR11R2R4\",n=\"20000\",nb=\"256\",p=\"1\",q=\"1\"} ";
  EXPECT_TRUE(has(text,
                  "# TYPE xhpl_rate_gflops gauge\n# UNIT xhpl_rate_gflops gflops\n"
                  "# HELP xhpl_rate_gflops rate\n"));
  EXPECT_TRUE(has(text, "\nxhpl_rate_gflops" + labels + "70.2\n"));
  EXPECT_TRUE(has(text, "\nxhpl_passed" + labels + "0\n"));
  EXPECT_TRUE(has(text, "\nxhpl_passed{case=\"host\",host=\"node01\"} 1\n"));
  EXPECT_TRUE(text.ends_with("\n# EOF\n"));
}

TEST(OpenMetrics, HasOneSampleOfTheNewestOfSeveralDocuments) {
  FleetReport before = test::fleet_with_faults(), after = test::sample_fleet(4, 2);
  after.started.seconds += 86400;
  judge_fleet(after);
  std::vector<RunFile> files = one(test::sample_file(after));
  files.push_back(test::sample_file(before));
  const std::string text = openmetrics_text(files);
  const std::string sample = "xhpl_passed{case=\"member\",host=\"node03\",device=\"cuda 1\"";
  const auto first = text.find(sample);
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(text.find(sample, first + 1), std::string::npos);
  EXPECT_EQ(text.find("verdict=\"too slow\""), std::string::npos);
  EXPECT_TRUE(has(text.substr(first, text.find('\n', first) - first), "} 1"));
}

/// Four devices, of which others disturbed the second.
std::vector<RunFile> disturbed_fleet() {
  FleetReport fleet = test::sample_fleet(4, 1);
  test::disturb(fleet.members[1], 0.94, 3);
  judge_fleet(fleet);
  fleet.exit_code = exit_code_of(fleet);
  return one(test::sample_file(fleet));
}
const std::string kDisturbance =
    "disturbed, measure again: other processes took up to 94 % of the cores of node02 (3 of 3 "
    "runs)";

TEST(Formats, SayThatAMemberWasDisturbed) {
  EXPECT_TRUE(has(junit_text(disturbed_fleet()), "<system-out>warning: " + kDisturbance + "\n"));
  const std::string metrics = openmetrics_text(disturbed_fleet());
  const std::string labels = "{case=\"member\",host=\"node02\",device=\"cuda 0\",";
  const auto line = [&](const std::string& name) {
    const auto at = metrics.find("\n" + name + labels);
    return at == std::string::npos ? ""
                                   : metrics.substr(at + 1, metrics.find('\n', at + 1) - at - 1);
  };
  EXPECT_TRUE(line("xhpl_verdict").ends_with(",verdict=\"warned\"} 1")) << metrics;
  EXPECT_TRUE(line("xhpl_disturbed").ends_with("} 1")) << metrics;
  EXPECT_TRUE(has(metrics, "\nxhpl_verdict{case=\"host\",host=\"node01\",verdict=\"passed\"} 1\n"));
  const std::string markdown = markdown_text(disturbed_fleet());
  EXPECT_TRUE(has(markdown, "### WARNED: "));
  EXPECT_TRUE(has(markdown, "\n3 of 4 members passed, 1 warned; rate "));
  EXPECT_TRUE(has(markdown, "| node02 cuda 0 | **warned** |"));
  EXPECT_TRUE(has(markdown,
                  " members\n\n| figure | least | median | most | robust spread | limit | worst |\n"
                  "|---|---:|---:|---:|---:|---:|---|\n| rate, GFLOP/s | "));
  EXPECT_TRUE(has(markdown, kDisturbance));
  EXPECT_TRUE(has(csv_table_text(disturbed_fleet()), ",warned,\"" + kDisturbance + "\","));
  EXPECT_TRUE(has(mail_text(disturbed_fleet()), "warned: node02 cuda 0: " + kDisturbance));
}

TEST(Formats, SayThatAJobWasDisturbed) {
  JobReport job = test::sample_job();
  job.runs[0].others = OtherProcesses{"node01", 0.94};
  const auto files = one(test::sample_file(job));
  const std::string remark =
      "the rate is no measure of this machine: other processes took 94 % of the cores of node01";
  EXPECT_TRUE(has(junit_text(files), remark));
  EXPECT_TRUE(has(openmetrics_text(files), "\nxhpl_disturbed{case=\"run\""));
}

TEST(OpenMetrics, EscapesLabels) {
  FleetReport fleet = test::fleet_with_faults();
  fleet.hosts.back().name = "a\\b\"c\nd";
  EXPECT_TRUE(has(openmetrics_text(one(test::sample_file(fleet))), "host=\"a\\\\b\\\"c\\nd\""));
}

TEST(CsvTable, IsThatOfTheProgram) {
  const JobReport job = test::job_of_repetitions();
  std::string table = run_table().header;
  for (const RunResult& run : job.runs)
    table += run_row(run, {.name = "xhpl", .version = "1.2.3"});
  EXPECT_EQ(csv_table_text(one(test::sample_file(job))), table);
  const FleetReport fleet = test::fleet_with_faults();
  table = fleet_table().header;
  for (const std::string& row : fleet_rows(fleet))
    table += row;
  EXPECT_EQ(csv_table_text(one(test::sample_file(fleet))), table);
}

TEST(CsvTable, OfACheckSaysWhatItsDocumentSays) {
  std::vector<RankRecord> ranks = test::sound_cluster(1, 3);
  ranks[0].disturbed = {{"host DGEMM", "other processes took 20 % of the cores, of \"a\""}};
  ranks[2].failed = {{"device memory", "no room"}};
  ranks[1].measurements = {{Figure::HostDgemm, kNoPeer, 80.25}, {Figure::RowLatency, 0, 1.5}};
  CheckDocument check{.program = {.name = "xhpl", .version = "1.2.3", .labels = {{"rack", "7"}}},
                      .check = judge(CheckForm::Full, ranks, {0.05}),
                      .exit_code = ExitCode::Failed};
  const nlohmann::json document = to_json_value(check);
  const std::string table = csv_table_text(one(test::file_of(document)));
  const std::vector<std::string_view> lines = split_lines(table);
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_TRUE(
      lines[0].starts_with("started,version,rank,host,device,model,verdict,findings,remarks,host_"
                           "dgemm,device_dgemm_burst,"))
      << lines[0];
  EXPECT_TRUE(has(std::string(lines[0]), ",labels,row_latency,row_bandwidth,")) << lines[0];
  const std::string probe = document.at("ranks").at(0).at("disturbed").at(0).at("probe");
  EXPECT_TRUE(has(std::string(lines[1]), ",warned,\"" + probe +
                                             " was disturbed whenever it was measured: other "
                                             "processes took 20 % of the cores, of \"\"a\"\"\","));
  EXPECT_TRUE(has(std::string(lines[2]), ",80.25,,"));
  EXPECT_TRUE(has(std::string(lines[3]), ",failed,device memory could not be measured: no room,,"));
  EXPECT_TRUE(has(std::string(lines[2]), ",rack=7,1.5,,")) << lines[2];
  EXPECT_TRUE(lines[3].ends_with(",,rack=7,,,,,,,,,,,")) << lines[3];
}

TEST(CsvTable, HasOneKindOfRows) {
  std::vector<RunFile> files = one(test::sample_file(test::sample_job()));
  files.push_back(test::sample_file(test::fleet_with_faults()));
  EXPECT_EQ(test::message_of<ConfigError>([&] { csv_table_text(files); }),
            "fleet.json: --format csv makes one table, of runs, fleets or checks; the files hold "
            "several kinds");
  EXPECT_EQ(test::message_of<ConfigError>(
                [] { csv_table_text(one(test::file_of(test::tuning_document(), "c.json"))); }),
            "c.json: --format csv takes documents of runs, fleets or checks, found another");
}

TEST(Mail, SaysInAFewLinesWhatFailed) {
  FleetReport fleet = test::fleet_with_faults();
  EXPECT_EQ(mail_text(one(test::sample_file(fleet))),
            "FAILED: fleet on node[01-04,09], NVIDIA H100\n"
            "N = 20000, NB = 256, 1 x 1\n"
            "7 of 8 members passed; rate 70.2 GFLOP/s to 101 GFLOP/s, median 100 GFLOP/s\n"
            "too slow: node03 cuda 1: " +
                fleet.members[5].findings[0].text +
                "\n"
                "failed: node09: was expected and did not report\n"
                "fleet.json, started 2023-11-14T22:13:20Z, xhpl 1.2.3\n");
}

TEST(Mail, LeavesOutWhatIsTooMuch) {
  FleetReport fleet = test::fleet_with_faults();
  for (int i = 10; i < 20; ++i)
    fleet.hosts.push_back({{.name = "node" + std::to_string(i)}});
  judge_fleet(fleet);
  EXPECT_TRUE(has(mail_text(one(test::sample_file(fleet))), "\nand 7 more\n"));
}

TEST(Markdown, IsAVerdictAndATable) {
  const std::string text = markdown_text(one(test::sample_file(test::job_of_repetitions())));
  EXPECT_TRUE(text.starts_with("### FAILED: run on node01, 2 x NVIDIA H100\n\n"));
  EXPECT_TRUE(has(text, "\n| case | verdict | rate, GFLOP/s |"));
  EXPECT_TRUE(has(text, "\n| WR11C2R4, N = 2000, NB = 128, 2 x 3 | passed | 120 |"));
  EXPECT_TRUE(has(text, "| **failed** | 101 |"));
  EXPECT_TRUE(has(text, "\n| --min-gflops 110 | **too slow** |"));
}

TEST(Markdown, ShowsTextAsItIs) {
  JobReport job = test::job_of_repetitions();
  job.gates[0].reason = "a|b <i> *c*\nd";
  EXPECT_TRUE(has(markdown_text(one(test::sample_file(job))), " a\\|b \\<i\\> \\*c\\* d |\n"));
}

TEST(Markdown, OfALargeFleetListsWhatDidNotPass) {
  FleetReport fleet = test::judged_fleet(40, 2, {{5, {70, 70.5, 70.2}}});
  const std::string text = markdown_text(one(test::sample_file(fleet)));
  EXPECT_TRUE(has(text, "| node03 cuda 1 | **too slow** |"));
  EXPECT_TRUE(has(text, "\n79 that passed are left out.\n"));
}

}  // namespace
}  // namespace hpl::page
