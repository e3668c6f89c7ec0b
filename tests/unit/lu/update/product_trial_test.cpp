#include "hpl/lu/update/product_trial.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "support/cpu_device.h"
#include "support/forwarding_device.h"

namespace hpl {
namespace {

constexpr std::int64_t kAnyMemory = std::int64_t{1} << 50;
constexpr double kAnyTime = std::numeric_limits<double>::infinity();

TEST(ProductShape, StaysAsItIsWhereItFits) {
  const ProductShape shape{.rows = 30000, .columns = 4096, .depth = 192};
  EXPECT_EQ(shape.within(kAnyMemory, kAnyTime), shape);
  EXPECT_EQ(shape.within(shape.elements(), shape.flops()), shape);
}

TEST(ProductShape, LosesRowsBeforeColumnsWhereItTakesTooLong) {
  const ProductShape shape{.rows = 30000, .columns = 4096, .depth = 192};
  const ProductShape shorter = shape.within(kAnyMemory, shape.flops() / 3);
  EXPECT_EQ(shorter, (ProductShape{.rows = 10000, .columns = 4096, .depth = 192}));
  const ProductShape square = shape.within(kAnyMemory, 2.0 * 192 * 2048 * 2048);
  EXPECT_EQ(square, (ProductShape{.rows = 2048, .columns = 2048, .depth = 192}));
}

TEST(ProductShape, FitsIntoMemoryWithItsOperands) {
  const ProductShape shape{.rows = 100000, .columns = 32768, .depth = 2048};
  for (std::int64_t most = 1 << 20; most < shape.elements(); most *= 3) {
    const ProductShape small = shape.within(most, kAnyTime);
    EXPECT_LE(small.elements(), most);
    EXPECT_GT(small.within(most, kAnyTime).elements(), most * 9 / 10);
    EXPECT_EQ(small.rows % 16, 0);
    EXPECT_EQ(small.columns % 16, 0);
  }
}

TEST(ProductTrial, TellsTheRateOfEveryStretchAndCallsBackInEach) {
  const auto device = test::open_cpu(2);
  ProductTrial trial(*device, {.rows = 96, .columns = 48, .depth = 32});
  int calls = 0;
  const std::vector<double> rates = trial.rates(0.02, 0.002, [&] { ++calls; });
  EXPECT_EQ(std::ssize(rates), calls);
  EXPECT_GE(calls, 1);
  for (const double rate : rates)
    EXPECT_GT(rate, 0);
}

TEST(ProductTrial, MakesProductsOfHplMxpInItsFormats) {
  const auto device = test::open_cpu(2);
  using hpcx::Precision;
  for (const MixedSpec& mixed :
       {MixedSpec{}, MixedSpec{.storage = Precision::Fp32},
        MixedSpec{.operands = Precision::Fp32, .storage = Precision::Fp32}})
    EXPECT_GT(ProductTrial(*device, {.rows = 65, .columns = 40, .depth = 33}, mixed)
                  .rates(0, 0.001)
                  .front(),
              0);
}

TEST(ProductTrial, MeasuresOneStretchWhereNoTimeIsGiven) {
  const auto device = test::open_cpu(1);
  ProductTrial trial(*device, {.rows = 33, .columns = 100, .depth = 7});
  EXPECT_EQ(trial.rates(0, 0.001).size(), 1U);
  EXPECT_EQ(trial.rates(0, 0.001).size(), 1U);
}

/// Sees the operands of the products.
class Onlooker : public test::ForwardingDevice {
 public:
  using ForwardingDevice::ForwardingDevice;
  double largest_of_u12() const { return largest_; }

 protected:
  void gemm(hpcx::StreamRef stream, const hpcx::MatrixProduct& product) override {
    const hpcx::ConstMatrixView& b = product.b;
    for (std::int64_t i = 0; i < b.rows; ++i)
      for (std::int64_t j = 0; j < b.cols; ++j)
        largest_ = std::max(largest_, std::abs(b(i, j)));
    ForwardingDevice::gemm(stream, product);
  }

 private:
  double largest_ = 0;
};

TEST(ProductTrial, MultipliesTheValuesThatAreAskedFor) {
  const auto device = test::open_cpu(1);
  const ProductShape shape{.rows = 33, .columns = 100, .depth = 7};
  Onlooker random(*device), factors(*device);
  EXPECT_GT(ProductTrial(random, shape).rates(0, 0.001).front(), 0);
  EXPECT_GT(ProductTrial(factors, shape, {.values = ProductValues::Factors, .shift = 3})
                .rates(0, 0.001)
                .front(),
            0);
  EXPECT_GT(random.largest_of_u12(), 0.4);
  EXPECT_LE(random.largest_of_u12(), 0.5);
  EXPECT_GT(factors.largest_of_u12(), 10);
}

TEST(ProductTrial, MultipliesResiduesWhereModuliAreAskedFor) {
  const auto device = test::open_cpu(1);
  Onlooker emulated(*device);
  const ProductShape shape{.rows = 33, .columns = 100, .depth = 7};
  EXPECT_GT(ProductTrial(emulated, shape, {.moduli = 14}).rates(0, 0.001).front(), 0);
  EXPECT_EQ(emulated.largest_of_u12(), 0) << "a product in FP64";
}

TEST(ProductTrial, WorksInTheThreadThatHoldsTheDevice) {
  const auto device = test::open_cpu(1);
  const auto lease = device->compute_here();
  ProductTrial trial(*device, {.rows = 64, .columns = 64, .depth = 16});
  EXPECT_GT(trial.rates(0, 0.001).front(), 0);
}

}  // namespace
}  // namespace hpl
