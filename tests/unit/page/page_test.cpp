#include "hpl/page/page.h"

#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "hpl/base/record/record.h"
#include "hpl/page/verdict.h"
#include "hpl/predict/prediction_report.h"
#include "sample_documents.h"
#include "sample_job.h"
#include "unit/compare/sample_sides.h"
#include "visible_text.h"

namespace hpl::page {
namespace {

/// The text of a page without its script.
std::string read(std::vector<RunFile> files, const PageOptions& options = {}) {
  return test::visible_text(build_page(files, options));
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

void expect_all(const std::string& text, std::initializer_list<std::string> parts) {
  for (const std::string& part : parts)
    EXPECT_TRUE(has(text, part)) << part << "\nis not in\n" << text;
}

TEST(Page, NeedsNothingFromElsewhere) {
  JobReport job = test::sample_job();
  job.runs = {test::cluster_run(4)};
  const std::string page = build_page(std::vector{test::sample_file(job)}, {});
  EXPECT_TRUE(has(page, "default-src 'none'")) << "the browser may load nothing";
  for (const char* const reference : {"https://", "src=", "href=", "url(", "@import", "import "})
    EXPECT_FALSE(has(page, reference)) << reference;
}

TEST(Page, SaysPassedWithTheFiguresOfTheRun) {
  expect_all(
      read({test::sample_file(test::sample_job())}),
      {"PASSED\n1 run passed the residual check.", "N = 1000 on 2 × 3",
       "node01 · 2026-01-03 04:00 UTC · xhpl 1.2.3", "Of attainable\n53.5%\n",
       ", alone after run 1\n", "must be below 16", "DEPTH 3 runs as 1",
       "N 1000\tpassed\t267.3 MFLOP/s\t\t53.5 %\t2.50\t3.21e-03\t1000\t128\t2 × 3\tWR11C2R4\t",
       "host\tnode01\t", "SWAP 2: one process row, no rows travel"});
}

TEST(Page, SaysFailedAndNamesThePivot) {
  JobReport job = test::sample_job();
  job.runs = {test::passing_run(), test::singular_run()};
  job.exit_code = ExitCode::Failed;
  expect_all(
      read({test::sample_file(job)}),
      {"FAILED\n1 run passed the residual check, 1 run failed.", "no usable pivot in column 17"});
}

TEST(Page, SaysWhyAJobEndedEarly) {
  JobReport job = test::sample_job();
  job.runs.clear();
  job.error = "rank 3 on node02 is gone";
  job.exit_code = ExitCode::Broken;
  expect_all(read({test::sample_file(job)}),
             {"ENDED EARLY\nNo run was made.", "the job ended early: rank 3 on node02 is gone"});
}

TEST(Page, OfAThousandRanksCanBeMailed) {
  JobReport job = test::sample_job();
  job.runs = {test::cluster_run(1000)};
  EXPECT_LT(build_page(std::vector{test::sample_file(job)}, {}).size(), 1'000'000U);
}

TEST(Page, ComparesFilesWithTheFirst) {
  JobReport slow = test::sample_job(), fast = test::sample_job();
  fast.runs[0].gflops *= 1.25;
  fast.runs[0].remarks = {{.text = "one of its own"}};
  expect_all(
      read({test::sample_file(slow, "before.json"), test::sample_file(fast, "after.json")}),
      {"Runs beside each other", "\t+25.0 %\t", "2 runs of 2 jobs", "before.json\tafter.json\t",
       "before.json: DEPTH 3 runs as 1", "after.json: one of its own"});
}

TEST(Page, GivesMedianAndLeastOfRepetitions) {
  JobReport job = test::sample_job();
  job.runs = {test::passing_run(), test::passing_run(), test::passing_run()};
  for (int repeat = 0; repeat < 3; ++repeat) {
    job.runs[static_cast<std::size_t>(repeat)].repeat_index = repeat;
    job.runs[static_cast<std::size_t>(repeat)].gflops = 100 + 10 * repeat;
  }
  expect_all(read({test::sample_file(job)}),
             {"best of 3; median 110.0 GFLOP/s, least 100.0 GFLOP/s", "repetition 3"});
}

TEST(Page, CountsSettingsApartFromRunsAndNamesTheRepetition) {
  JobReport job = test::sample_job();
  for (int i = 1; i < 4; ++i) {
    job.runs.push_back(test::passing_run());
    job.runs.back().run_index = i / 2;
    job.runs.back().repeat_index = i % 2;
  }
  job.runs[3].spec.block_size = job.runs[2].spec.block_size = 256;
  job.runs[3].gflops *= 2;
  job.runs[1].products_change = -0.5;
  const std::vector<RunFile> files{test::sample_file(job)};
  expect_all(read(files), {"2 settings, 4 runs", "NB 128: repetition 2: no measure"});
  EXPECT_TRUE(has(build_page(files, {}), "\"fastest\":1,")) << "the one that is unfolded";
}

TEST(Page, SaysWhichSettingsVary) {
  JobReport job = test::sample_job();
  job.runs.push_back(test::passing_run());
  job.runs[1].run_index = 1;
  job.runs[1].spec.block_size = 256;
  expect_all(read({test::sample_file(job)}), {"NB, block size (varies)\t128, 256\t"});
}

TEST(Page, OfRepetitionsCountsSettingsAndRuns) {
  JobReport job = test::sample_job();
  job.runs.assign(4, job.runs[0]);
  for (int i = 0; i < 4; ++i) {
    RunResult& run = job.runs[static_cast<std::size_t>(i)];
    run.run_index = i / 2;
    run.repeat_index = i % 2;
    run.spec.block_size += i / 2;
  }
  expect_all(read({test::sample_file(job)}),
             {"2 settings, 4 runs", "4 runs passed the residual check."});
}

TEST(Page, CannotBeLeftByTextFromTheFile) {
  JobReport job = test::sample_job();
  const std::string evil = "</style></script><script>alert(1)</script>";
  job.header.environment = {{"host", evil}, {evil, "x"}};
  job.header.remarks = {{.text = evil}};
  job.runs = {test::cluster_run(2)};
  job.runs[0].remarks = {{.text = evil}};
  job.runs[0].devices[0].host = job.runs[0].devices[1].host = evil;
  job.runs[0].devices[0].device = evil;
  job.error = evil;
  const std::vector files{test::sample_file(job, evil)};
  EXPECT_FALSE(has(build_page(files, {.title = evil}), "<script>alert"));
  EXPECT_TRUE(has(read(files, {.title = evil}), "the job ended early: " + evil));
}

TEST(Page, OfACheckAloneHasItsVerdict) {
  expect_all(read({test::file_of(test::check_document(test::full_check()))}),
             {"FAILED\nA check; no run was made.", "Check of 2 nodes",
              "Findings\nrank 5 on node1 and rank 3 on node0: 13 % below the median\n"});
  expect_all(read({test::file_of(test::check_document(test::full_check(), 0))}), {"PASSED\n"});
  EXPECT_EQ(reasons_of(test::file_of(test::check_document(test::full_check()))),
            std::vector<std::string>{"rank 5 on node1 and rank 3 on node0: 13 % below the median"});
}

TEST(Page, OfACheckNamesItsHostAndItsDate) {
  RunFile file = test::file_of(test::check_document(test::full_check()));
  file.job.preflight->node_count = 1;
  file.job.preflight->ranks.resize(1);
  file.job.preflight->ranks[0].host = "node<7>";
  file.job.header.program.started = {1767412800, 3600};
  expect_all(read({file}), {"Check of node<7>\n\n2026-01-03 04:00 UTC · xhpl 1.2.3\n"});
}

TEST(Page, OfACheckNamesRanksThatItDoesNotHoldByTheirNumbers) {
  RunFile file = test::file_of(test::check_document(test::full_check()));
  file.job.preflight->summaries[0].worst_rank = 7000000;
  expect_all(read({file}), {"\trank 7000000\t"});
}

TEST(Page, OfASearchHasItsVerdict) {
  expect_all(
      read({test::file_of(test::tuning_document())}),
      {"PASSED\nBest 55.5 GFLOP/s, defaults 50.0 GFLOP/s (+11.0 %).", "Search for settings"});
}

TEST(Page, NamesTheGateThatWasNotHeld) {
  JobReport job = test::sample_job();
  job.exit_code = ExitCode::Failed;
  job.gates = {{.gate = "--min-gflops", .limit = 5, .worst = 4, .held = false, .reason = "4 of 5"},
               {.gate = "--max-spread", .limit = 5, .worst = 1, .held = true, .reason = "fine"}};
  const std::string page = read({test::sample_file(job)});
  expect_all(page, {"FAILED\n", "--min-gflops was not held: 4 of 5"});
  EXPECT_FALSE(has(page, "--max-spread"));
}

TEST(Page, CallsAProjectionAProjection) {
  JobReport job = test::sample_job();
  job.runs = {test::stopped_run()};
  const std::string page = read({test::sample_file(job)});
  expect_all(
      page, {"Projected rate\n230.4MFLOP/s", "a projection: stopped after 87.5 % of the operations",
             "1 run stopped early."});
  EXPECT_FALSE(has(page, "\nRate\n"));
}

TEST(Page, SaysBesideTheVerdictThatFp64WasEmulated) {
  JobReport job = test::sample_job();
  EXPECT_FALSE(has(read({test::sample_file(job)}), "tail update in"));
  job.runs[0].spec.emulated_moduli = 14;
  expect_all(read({test::sample_file(job)}),
             {"Findings\ntail update in FP64 emulated by 14 INT8 products, Ozaki II\n"});
}

TEST(Page, OfHplMxpHasItsLabelItsPartsAndItsSettings) {
  JobReport job = test::sample_job();
  EXPECT_FALSE(has(read({test::sample_file(job)}), "HPL-MxP"));
  job.runs = {test::mixed_run()};
  expect_all(read({test::sample_file(job)}),
             {"HPL-MxP\n\nN = 1000 on 2 × 3\n",
              " · HPL-MxP: FP16 products, FP16 storage, conforming matrix, GMRES\n",
              "LU alone\n333.3MFLOP/s\n", "Refinement\n2iterations\n",
              "HPL-MxP: Operands of products\tfp16\t", "HPL-MxP: solver\tgmres\t"});
}

TEST(Page, SaysWhatTheChecksumsFound) {
  JobReport job = test::sample_job();
  job.runs[0].checksums = ChecksumResult{.interval = 4, .comparisons = 3};
  expect_all(read({test::sample_file(job)}), {"Checksums: agree, compared 3 times"});
}

TEST(Page, PutsFirstWhatIsBeyondTheExpectation) {
  JobReport job = test::sample_job();
  job.runs = {test::slower_run()};
  expect_all(
      read({test::sample_file(job)}),
      {"\nexpected 2 s by the simulated model, got 2.5 s",
       "\nrow swap on rank 3: 0.75 s, 3.0 times the 0.25 s that its links and copies allow\n"});
  job.runs.front().seconds = 2.05;
  job.runs.front().rank_working = job.runs.front().expected->rank_phases;
  EXPECT_FALSE(has(read({test::sample_file(job)}), "Findings"));
}

TEST(Page, OfPredictionsAloneHasNoVerdict) {
  const std::string page = read({test::file_of(to_json_value(PredictionReport{}))});
  expect_all(page, {"Predictions"});
  for (const char* const word : {"PASSED", "NOT FINISHED", "Configuration"})
    EXPECT_FALSE(has(page, word)) << word;
}

TEST(Page, OfAFleetHasListsAndLabelsOfTheNewest) {
  FleetReport old = test::fleet_with_a_slow_device(), now = old;
  now.started.seconds += 86400;
  test::change_spec(now, [](RunSpec& spec) { spec.emulated_moduli = 14; });
  old.hosts.push_back(old.hosts.front());
  old.hosts.back().name = "node05";
  const std::string page =
      read({test::sample_file(old, "may.json"), test::sample_file(now, "june.json")});
  expect_all(page, {"Fleet of 4 hosts", "TOO SLOW\n3 of 4 hosts passed.",
                    "Each device for itself, N = 20000", "Passed\tnode[01-02,04]\t",
                    "To exclude\tnode03\t", "Findings\njune.json: node03 cuda 1: rate 70.",
                    "\ntail update in FP64 emulated by 14 INT8 products"});
  EXPECT_TRUE(has(build_page(std::vector{test::sample_file(now), test::sample_file(old)}, {}),
                  R"("uncompared":[{"side":0)"))
      << "for the script";
}

TEST(Page, OfAnAcceptanceIsASheetWithVerdictStepsAndSerialNumbersWhenPrinted) {
  FleetReport devices = test::fleet_with_a_slow_device(), nodes = test::sample_fleet(4, 2);
  nodes.each = FleetMemberKind::Node;
  nodes.hosts.erase(nodes.hosts.begin() + 1, nodes.hosts.begin() + 3);
  nodes.members.erase(nodes.members.begin() + 2, nodes.members.begin() + 6);
  devices.exit_code = ExitCode::Slow;
  nodes.exit_code = ExitCode::Passed;
  judge_fleet(nodes);
  const std::vector files{test::sample_file(devices, "may/device.json"),
                          test::sample_file(nodes, "may/node.json")};
  EXPECT_FALSE(has(build_page(files, {}), "class=\"sheet"));
  const std::string lost =
      read(files, {.sheet = true, .hosts = {"node01", "node02", "node03", "node04", "node05"}});
  expect_all(lost, {"FAILED\nlost: node[02,05]", "machine\t5 nodes, 8 x NVIDIA H100\t",
                    "device\t8 members, N = 20000, NB = 256, 1 x 1", "node\t",
                    "node02\tnode02\tS2, S3\tpassed\t–", "node03\tnode03\tS4, S5\tfailed\t–",
                    "node05\tunknown\t\t–\t–", "For the site\nName\nDate\nSignature",
                    "lost before the last step: node[02,05]"});
  EXPECT_TRUE(has(read(files, {.sheet = true}), "TOO SLOW\n"))
      << "hosts that nobody expects are not lost";
}

TEST(Page, OfADisturbedAcceptanceIsToBeRepeatedAndNotToBeSigned) {
  FleetReport devices = test::sample_fleet(4, 1);
  test::disturb(devices.members[1], 0.94, 3);
  judge_fleet(devices);
  devices.exit_code = exit_code_of(devices);
  JobReport whole = test::sample_job();
  whole.runs[0].others = OtherProcesses{"node02", 0.94};
  const std::string sentence =
      "the rates are no measure of these devices: other processes took up to 94 % of the cores of "
      "node02 (3 of 3 runs)";
  expect_all(read({test::sample_file(devices, "device.json")}),
             {"WARNED\n3 of 4 hosts passed, 1 warned.", "Findings\n" + sentence});
  std::vector files{test::sample_file(devices, "device.json"),
                    test::sample_file(whole, "whole.json")};
  const std::string page = read(files, {.sheet = true});
  expect_all(page,
             {"REPEAT\n",
              "Reservations\ndevice: " + sentence +
                  "; whole: the rates are no "
                  "measure of this machine: other processes took up to 94 % of the cores of node02",
              "\trepeat\t", "Not to be signed"});
  EXPECT_FALSE(has(page, "Signature"));
  whole.runs[0].others->share = 0.01;
  files = {test::sample_file(test::judged_fleet(4, 1), "device.json"),
           test::sample_file(whole, "whole.json")};
  EXPECT_TRUE(has(read(files, {.sheet = true}), "Signature"));
  EXPECT_FALSE(has(read(files, {.sheet = true}), "Reservations"));
  devices.members[0].runs[0].residual->scaled = 99;
  judge_fleet(devices);
  devices.exit_code = exit_code_of(devices);
  expect_all(read({test::sample_file(devices, "device.json")}, {.sheet = true}),
             {"FAILED\n", "Reservations\n"});
}

TEST(Page, OfAFleetSaysInItsBannerWhoIsOut) {
  const FleetReport fleet = test::judged_fleet(3, 2, {{1, {93, 93, 93}}, {3, {60, 60, 60}}});
  expect_all(read({test::sample_file(fleet, "f.json")}),
             {"Findings\nnode02 cuda 1: rate 60.00 GFLOP/s", "node01 cuda 1: rate 93.00 GFLOP/s"});
}

TEST(Page, OfASheetKnowsAHostWithItsDomainAndWithout) {
  const std::vector files{test::sample_file(test::judged_fleet(2, 1), "device.json")};
  const std::string page =
      read(files, {.sheet = true, .hosts = {"node01.site.org", "node02.site.org"}});
  EXPECT_FALSE(has(page, "lost"));
  EXPECT_FALSE(has(page, "site.org"));
}

TEST(Page, OfAComparisonCountsItsRates) {
  FleetReport may = test::sample_fleet(3, 1);
  for (FleetMember& member : may.members)
    test::set_rates(member, may.spec, {50, 100, 150});
  Comparison comparison = test::compared(may, may, -2);
  expect_all(read({test::file_of(to_json_value(comparison))}),
             {"WARNED\nRates of 3 members: 0 worse, 0 better, 3 within the noise.",
              "--fail-below -2 %: not decided for 3 of 3 members"});
  comparison.lost = {"node09 cuda 0"};
  comparison.exit_code = ExitCode::Failed;
  expect_all(read({test::file_of(to_json_value(comparison))}),
             {"FAILED\n", "Findings\nnode09 cuda 0: lost"});
}

TEST(Verdict, IsThatOfTheExitCodeAndTheRuns) {
  JobReport job = test::sample_job();
  EXPECT_EQ(verdict_of(test::sample_file(job)), Verdict::Passed);
  job.exit_code = ExitCode::Failed;
  EXPECT_EQ(verdict_of(test::sample_file(job)), Verdict::Failed);
  job.exit_code = ExitCode::Slow;
  EXPECT_EQ(verdict_of(test::sample_file(job)), Verdict::Slow);
  job.exit_code = ExitCode::Broken;
  EXPECT_EQ(verdict_of(test::sample_file(job)), Verdict::Broken);
  job.exit_code = ExitCode::Passed;
  job.runs[0].residual.reset();
  EXPECT_EQ(verdict_of(test::sample_file(job)), Verdict::Unchecked);
  job.exit_code.reset();
  EXPECT_EQ(verdict_of(test::sample_file(job)), Verdict::Unfinished);
  job.error = "rank 3 is gone";
  EXPECT_EQ(verdict_of(test::sample_file(job)), Verdict::Broken);
}

TEST(Verdict, OfSeveralFilesIsTheWorst) {
  JobReport failed = test::sample_job();
  failed.runs = {test::failing_run()};
  failed.exit_code = ExitCode::Failed;
  JobReport unfinished = test::sample_job();
  unfinished.exit_code.reset();
  const std::vector<RunFile> files{test::sample_file(unfinished), test::sample_file(failed),
                                   test::sample_file(test::sample_job())};
  EXPECT_EQ(verdict_of(files), Verdict::Failed);
}

}  // namespace
}  // namespace hpl::page
