#include "hpl/lu/system/host_share.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/cpu_device.h"

namespace hpl {
namespace {

/// Rates of a host that is a quarter as fast as its device.
constexpr HybridRates kRates{.device_alone = 400, .device_beside = 400, .host_beside = 100};

class HostShareOfARun : public testing::Test {
 protected:
  HostShare settled(int grid_rows, std::optional<HybridRates> rates,
                    std::optional<double> wanted = {}) {
    const SettledHostShare settled = settle_host_share(
        ranks_, {.wanted = wanted, .grid_rows = grid_rows, .load = load_, .measure = [&] {
                   ++measured_;
                   return rates;
                 }});
    remark_ = settled.remark;
    return settled.share;
  }

  mpi::Communicator ranks_ = mpi::Communicator::world();
  std::string remark_;
  HybridLoad load_{.flops = 1e12};
  int measured_ = 0;
};

TEST_F(HostShareOfARun, IsTheFractionAskedForWithoutAMeasurement) {
  const HostShare share = settled(1, kRates, 0.2);
  EXPECT_EQ(share.first, 0.2);
  EXPECT_FALSE(share.follows);
  EXPECT_EQ(measured_, 0);
}

TEST_F(HostShareOfARun, FollowsWhereNoOtherProcessRowDividesToo) {
  EXPECT_TRUE(settled(1, kRates).follows);
  EXPECT_DOUBLE_EQ(settled(1, kRates).first, 0.2);
  EXPECT_FALSE(settled(2, kRates).follows);
  EXPECT_EQ(remark_, "");
}

TEST_F(HostShareOfARun, IsTheLeastOfAllRanksThatHaveColumnsInHostMemory) {
  HybridRates rates = kRates;
  if (ranks_.rank() == ranks_.size() - 1) rates.host_beside = 44.0 + 4.0 / 9;  // a ninth of 400
  std::optional<HybridRates> mine = rates;
  if (ranks_.size() > 1 && ranks_.rank() == 0) mine.reset();
  EXPECT_NEAR(settled(1, mine).first, 0.1, 1e-6);
}

TEST_F(HostShareOfARun, IsNothingOnAllRanksWhereOneGainsNothing) {
  HybridRates rates = kRates;
  if (ranks_.rank() == 0) rates.device_beside = 300;
  EXPECT_EQ(settled(1, rates).first, 0);
  EXPECT_NE(remark_.find("hardly faster than the device alone"), std::string::npos);
}

TEST_F(HostShareOfARun, IsNothingWhereTheRunWaitsForCopies) {
  HybridRates rates = kRates;
  rates.copies_alone = 50;
  rates.copies_beside = 40;
  load_ = hybrid_load(local_shape({.order = 100'000, .block_size = 500}, {0, 0}),
                      {.visits = {.resident_columns = 0, .steps = 40}});
  EXPECT_GT(settled(1, rates).first, 0);  // 1700 s of products
  EXPECT_EQ(remark_, "");
  rates.copies_alone = 0.05;
  rates.copies_beside = 0.04;
  EXPECT_EQ(settled(1, rates).first, 0);
  EXPECT_NE(remark_, "");
}

TEST_F(HostShareOfARun, IsMeasuredWithoutAChangeToTheMatrix) {
  const auto device = test::open_cpu(1), host = test::open_cpu(1);
  const RunSpec spec{.order = 200, .block_size = 24};
  const LocalShape shape = local_shape(spec, {0, 0});
  const DistributedMatrix matrix(*device, spec, {0, 0},
                                 visited_part(shape, {.resident_columns = 40, .columns = 12}));
  const StageStreams streams(*device, true);
  matrix.generate(streams.update);
  streams.update.ref().synchronize();
  const auto contents = [&] {
    std::vector<double> values;
    for (const ColumnRange& columns : matrix.visits()) {
      const hpcx::MatrixView view = matrix.visited(columns);
      for (std::int64_t i = 0; i < view.rows; ++i)
        for (std::int64_t j = 0; j < view.cols; ++j)
          values.push_back(view(i, j));
    }
    return values;
  };
  const std::vector<double> before = contents();
  const auto rates = measure_hybrid(*device, *host, matrix, streams);
  ASSERT_TRUE(rates);
  EXPECT_GT(rates->device_alone, 0);
  EXPECT_GT(rates->device_beside, 0);
  EXPECT_GT(rates->host_beside, 0);
  EXPECT_GT(rates->copies_alone, 0);
  EXPECT_GT(rates->copies_beside, 0);
  EXPECT_EQ(contents(), before);

  const DistributedMatrix resident(*device, spec, {0, 0});
  EXPECT_FALSE(measure_hybrid(*device, *host, resident, streams));
}

}  // namespace
}  // namespace hpl
