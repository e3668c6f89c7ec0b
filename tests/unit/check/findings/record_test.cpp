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

TEST(DeepSummaries, HaveOneLineAFigureAndModelInTheOrderOfTheRanks) {
  auto ranks = test::deeply_checked_cluster(1, 4);
  ranks[3].device_model = "NVIDIA A100";
  test::deep_figure(ranks, "device_context", 2).value = 900;
  const CheckReport report = judge(CheckForm::Deep, ranks, {0.05});
  ASSERT_FALSE(report.deep.empty());
  EXPECT_EQ(report.deep.front().about.key, ranks[0].deep.front().key);
  const auto summary = [&](const char* key, const char* group) {
    return *std::ranges::find_if(report.deep, [&](const DeepSummary& one) {
      return one.about.key == key && one.group == group;
    });
  };
  EXPECT_EQ(summary("copy_in_alone", "NVIDIA H200").count, 3);
  EXPECT_EQ(summary("copy_in_alone", "NVIDIA A100").count, 1);
  EXPECT_EQ(summary("host_first_touch", "Xeon").count, 4);
  const DeepSummary start = summary("device_context", "NVIDIA H200");
  EXPECT_EQ(start.worst_rank, 2);  // of times the largest
  EXPECT_EQ(start.maximum, 900);
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
  rank.deep = {{.key = "copy_in_together",
                .label = "copies",
                .unit = "GB/s",
                .of_device = true,
                .lower_is_better = true,
                .value = 0.1 + 0.2,
                .share = 0.5}};
  return rank;
}

TEST(RankRecord, ComesBackFromAMessageAsItWas) {
  EXPECT_EQ(unpack<RankRecord>(pack(full_rank())), full_rank());
}

TEST(RankRecord, ComesBackFromADocumentButForWhatOnlyMessagesHold) {
  RankRecord rank = full_rank();
  rank.host = "cafe";
  const RankRecord got = from_json_value<RankRecord>(JsonCursor(to_json_value(rank), "check.json"));
  EXPECT_TRUE(got.threads_granted);
  rank.threads_granted = true;
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
