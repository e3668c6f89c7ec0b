#include <algorithm>
#include <limits>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "hpl/check/findings/check_report.h"
#include "hpl/check/report/check_text.h"
#include "hpl/run/report/json_report.h"
#include "support/holds.h"
#include "unit/check/findings/made_up_cluster.h"
#include "unit/report/fixed_results.h"
#include "unit/report/schema_check.h"

namespace hpl {
namespace {

using nlohmann::json;

/// 1000 ranks: one slow device, one bad adapter, one device with memory errors and throttling.
CheckReport troubled_cluster() {
  auto ranks = test::sound_cluster(125, 8);
  test::figure(ranks, Figure::DeviceDgemmSustained, 217) = 40000;
  for (int node = 1; node < 125; ++node)
    test::figure(ranks, Figure::NodeBandwidth, 0, 8 * node) = 3;
  ranks[500].health.uncorrected_errors = 2;
  ranks[500].throttle_reasons = {hpcx::throttle::kHardwareThermal};
  ranks[7].health.remapped_rows = hpcx::RemappedRows{.after_uncorrected = 1};
  ranks[3].skipped = {{"clocks of nodes", "no reason"}};
  CheckReport report = judge(CheckForm::Full, std::move(ranks), {0.05});
  report.seconds = 12.34;
  return report;
}

CheckReport sound_check() {
  return judge(CheckForm::Full, test::sound_cluster(2, 4), {0.05});
}

int lines_in(const std::string& text) {
  return static_cast<int>(std::ranges::count(text, '\n'));
}

TEST(CheckText, OfAThousandRanksIsShortAndNamesWhatIsWrong) {
  const std::string text = check_text(troubled_cluster());
  EXPECT_LT(lines_in(text), 30) << text;
  for (const char* const part :
       {"Pre-flight check of 1000 ranks on 125 nodes: 12.3 s",
        "  rank 500 on node062, cuda 4: 2 memory errors", "throttled under load: hardware thermal",
        "  rank 217 on node027, cuda 1: device DGEMM, sustained 40000 GFLOP/s, 24.5 % below",
        "  rank 0 on node000 (that to rank 8 on node001): MPI bandwidth, nodes: 124 of its 124 "
        "links",
        "  rank 7 on node000, cuda 7: 1 row of memory remapped",
        "not measured: clocks of nodes: no reason (1 rank)",
        "Verdict: wrong: 2 faults, 2 outliers, 1 remark\n"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

TEST(CheckText, OfFewWordsCountsRemarksInItsVerdict) {
  auto ranks = test::sound_cluster(2, 4);
  ranks[3].threads_granted = false;
  const CheckReport report = judge(CheckForm::Full, std::move(ranks), {0.05});
  const std::string text = check_text(report, {.detail = Detail::Verdict});
  EXPECT_EQ(text, "\nVerdict: sound: no fault, no outlier, 1 remark\n");
}

TEST(CheckText, TellsAWarningFromWhatFailsAndFromADisturbance) {
  auto ranks = test::sound_cluster(50, 8);
  test::figure(ranks, Figure::HostDgemm, 3) *= 0.92;
  ranks[8].disturbed = {{"host DGEMM", "other processes took 94 % of the cores of node001"}};
  const std::string warned = check_text(judge(CheckForm::Full, ranks, {0.05}));
  EXPECT_TRUE(test::holds(
      warned, {"\nOutliers, more than 5 % worse than the median", "  rank 3 on node000, cuda 3: ",
               "\nDisturbed:\n  rank 8 on node001, cuda 0: host DGEMM was disturbed whenever",
               "\nVerdict: warned: 0 faults, 1 outlier, 1 disturbed\n"}));
  test::figure(ranks, Figure::HostDgemm, 3) *= 0.9;
  const std::string slow = check_text(judge(CheckForm::Full, ranks, {0.05}));
  EXPECT_TRUE(test::holds(slow, {"\nOutliers that fail (see docs/accepting.md):\n  rank 3 on",
                                 "\nVerdict: slow: 0 faults, 1 outlier, 1 disturbed\n"}));
}

TEST(CheckText, WarnsOfHardwareApartFromOutliers) {
  auto ranks = test::sound_cluster(2, 4);
  ranks[5].events = {.counts = {{"pcie_replays", 100}}, .driver_errors = {}, .seconds = 10};
  ranks[5].events.counts.emplace_back("link_replays", 100);
  const CheckReport report = judge(CheckForm::Full, ranks, {0.05});
  EXPECT_TRUE(test::holds(
      check_text(report),
      {"\nWarnings of the hardware:\n  rank 5 on node001, cuda 1: ", "PCIe replays: 100 in 10 s",
       " (MONITOR)\n", "\nVerdict: warned: no fault, no outlier, 2 warnings\n"}));
  EXPECT_EQ(exit_code_of(report), ExitCode::Passed);
  EXPECT_EQ(hosts_of(report).warned, (std::vector<std::string>{"node001"}));
  const auto document = to_json_value(CheckDocument{.program = {"xhpl", "1.2.3"}, .check = report});
  EXPECT_EQ(document.at("preflight").at("findings").at(0).at("action"), "MONITOR");
}

TEST(CheckText, NamesTheReferenceAndWhatIsWorseThanIt) {
  auto ranks = test::sound_cluster(1, 2);
  const CheckReference may{.source = "may.json", .written = "2026-05-04", .ranks = ranks};
  test::figure(ranks, Figure::DeviceMemory, 1) *= 0.92;
  const CheckReport report = judge(CheckForm::Full, ranks, {.reference = &may});
  EXPECT_TRUE(test::holds(check_text(report),
                          {"\ncompared with may.json as well, of 2026-05-04\n",
                           "\nnot compared with each other: kinds with fewer than 3 values\n",
                           "\nOutliers, more than 5 % worse than the median or the reference",
                           "\n  rank 1 on node000, cuda 1: device memory copy ", " in may.json\n",
                           "\nVerdict: warned: 0 faults, 1 outlier\n"}));
  const auto document = to_json_value(CheckDocument{.program = {"xhpl", "1.2.3"}, .check = report});
  EXPECT_EQ(document.at("preflight").at("reference").at("source"), "may.json");
  EXPECT_EQ(document.at("preflight").at("findings").at(0).at("basis"), "reference");
}

TEST(CheckText, OfASoundClusterHasOneLineAFigureAndTheVerdict) {
  const std::string text = check_text(sound_check());
  EXPECT_NE(text.find("\nVerdict: sound: no fault, no outlier\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\nMPI bandwidth, nodes"), std::string::npos) << text;
  EXPECT_EQ(text.find("Faults:"), std::string::npos) << text;
  EXPECT_EQ(text.find("Outliers"), std::string::npos) << text;
}

TEST(CheckText, NamesWhatWasNotMeasuredInOneLineUnlessAllDetailIsWanted) {
  CheckReport report = sound_check();
  report.ranks[0].skipped = {{"MPI in a node", "the node has one rank"},
                             {"clocks of nodes", "there is one node"}};
  const std::string usual = check_text(report);
  EXPECT_NE(usual.find("\nnot measured: 2 probes, mostly for want of ranks, nodes or a GPU (-v)\n"),
            std::string::npos)
      << usual;
  EXPECT_EQ(usual.find("MPI in a node: the node"), std::string::npos) << usual;
  const std::string all = check_text(report, {.detail = Detail::Everything});
  EXPECT_NE(all.find("\nnot measured: MPI in a node: the node has one rank (1 rank)\n"
                     "not measured: clocks of nodes: there is one node (1 rank)\n"),
            std::string::npos)
      << all;
}

TEST(CheckText, SaysThatRanksThatShareCoresAreNotCompared) {
  auto ranks = test::sound_cluster(1, 4);
  ranks[0].oversubscribed = true;
  const std::string text = check_text(judge(CheckForm::Full, std::move(ranks), {0.05}));
  EXPECT_NE(text.find("\nnot compared: ranks share cores\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("fewer than 3"), std::string::npos) << text;
}

TEST(CheckText, GathersRanksWithTheSameFaultInOneLine) {
  auto ranks = test::sound_cluster(50, 8);
  for (RankRecord& rank : ranks)
    rank.kernel_warning = "kernel Prescott is below the machine";
  const std::string text = check_text(judge(CheckForm::Full, std::move(ranks), {0.05}));
  EXPECT_NE(text.find("rank 7 on node000, cuda 7: kernel Prescott is below the machine (and 392 "
                      "more)\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("400 faults, 0 outliers"), std::string::npos) << text;
}

TEST(CheckText, IsCutWhereOutliersAreMany) {
  auto ranks = test::sound_cluster(50, 8);
  for (int rank = 0; rank < 100; ++rank)
    test::figure(ranks, Figure::HostDgemm, rank) = 10 + 0.1 * rank;
  const std::string text = check_text(judge(CheckForm::Full, std::move(ranks), {0.05}));
  EXPECT_LT(lines_in(text), 60) << text;
  EXPECT_NE(text.find("  and 60 more; --verbose shows all of them\n"), std::string::npos);
}

TEST(CheckText, KeepsNamesFromOutsideInTheirLine) {
  auto ranks = test::sound_cluster(1, 3);
  ranks[1].host = "evil\nVerdict: sound";
  test::figure(ranks, Figure::HostDgemm, 1) = 1;
  const std::string text = check_text(judge(CheckForm::Full, std::move(ranks), {0.05}));
  EXPECT_EQ(text.find("\nVerdict: sound"), std::string::npos) << text;
}

TEST(CheckRemarks, NameAFewFaultsAndOutliersAndNoRemarks) {
  EXPECT_TRUE(check_remarks(sound_check()).empty());
  const auto four = check_remarks(troubled_cluster());
  ASSERT_EQ(four.size(), 4U);
  EXPECT_TRUE(four[0].text.starts_with("pre-flight: rank 500 on node062, cuda 4: "))
      << four[0].text;
  auto ranks = test::sound_cluster(50, 8);
  ranks[30].kernel_warning = "this stands in the head of the report";
  ranks[31].cores = ranks[30].cores;  // and so does this
  for (int rank = 0; rank < 20; ++rank)
    test::figure(ranks, Figure::HostDgemm, rank) = 10 + rank;
  const auto many = check_remarks(judge(CheckForm::Full, std::move(ranks), {0.05}));
  ASSERT_EQ(many.size(), 6U);
  EXPECT_EQ(many[5].text, "pre-flight: 15 more findings; xhpl check shows them");
}

TEST(CheckRemarks, HoldNoWordThatParsersOfReportsLookFor) {
  std::string all = check_line(troubled_cluster()) + check_line(sound_check());
  for (const Remark& remark : check_remarks(troubled_cluster()))
    all += remark.text;
  for (const char* const word : {"WR", "WC", "PASSED", "FAILED", "Gflops", "T/V", "tests"})
    EXPECT_EQ(all.find(word), std::string::npos) << word << " in " << all;
}

json parsed(const CheckReport& report) {
  return json::parse(
      json_text(to_json_value(CheckDocument{{"xhpl", "1.2.3"}, report, ExitCode::Failed})));
}

TEST(CheckJson, FollowsThePublishedSchema) {
  const test::SchemaCheck check = test::SchemaCheck::published("check");
  EXPECT_EQ(check.faults(parsed(troubled_cluster())), "");
  EXPECT_EQ(check.faults(parsed(sound_check())), "");
}

CheckReport deep_check() {
  auto ranks = test::deeply_checked_cluster(2, 4);
  test::deep_figure(ranks, "copy_in_together", 5).value *= 0.7;
  return judge(CheckForm::Deep, std::move(ranks), {0.05});
}

TEST(CheckText, OfADeepCheckShowsTheShareAndTheWorstRankOfEachFigure) {
  const std::string text = check_text(deep_check());
  const std::size_t line = text.find("\nfigure copy_in_together");
  ASSERT_NE(line, std::string::npos) << text;
  const std::string words = text.substr(line + 1, text.find('\n', line + 1) - line - 1);
  EXPECT_NE(words.find("0.73"), std::string::npos) << words;
  EXPECT_NE(words.find("rank 5 on node001, cuda 1"), std::string::npos) << words;
  EXPECT_EQ(check_text(sound_check()).find("deep figure"), std::string::npos);
}

TEST(CheckJson, HoldsTheFiguresOfADeepCheckAndNoneOfOtherForms) {
  const json document = parsed(deep_check());
  EXPECT_EQ(test::SchemaCheck::published("check").faults(document), "");
  EXPECT_EQ(document["preflight"]["form"], "deep");
  const json& first = document["preflight"]["deep"][0];
  EXPECT_EQ(first["figure"], "host_first_touch");
  EXPECT_TRUE(first["share"].is_null());
  EXPECT_EQ(document["ranks"][7]["deep"].size(), 4U);
  EXPECT_TRUE(parsed(sound_check())["preflight"]["deep"].empty());
}

TEST(CheckJson, HoldsFindingsSummariesAndEveryMeasurement) {
  const json document = parsed(troubled_cluster());
  EXPECT_EQ(document["schema_version"], 1);
  EXPECT_EQ(document["exit_code"], 1);
  const json& preflight = document["preflight"];
  EXPECT_EQ(preflight["sound"], false);
  EXPECT_EQ(preflight["nodes"], 125);
  EXPECT_EQ(preflight["findings"][0]["kind"], "fault");
  EXPECT_EQ(preflight["findings"][2]["metric"], "device_dgemm_sustained");
  EXPECT_EQ(preflight["findings"][2]["host"], "node027");
  EXPECT_EQ(preflight["findings"][3]["bad_links"], 124);
  EXPECT_EQ(preflight["findings"][3]["peer_host"], "node001");
  ASSERT_EQ(document["ranks"].size(), 1000U);
  EXPECT_EQ(document["ranks"][500]["health"]["uncorrected_errors"], 2);
  EXPECT_EQ(document["ranks"][217]["measurements"][1]["value"], 40000);
  EXPECT_EQ(document["ranks"][0]["measurements"][4]["peer"], 8);
}

TEST(CheckJson, IsPartOfARunsDocumentWithoutTheRanks) {
  JobReport job{.header = test::fixed_header()};
  EXPECT_TRUE(json::parse(to_json(job))["preflight"].is_null());
  job.preflight = troubled_cluster();
  const json document = json::parse(to_json(job));
  EXPECT_EQ(test::SchemaCheck::published("run").faults(document), "");
  EXPECT_EQ(document["preflight"]["findings"].size(), 5U);
  EXPECT_FALSE(document["preflight"].contains("measurements"));
}

TEST(CheckDocument, IsReadAsItWasWritten) {
  for (const CheckReport& check : {troubled_cluster(), deep_check()}) {
    const Record::Json written = to_json_value(CheckDocument{{"xhpl", "1.2.3"}, check});
    const auto read = from_json_value<CheckDocument>(JsonCursor(written, "check.json"));
    EXPECT_EQ(to_json_value(read), written);
    EXPECT_EQ(is_sound(read.check), is_sound(check));
  }
}

TEST(CheckDocument, OfAnEarlierVersionMayHaveProductsWithBoundAndError) {
  const Record::Json now = to_json_value(CheckDocument{{"xhpl", "0.2.0"}, deep_check()});
  Record::Json written = now;
  for (auto* const figure : {&written["preflight"]["deep"][0], &written["ranks"][0]["deep"][0]}) {
    (*figure)["figure"] = "host_loops_fp64";
    (*figure)["bound"] = "latency";
    (*figure)["error"] = 12.5;
  }
  const auto read = from_json_value<CheckDocument>(JsonCursor(written, "check.json"));
  EXPECT_EQ(read.check.deep.front().about.key, "host_loops_fp64");
  EXPECT_FALSE(to_json_value(read)["preflight"]["deep"][0].contains("bound"));
}

TEST(CheckDocument, OfAnEarlierVersionHasNoFiguresOfADeepCheck) {
  Record::Json written = to_json_value(CheckDocument{{"xhpl", "0.1.0"}, sound_check()});
  written["preflight"].erase("deep");
  written["ranks"][0].erase("deep");
  written["ranks"][0].erase("events");
  written["ranks"][0].erase("host_events");
  const auto read = from_json_value<CheckDocument>(JsonCursor(written, "check.json"));
  EXPECT_TRUE(read.check.ranks[0].deep.empty());
  EXPECT_EQ(read.check.rank_count, 8);
}

}  // namespace
}  // namespace hpl
