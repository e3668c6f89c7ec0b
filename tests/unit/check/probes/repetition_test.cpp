#include "check/probes/repetition.h"

#include <gtest/gtest.h>

#include "unit/check/findings/made_up_cluster.h"

namespace hpl {
namespace {

using test::figure;
using test::sound_cluster;

constexpr double kFivePercent = 0.05;

MetricFlags flags(std::initializer_list<Metric> metrics) {
  MetricFlags set{};
  for (const Metric metric : metrics)
    set[static_cast<std::size_t>(metric)] = true;
  return set;
}

MetricFlags doubtful_of(const std::vector<RankRecord>& ranks) {
  return doubtful_metrics(judge(CheckForm::Full, ranks, kFivePercent));
}

TEST(Repetition, IsForOutliersAmongFiguresOfProcessors) {
  auto ranks = sound_cluster(4, 2);
  EXPECT_EQ(doubtful_of(ranks), flags({}));
  figure(ranks, Metric::HostDgemm, 3) = 40;
  figure(ranks, Metric::DeviceDgemmSustained, 5) = 30000;
  figure(ranks, Metric::NodeBandwidth, 0, 2) = 3;
  EXPECT_EQ(doubtful_of(ranks), flags({Metric::HostDgemm}));
}

TEST(Repetition, IsForEveryFigureOfARankWhoseDeviceIsTheProcessor) {
  auto ranks = sound_cluster(4, 2);
  for (RankRecord& rank : ranks)
    rank.device_is_host = true;
  figure(ranks, Metric::DeviceDgemmSustained, 5) = 30000;
  figure(ranks, Metric::NodeBandwidth, 0, 2) = 3;
  EXPECT_EQ(doubtful_of(ranks), flags({Metric::DeviceDgemmSustained, Metric::NodeBandwidth}));
}

TEST(Repetition, OfAProbeTakesPlaceWhereItMeasuredADoubtfulMetric) {
  const auto ranks = sound_cluster(1, 1);
  const MetricFlags measured = metrics_of(ranks[0].measurements);
  EXPECT_TRUE(have_common(measured, flags({Metric::HostDgemm})));
  EXPECT_FALSE(have_common(measured, flags({Metric::NodeBandwidth})));
  EXPECT_FALSE(have_common(measured, flags({})));
}

TEST(Repetition, KeepsTheBetterOfTwoFiguresAndEveryFailure) {
  RankRecord record{.measurements = {{Metric::HostDgemm, kNoPeer, 40},
                                     {Metric::PairLatency, 1, 3},
                                     {Metric::PairLatency, 2, 3},
                                     {Metric::ClockOffset, kNoPeer, -0.5},
                                     {Metric::Temperature, kNoPeer, 60}}};
  const RankRecord again{.failed = {{"a probe", "broken"}},
                         .measurements = {{Metric::HostDgemm, kNoPeer, 80},
                                          {Metric::PairLatency, 1, 4},
                                          {Metric::PairLatency, 2, 1},
                                          {Metric::ClockOffset, kNoPeer, 0.1},
                                          {Metric::Temperature, kNoPeer, 50}}};
  keep_better(record, again);
  std::vector<double> values;
  for (const Measurement& one : record.measurements)
    values.push_back(one.value);
  EXPECT_EQ(values, (std::vector<double>{80, 3, 1, 0.1, 60}));
  ASSERT_EQ(record.failed.size(), 1U);
  EXPECT_EQ(record.failed[0].probe, "a probe");
}

}  // namespace
}  // namespace hpl
