#include "hpl/machine/check/record.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "made_up_cluster.h"

namespace hpl {
namespace {

TEST(RankRecordBytes, ComeBackFromTheWayAsTheyWere) {
  RankRecord sent = test::sound_rank(5, 4);
  sent.host = "caf\xe9";  // not UTF-8
  sent.kernel_warning = "a warning";
  sent.threads_granted = false;
  sent.far_from_device = true;
  sent.health = {.pci_address = "0000:1b:00.0",
                 .power_limit_watts = 700,
                 .ecc = true,
                 .uncorrected_errors = 4,
                 .remapped_rows = hpcx::RemappedRows{1, 2, false, true}};
  sent.throttle_reasons = {"power cap"};
  sent.skipped = {{"a", "b"}};
  sent.failed = {{"c", "d"}};
  sent.measurements = {{Metric::NodeBandwidth, 12, 0.1 + 0.2}};
  sent.deep = {{.key = "device_tiles_2_fp64",
                .label = "tiles",
                .unit = "GFLOP/s",
                .of_device = true,
                .value = 0.1 + 0.2,
                .bound = Bound::Caches,
                .share = 1.5,
                .error = {}}};

  const RankRecord got = rank_record(to_bytes(sent));

  EXPECT_EQ(got.rank, 5);
  EXPECT_EQ(got.node, 1);
  EXPECT_EQ(got.host, sent.host);
  EXPECT_EQ(got.processor, "Xeon");
  EXPECT_EQ(got.device, "cuda 1");
  EXPECT_EQ(got.device_model, "NVIDIA H200");
  EXPECT_FALSE(got.device_is_host);
  EXPECT_EQ(got.blas_kernel, "SkylakeX");
  EXPECT_EQ(got.kernel_warning, "a warning");
  EXPECT_EQ(got.thread_level, "multiple");
  EXPECT_FALSE(got.threads_granted);
  EXPECT_EQ(got.cores, sent.cores);
  EXPECT_TRUE(got.bound);
  EXPECT_TRUE(got.far_from_device);
  EXPECT_EQ(got.free_bytes, sent.free_bytes);
  EXPECT_EQ(got.needed_bytes, sent.needed_bytes);
  EXPECT_EQ(got.memory_source, sent.memory_source);
  EXPECT_EQ(got.health.pci_address, "0000:1b:00.0");
  EXPECT_FALSE(got.health.maximum_clock_mhz);
  EXPECT_EQ(got.health.power_limit_watts, 700);
  EXPECT_EQ(got.health.ecc, true);
  EXPECT_EQ(got.health.uncorrected_errors, 4);
  ASSERT_TRUE(got.health.remapped_rows);
  EXPECT_EQ(got.health.remapped_rows->after_uncorrected, 2);
  EXPECT_TRUE(got.health.remapped_rows->failed);
  EXPECT_EQ(got.throttle_reasons, sent.throttle_reasons);
  ASSERT_EQ(got.skipped.size(), 1U);
  EXPECT_EQ(got.skipped[0].reason, "b");
  ASSERT_EQ(got.failed.size(), 1U);
  EXPECT_EQ(got.failed[0].probe, "c");
  ASSERT_EQ(got.measurements.size(), 1U);
  EXPECT_EQ(got.measurements[0].metric, Metric::NodeBandwidth);
  EXPECT_EQ(got.measurements[0].peer, 12);
  EXPECT_EQ(got.measurements[0].value, 0.1 + 0.2);
  ASSERT_EQ(got.deep.size(), 1U);
  EXPECT_EQ(got.deep[0].key, "device_tiles_2_fp64");
  EXPECT_EQ(got.deep[0].label, "tiles");
  EXPECT_EQ(got.deep[0].unit, "GFLOP/s");
  EXPECT_TRUE(got.deep[0].of_device);
  EXPECT_FALSE(got.deep[0].lower_is_better);
  EXPECT_EQ(got.deep[0].value, 0.1 + 0.2);
  EXPECT_EQ(got.deep[0].bound, Bound::Caches);
  EXPECT_EQ(got.deep[0].share, 1.5);
  EXPECT_FALSE(got.deep[0].error);
}

TEST(Metrics, HaveNamesOfTheirOwn) {
  std::set<std::string_view> keys, labels;
  for (const MetricInfo& metric : all_metrics()) {
    EXPECT_TRUE(keys.insert(metric.key).second) << metric.key;
    EXPECT_TRUE(labels.insert(metric.label).second) << metric.label;
    EXPECT_FALSE(metric.unit.empty()) << metric.key;
  }
  EXPECT_EQ(std::ssize(keys), kMetricCount);
  EXPECT_EQ(info(Metric::Temperature).key, "temperature");
  EXPECT_EQ(info(Metric::HostDgemm).key, "host_dgemm");
}

}  // namespace
}  // namespace hpl
