#include "gemm/run/gemm_run.h"

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include <gtest/gtest.h>

#include "support/forwarding_device.h"
#include "support/message_of.h"

namespace hpl::gemm {
namespace {

std::unique_ptr<hpcx::Device> cpu_device(int threads = 1) {
  return hpcx::open_device(
      {.backend = hpcx::Backend::Cpu, .cpu = {.threads = threads, .on_thread_start = {}}});
}

/// A matrix of small whole numbers: sums are exact, whatever their order.
struct Matrix {
  Matrix(std::int64_t rows, std::int64_t cols, int seed) : ld(rows + 3) {
    values.resize(static_cast<std::size_t>(ld * cols), 77);
    view = {values.data(), rows, cols, ld, hpcx::Layout::ColumnMajor};
    for (std::int64_t j = 0; j < cols; ++j)
      for (std::int64_t i = 0; i < rows; ++i)
        view(i, j) = static_cast<double>((i * 7 + j * 13 + seed) % 11 - 5);
  }
  std::int64_t ld;
  std::vector<double> values;
  hpcx::MatrixView view;
};

struct Problem {
  explicit Problem(Shape s, double alpha = 1, double beta = 1)
      : shape(s), a(s.rows, s.depth, 1), b(s.depth, s.cols, 2), c(s.rows, s.cols, 3) {
    operands = {a.view, b.view, c.view, alpha, beta};
    expected = c.values;
    const hpcx::MatrixView result{expected.data(), s.rows, s.cols, c.ld, hpcx::Layout::ColumnMajor};
    for (std::int64_t j = 0; j < s.cols; ++j)
      for (std::int64_t i = 0; i < s.rows; ++i) {
        double sum = 0;
        for (std::int64_t l = 0; l < s.depth; ++l)
          sum += a.view(i, l) * b.view(l, j);
        result(i, j) = alpha * sum + (beta == 0 ? 0 : beta * result(i, j));
      }
  }
  Shape shape;
  Matrix a, b, c;
  Operands operands;
  std::vector<double> expected;  // padding included
};

PlanSpec spec_of(const Problem& problem, Variant variant, std::int64_t bytes, int streams = 2) {
  return {.shape = problem.shape,
          .variant = variant,
          .loads_c = problem.operands.beta != 0,
          .device_bytes = bytes,
          .piece = 48,
          .streams = streams};
}

TEST(GemmRun, ComputesTheProductInEveryVariantWhateverTheDeviceHolds) {
  const auto device = cpu_device(2);
  for (const Variant variant : choice_values(kVariants))
    for (const std::int64_t bytes : {150'000, 250'000, 4'000'000})
      for (const bool pageable : {false, true})
        for (const double beta : {0.0, 2.0}) {
          Problem problem({110, 130, 90}, -3, beta);
          if (beta == 0) problem.c.view(5, 5) = std::numeric_limits<double>::quiet_NaN();
          DevicePipeline pipeline(*device, make_plan(spec_of(problem, variant, bytes)), pageable);
          const GemmRun run = run_gemm({{&pipeline, problem.operands, 1e9}}, {});
          EXPECT_EQ(problem.c.values, problem.expected)
              << to_string(variant) << " in " << bytes << " bytes, pageable " << pageable;
          EXPECT_DOUBLE_EQ(run.flops(), problem.shape.flops());
          EXPECT_EQ(pipeline.staging_bytes() > 0, pageable);
        }
}

TEST(GemmRun, TellsWhatEachStageDid) {
  const auto device = cpu_device(2);
  Problem problem({110, 130, 90});
  DevicePipeline pipeline(*device, make_plan(spec_of(problem, Variant::DataPlacement, 400'000)),
                          true);
  const GemmRun run = run_gemm({{&pipeline, problem.operands, 1e9}}, {});
  const Traffic traffic = pipeline.plan().traffic();
  EXPECT_EQ(run.total(Stage::Load1).bytes, static_cast<double>(traffic.in()));
  EXPECT_EQ(run.total(Stage::Load2).bytes, static_cast<double>(traffic.in()));
  EXPECT_EQ(run.total(Stage::Store1).bytes, static_cast<double>(traffic.c_out));
  EXPECT_EQ(run.total(Stage::Store2).bytes, static_cast<double>(traffic.c_out));
  EXPECT_EQ(run.total(Stage::Product).flops, problem.shape.flops());
  for (const StageSpan& span : run.devices[0].spans) {
    EXPECT_LE(span.begin, span.end);
    EXPECT_LE(span.end, run.seconds);
  }
  EXPECT_GT(run.fill(), 0);
  EXPECT_GT(run.drain(), 0);
  EXPECT_LE(run.fill() + run.drain(), run.seconds);
}

TEST(GemmRun, RunsStagesAlone) {
  const auto device = cpu_device(1);
  Problem problem({110, 130, 90});
  const std::vector<double> before = problem.c.values;
  DevicePipeline pipeline(*device, make_plan(spec_of(problem, Variant::DataPlacement, 400'000)),
                          false);
  const std::vector<DeviceShare> shares{{&pipeline, problem.operands, 1e9}};
  const GemmRun loads =
      run_gemm(shares, {}, {.active = {.load = true, .product = false, .store = false}});
  EXPECT_EQ(loads.flops(), 0);
  EXPECT_EQ(loads.total(Stage::Load2).bytes, static_cast<double>(pipeline.plan().traffic().in()));
  const GemmRun products =
      run_gemm(shares, {}, {.active = {.load = false, .product = true, .store = false}});
  EXPECT_EQ(products.flops(), problem.shape.flops());
  EXPECT_EQ(products.total(Stage::Load2).bytes, 0);
  EXPECT_EQ(problem.c.values, before) << "nothing was stored";
}

TEST(GemmRun, DividesColumnsAmongDevices) {
  const auto first = cpu_device(1), second = cpu_device(1);
  Problem problem({150, 200, 90}, 2, -1);
  PlanSpec spec = spec_of(problem, Variant::DataPlacement, 300'000);
  spec.shape.cols = 120;
  DevicePipeline left(*first, make_plan(spec), false);
  spec.shape.cols = 80;
  DevicePipeline right(*second, make_plan(spec), false);
  const GemmRun run = run_gemm({{&left, problem.operands.col_range(0, 120), 1e9},
                                {&right, problem.operands.col_range(120, 80), 1e9}},
                               {});
  EXPECT_EQ(problem.c.values, problem.expected);
  EXPECT_GE(run.imbalance(), 0);
  EXPECT_LT(run.imbalance(), 1);
}

TEST(GemmRun, SharesWithTheHostWhatItIsTold) {
  const auto device = cpu_device(1), host = cpu_device(1);
  for (const double fraction : {0.0, 0.25, 1.0}) {
    Problem problem({192, 480, 64}, 1, 1);
    DevicePipeline pipeline(*device, make_plan(spec_of(problem, Variant::Hybrid, 400'000)), false);
    const GemmRun run =
        run_gemm({{&pipeline, problem.operands, 1e9}}, HostShare{host.get(), 1e9, fraction});
    EXPECT_EQ(problem.c.values, problem.expected) << fraction;
    EXPECT_NEAR(run.host.flops / problem.shape.flops(), fraction, 0.01);
    EXPECT_DOUBLE_EQ(run.flops(), problem.shape.flops());
    EXPECT_EQ(run.total(Stage::HostProduct).flops, run.host.flops);
  }
}

TEST(GemmRun, LetsHostAndDeviceMeet) {
  const auto device = cpu_device(1), host = cpu_device(1);
  for (const double believed : {1e3, 1e9, 1e15}) {  // rates may be far from true
    Problem problem({192, 960, 64}, 1, 1);
    DevicePipeline pipeline(*device, make_plan(spec_of(problem, Variant::Hybrid, 400'000)), false);
    const GemmRun run =
        run_gemm({{&pipeline, problem.operands, 1e9}}, HostShare{host.get(), believed, {}});
    EXPECT_EQ(problem.c.values, problem.expected) << believed;
    EXPECT_DOUBLE_EQ(run.flops(), problem.shape.flops());
  }
}

TEST(GemmRun, StopsAfterAFewBlocksWhereOnlyATrialIsWanted) {
  const auto device = cpu_device(1), host = cpu_device(1);
  Problem problem({192, 960, 64}, 1, 1);
  DevicePipeline pipeline(*device, make_plan(spec_of(problem, Variant::Hybrid, 400'000)), false);
  const std::vector<DeviceShare> shares{{&pipeline, problem.operands, 1e9}};
  const GemmRun alone = run_gemm(shares, {}, {.most_blocks = 3});
  const Shape block{48, 48, 64};
  EXPECT_DOUBLE_EQ(alone.flops(), 3 * block.flops());
  const GemmRun both = run_gemm(shares, HostShare{host.get(), 1e9, {}}, {.most_blocks = 3});
  EXPECT_DOUBLE_EQ(both.devices[0].flops, alone.flops());
}

/// Fails in the middle.
class Failing final : public hpl::test::ForwardingDevice {
 public:
  using ForwardingDevice::ForwardingDevice;

 protected:
  void gemm(hpcx::StreamRef stream, const hpcx::MatrixProduct& product) override {
    if (++products_ == 5) throw std::runtime_error("the device is gone");
    ForwardingDevice::gemm(stream, product);
  }

 private:
  int products_ = 0;
};

TEST(GemmRun, EndsWithTheFailureOfADevice) {
  const auto device = cpu_device(1), host = cpu_device(1);
  Failing failing(*device);
  Problem problem({192, 480, 64});
  DevicePipeline pipeline(failing, make_plan(spec_of(problem, Variant::Hybrid, 400'000)), false);
  EXPECT_EQ(test::message_of<std::runtime_error>([&] {
              run_gemm({{&pipeline, problem.operands, 1e9}}, HostShare{host.get(), 1e9, 0.5});
            }),
            "the device is gone");
}

}  // namespace
}  // namespace hpl::gemm
