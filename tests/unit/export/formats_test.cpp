#include "hpl/export/formats.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hpl/base/error/error.h"
#include "hpl/base/record/record.h"
#include "hpl/check/findings/check_report.h"
#include "hpl/fleet/report/fleet_table.h"
#include "hpl/machine/host/text_file.h"
#include "hpl/report/csv/run_table.h"
#include "support/message_of.h"
#include "unit/check/findings/made_up_cluster.h"
#include "unit/export/sample_documents.h"

namespace hpl::page {
namespace {

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
  EXPECT_TRUE(has(text.substr(first, text.find('\n', first) - first), "} 1"));
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
  ranks[1].measurements = {{Metric::HostDgemm, kNoPeer, 80.25}, {Metric::RowLatency, 0, 1.5}};
  CheckDocument check{.program = {.name = "xhpl", .version = "1.2.3", .labels = {{"rack", "7"}}},
                      .check = judge(CheckForm::Full, ranks, 0.05),
                      .exit_code = ExitCode::Failed};
  const nlohmann::json document = to_json_value(check);
  const std::string table = csv_table_text(one(test::file_of(document)));
  const std::vector<std::string_view> lines = split_lines(table);
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_TRUE(
      lines[0].starts_with("started,version,rank,host,device,model,verdict,findings,remarks,host_"
                           "dgemm,device_dgemm_burst,"))
      << lines[0];
  EXPECT_EQ(lines[0].find("latency"), std::string::npos);
  const std::string probe = document.at("ranks").at(0).at("disturbed").at(0).at("probe");
  EXPECT_TRUE(has(std::string(lines[1]), ",passed,,\"" + probe +
                                             " was measured twice and disturbed: other processes "
                                             "took 20 % of the cores, of \"\"a\"\"\","));
  EXPECT_TRUE(has(std::string(lines[2]), ",80.25,,"));
  EXPECT_TRUE(has(std::string(lines[3]), ",failed,device memory could not be measured: no room,,"));
  EXPECT_TRUE(lines[3].ends_with(",,rack=7")) << lines[3];
}

TEST(CsvTable, HasOneKindOfRows) {
  std::vector<RunFile> files = one(test::sample_file(test::sample_job()));
  files.push_back(test::sample_file(test::fleet_with_faults()));
  EXPECT_EQ(test::message_of<ConfigError>([&] { csv_table_text(files); }),
            "fleet.json: --format csv makes one table, of runs, fleets or checks; the files hold "
            "several kinds");
  EXPECT_EQ(test::message_of<ConfigError>(
                [] { csv_table_text(one(test::file_of(test::product_document(true), "c.json"))); }),
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
  FleetReport fleet = test::sample_fleet(40, 2);
  test::set_rates(fleet.members[5], fleet.spec, {70, 70.5, 70.2});
  judge_fleet(fleet);
  const std::string text = markdown_text(one(test::sample_file(fleet)));
  EXPECT_TRUE(has(text, "| node03 cuda 1 | **too slow** |"));
  EXPECT_TRUE(has(text, "\n79 that passed are left out.\n"));
}

}  // namespace
}  // namespace hpl::page
