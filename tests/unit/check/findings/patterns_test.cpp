#include <algorithm>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "hpl/check/findings/check_report.h"
#include "hpl/check/findings/record.h"
#include "made_up_cluster.h"
#include "support/holds.h"

namespace hpl {
namespace {

TEST(PatternOf, TellsPowerFromMemoryAndClock) {
  EXPECT_EQ(pattern_of(1, 1, 0.1), Pattern::None);
  EXPECT_EQ(pattern_of(0.91, 1.2, 0.1), Pattern::None);
  EXPECT_EQ(pattern_of(0.8, 0.99, 0.1), Pattern::Power);
  EXPECT_EQ(pattern_of(1.01, 0.8, 0.1), Pattern::Memory);
  EXPECT_EQ(pattern_of(0.8, 0.8, 0.1), Pattern::Clock);
}

const RankFinding* finding_of(const CheckReport& report, int rank) {
  const auto found = std::ranges::find(report.findings, rank, &RankFinding::rank);
  return found == report.findings.end() ? nullptr : &*found;
}

TEST(Patterns, OfASoundClusterAreNone) {
  const CheckReport report = judge(CheckForm::Deep, test::deeply_checked_cluster(2, 4), 0.05);
  EXPECT_TRUE(report.findings.empty()) << report.findings.front().text;
  EXPECT_TRUE(is_sound(report));
}

TEST(Patterns, ALibraryThatIsSlowAloneIsPower) {
  auto ranks = test::deeply_checked_cluster(2, 4);
  test::deep_figure(ranks, "device_library_fp64", 5).value *= 0.7;
  const CheckReport report = judge(CheckForm::Deep, ranks, 0.05);
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_EQ(report.findings[0].rank, 5);
  EXPECT_EQ(report.findings[0].severity, Severity::Slow);
  EXPECT_TRUE(test::holds(report.findings[0].text,
                          {"power limit and cooling",
                           "on the device: library 29.6 % below, tiles 0.3 % above the median"}));
}

TEST(Patterns, TilesThatAreSlowWhereTheLibraryIsNotAreMemory) {
  auto ranks = test::deeply_checked_cluster(2, 4);
  for (const char* const key : {"device_tiles_1_fp64", "device_tiles_2_fp64"})
    test::deep_figure(ranks, key, 2).value *= 0.6;
  const CheckReport report = judge(CheckForm::Deep, ranks, 0.05);
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_NE(report.findings[0].text.find("look at the memory"), std::string::npos);
}

TEST(Patterns, OneSlowKindOfTilesIsNone) {
  auto ranks = test::deeply_checked_cluster(2, 4);
  test::deep_figure(ranks, "device_tiles_1_fp64", 2).value *= 0.6;  // the best one counts
  EXPECT_TRUE(judge(CheckForm::Deep, ranks, 0.05).findings.empty());
}

TEST(Patterns, EverythingSlowIsTheClockOfAHostToo) {
  auto ranks = test::deeply_checked_cluster(2, 4);
  for (const char* const key : {"host_library_fp64", "host_blocked_64_fp64"})
    test::deep_figure(ranks, key, 7).value *= 0.5;
  const CheckReport report = judge(CheckForm::Deep, ranks, 0.05);
  ASSERT_EQ(report.findings.size(), 1U);
  EXPECT_TRUE(test::holds(report.findings[0].text, {"on the host", "look at the clock"}));
}

TEST(Patterns, OfTwoRanksAreNone) {
  auto ranks = test::deeply_checked_cluster(1, 2);
  test::deep_figure(ranks, "device_library_fp64", 1).value *= 0.5;
  EXPECT_TRUE(judge(CheckForm::Deep, ranks, 0.05).findings.empty());
}

TEST(Patterns, CompareDevicesOfOneModelOnly) {
  auto ranks = test::deeply_checked_cluster(1, 4);
  ranks[3].device_model = "NVIDIA A100";
  for (const char* const key :
       {"device_library_fp64", "device_tiles_1_fp64", "device_tiles_2_fp64"})
    test::deep_figure(ranks, key, 3).value *= 0.2;
  EXPECT_TRUE(judge(CheckForm::Deep, ranks, 0.05).findings.empty());
}

TEST(Patterns, AreNotLookedForWhereRanksShareCores) {
  auto ranks = test::deeply_checked_cluster(1, 4);
  for (RankRecord& rank : ranks)
    rank.oversubscribed = true;
  test::deep_figure(ranks, "host_library_fp64", 1).value *= 0.5;
  EXPECT_EQ(finding_of(judge(CheckForm::Deep, ranks, 0.05), 1), nullptr);
}

TEST(WrongResults, AreFaults) {
  auto ranks = test::deeply_checked_cluster(1, 4);
  test::deep_figure(ranks, "device_tiles_2_fp64", 1).error = 12.5;
  test::deep_figure(ranks, "host_library_fp64", 2).error = std::numeric_limits<double>::quiet_NaN();
  const CheckReport report = judge(CheckForm::Deep, ranks, 0.05);
  EXPECT_EQ(count(report, Severity::Fault), 2);
  EXPECT_FALSE(is_sound(report));
  EXPECT_TRUE(test::holds(report.findings[0].text, {"wrong result", "12.5 times its bound"}));
}

TEST(DeepSummaries, HaveOneLineAFigureAndModelInTheOrderOfTheRanks) {
  auto ranks = test::deeply_checked_cluster(1, 4);
  ranks[3].device_model = "NVIDIA A100";
  test::deep_figure(ranks, "chase_8192", 2).value = 9;
  test::deep_figure(ranks, "host_library_fp64", 1).error = 0.25;
  const CheckReport report = judge(CheckForm::Deep, ranks, 0.05);
  ASSERT_FALSE(report.deep.empty());
  EXPECT_EQ(report.deep.front().about.key, ranks[0].deep.front().key);
  const auto summary = [&](const char* key, const char* group) {
    return *std::ranges::find_if(report.deep, [&](const DeepSummary& one) {
      return one.about.key == key && one.group == group;
    });
  };
  EXPECT_EQ(summary("device_library_fp64", "NVIDIA H200").count, 3);
  EXPECT_EQ(summary("device_library_fp64", "NVIDIA A100").count, 1);
  const DeepSummary chase = summary("chase_8192", "Xeon");
  EXPECT_EQ(chase.count, 4);
  EXPECT_EQ(chase.worst_rank, 2);  // of latencies the largest
  EXPECT_EQ(chase.maximum, 9);
  EXPECT_EQ(summary("host_library_fp64", "Xeon").error, 0.25);
}

/// Every member differs from its default.
RankRecord full_rank() {
  RankRecord rank = test::sound_rank(5, 4);
  rank.host = "caf\xe9";  // not UTF-8
  rank.kernel_warning = "a warning";
  rank.threads_granted = false;
  rank.numa_node = 1;
  rank.oversubscribed = true;
  rank.device_numa_node = 2;
  rank.far_from_device = true;
  rank.health = {.pci_address = "0000:1b:00.0",
                 .maximum_clock_mhz = 1980,
                 .power_limit_watts = 600,
                 .default_power_limit_watts = 700,
                 .ecc = true,
                 .corrected_errors = 3,
                 .uncorrected_errors = 4,
                 .uncorrected_errors_ever = 5,
                 .remapped_rows = hpcx::RemappedRows{1, 2, false, true}};
  rank.throttle_reasons = {"power cap"};
  rank.skipped = {{"a", "b"}};
  rank.failed = {{"c", "d"}};
  rank.disturbed = {{"e", "f"}};
  rank.measurements = {{Figure::NodeBandwidth, 12, 0.1 + 0.2}, {Figure::DevicePower, kNoPeer, 700}};
  rank.deep = {{.key = "device_tiles_2_fp64",
                .label = "tiles",
                .unit = "GFLOP/s",
                .of_device = true,
                .lower_is_better = true,
                .value = 0.1 + 0.2,
                .bound = Bound::Caches,
                .share = 1.5}};
  return rank;
}

TEST(RankRecord, ComesBackFromAMessageAsItWas) {
  EXPECT_EQ(unpack<RankRecord>(pack(full_rank())), full_rank());
}

TEST(RankRecord, ComesBackFromADocumentButForWhatOnlyMessagesHold) {
  RankRecord rank = full_rank();
  rank.host = "cafe";
  const RankRecord got = from_json_value<RankRecord>(JsonCursor(to_json_value(rank), "check.json"));
  EXPECT_TRUE(got.device_is_host);
  EXPECT_TRUE(got.threads_granted);
  rank.device_is_host = rank.threads_granted = true;
  rank.deep[0].label = rank.deep[0].unit = {};
  rank.deep[0].of_device = rank.deep[0].lower_is_better = false;
  EXPECT_EQ(got, rank);
}

TEST(Metrics, HaveNamesOfTheirOwn) {
  std::set<std::string_view> keys, labels;
  for (const FigureInfo& metric : kCheckFigures) {
    EXPECT_TRUE(keys.insert(metric.name).second) << metric.name;
    EXPECT_TRUE(labels.insert(metric.label).second) << metric.label;
    EXPECT_FALSE(metric.unit.empty()) << metric.name;
  }
  EXPECT_EQ(std::ssize(keys), std::ssize(kCheckFigures));
  EXPECT_EQ(info(Figure::DeviceTemperature).name, "temperature");
  EXPECT_EQ(info(Figure::HostDgemm).name, "host_dgemm");
}

}  // namespace
}  // namespace hpl
