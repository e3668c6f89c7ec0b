#include "lu/update/typical_factors.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "hpl/lu/update/product_trial.h"
#include "support/cpu_device.h"

namespace hpl {
namespace {

using hpcx::Layout;

constexpr std::int64_t kRows = 600, kDepth = 150, kColumns = 300;
constexpr std::int64_t kSampleSize = 256, kSampleDepth = 128;

class TypicalFactors : public ::testing::Test {
 protected:
  TypicalFactors() { fill_with_typical_factors(*device_, stream_, l21_, u12_); }

  static double root_mean_square(hpcx::ConstMatrixView a) {
    double squares = 0;
    for (std::int64_t i = 0; i < a.rows; ++i)
      for (std::int64_t j = 0; j < a.cols; ++j)
        squares += a(i, j) * a(i, j);
    return std::sqrt(squares / static_cast<double>(a.rows * a.cols));
  }

  std::unique_ptr<hpcx::Device> device_ = test::open_cpu(1);
  hpcx::Stream stream_ = device_->create_stream(hpcx::Priority::Normal);
  std::vector<double> l_memory_ = std::vector<double>((kRows + 3) * kDepth, NAN);
  std::vector<double> u_memory_ = std::vector<double>(kDepth * (kColumns + 5), NAN);
  hpcx::MatrixView l21_{l_memory_.data(), kRows, kDepth, kRows + 3, Layout::ColumnMajor};
  hpcx::MatrixView u12_{u_memory_.data(), kDepth, kColumns, kColumns + 5, Layout::RowMajor};
};

TEST_F(TypicalFactors, AreMultipliersOfPivotedColumns) {
  for (std::int64_t j = 0; j < kDepth; ++j)
    for (std::int64_t i = 0; i < kRows; ++i)
      ASSERT_LE(std::abs(l21_(i, j)), 1);
  const double size = root_mean_square(l21_);
  EXPECT_GT(size, 0.2);
  EXPECT_LT(size, 0.4);
}

TEST_F(TypicalFactors, HaveRowsOfUAsLateInALargeFactorization) {
  EXPECT_NEAR(root_mean_square(u12_.block(0, 0, kSampleDepth, kSampleSize)), 10, 1e-9);
  std::int64_t small = 0;
  for (std::int64_t i = 0; i < kDepth; ++i)
    for (std::int64_t j = 0; j < kColumns; ++j)
      small += std::abs(u12_(i, j)) < 2 ? 1 : 0;
  const double share = static_cast<double>(small) / (kDepth * kColumns);
  EXPECT_GT(share, 0.1);
  EXPECT_LT(share, 0.25);
}

TEST_F(TypicalFactors, RepeatAndFillTheLastBlocks) {
  for (std::int64_t i = 0; i < kRows; ++i)
    for (std::int64_t j = 0; j < kDepth; ++j)
      ASSERT_EQ(l21_(i, j), l21_(i % kSampleSize, j % kSampleDepth)) << i << ", " << j;
  for (std::int64_t i = 0; i < kDepth; ++i)
    for (std::int64_t j = 0; j < kColumns; ++j)
      ASSERT_EQ(u12_(i, j), u12_(i % kSampleDepth, j % kSampleSize)) << i << ", " << j;
}

TEST_F(TypicalFactors, LeaveAloneWhatLiesBetweenTheirColumnsAndRows) {
  EXPECT_TRUE(std::isnan(l_memory_[kRows]));
  EXPECT_TRUE(std::isnan(u_memory_[kColumns]));
}

}  // namespace
}  // namespace hpl
