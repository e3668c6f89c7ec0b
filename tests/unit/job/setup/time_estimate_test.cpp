#include "hpl/job/setup/time_estimate.h"

#include <string>

#include <gtest/gtest.h>

#include "hpl/base/error/error.h"
#include "hpl/machine/host/sizing.h"
#include "unit/machine/model/made_up_machine.h"

namespace hpl {
namespace {

using test::only_products;
using test::spec_of;

RunSettings serial() {
  RunSettings settings;
  settings.pipeline = PipelineKind::Serial;
  settings.stages.device_panel = true;
  return settings;
}

TEST(TimeEstimate, TakesTheUsualShareOfTheDgemmRateWhereNothingElseIsKnown) {
  const TimeEstimate estimate{.attainable_gflops = 100};
  EXPECT_TRUE(estimate.known());
  EXPECT_FALSE(TimeEstimate().known());
  const RunSpec spec = spec_of(10000, 100);
  EXPECT_DOUBLE_EQ(estimate.seconds(spec, serial()), estimated_seconds(10000, 85));
  EXPECT_EQ(estimate.order_within(spec, serial(), 10), order_for_seconds(85, 10, 100));
  EXPECT_EQ(estimate.basis(), "at 85 % of the measured DGEMM rate of 100.0 GFLOP/s");
}

TEST(TimeEstimate, AsksTheModelWhereRatesAreKnown) {
  Rates rates = only_products();  // 1000 GFLOP/s
  const TimeEstimate estimate{.attainable_gflops = 100, .rates = &rates};
  const RunSpec spec = spec_of(8192, 512);
  const double products_alone = estimate.seconds(spec, serial());
  EXPECT_LT(products_alone, estimated_seconds(8192, 1000));  // the last block is no product
  EXPECT_GT(products_alone, 0.9 * estimated_seconds(8192, 1000));
  // As the job carries it out: what cannot overlap adds up.
  rates.device_panel->seconds = test::always(2, 0.01);
  EXPECT_NEAR(estimate.seconds(spec, serial()), products_alone + 16 * 0.01, 1e-3);
}

TEST(TimeEstimate, FindsTheLargestOrderThatEndsInTime) {
  const Rates rates = only_products();
  const TimeEstimate estimate{.attainable_gflops = 0, .rates = &rates};
  const RunSpec spec = spec_of(0, 512);
  const std::int64_t order = estimate.order_within(spec, serial(), 2);
  EXPECT_EQ(order % 512, 0);
  RunSpec found = spec_of(order, 512);
  EXPECT_NEAR(estimate.seconds(found, serial()), 2, 0.2);
  EXPECT_EQ(estimate.order_within(spec, serial(), 1e-9), 512);  // at least one block
}

TEST(TimeEstimate, RefusesRatesOfAnotherMachine) {
  Rates rates = only_products();
  rates.origin = "measured";
  EXPECT_NO_THROW(require_same_processor("r.json", rates, ProcessorKind::Gpu, "made up"));
  try {
    require_same_processor("r.json", rates, ProcessorKind::Gpu, "NVIDIA H200");
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_STREQ(error.what(),
                 "--rates r.json: must be of this machine, NVIDIA H200, found those of made up; "
                 "xhpl --measure-rates writes them");
  }
  EXPECT_THROW(require_same_processor("r.json", rates, ProcessorKind::Cpu, "made up"), ConfigError);
}

}  // namespace
}  // namespace hpl
