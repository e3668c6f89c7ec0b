#include "gemm/check/product_check.h"

#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "hpcx/blas.h"

namespace hpl::gemm {
namespace {

constexpr std::int64_t kRows = 1500, kCols = 70, kDepth = 90;

class ProductCheckTest : public testing::Test {
 protected:
  ProductCheckTest() {
    std::mt19937 random(5);
    std::uniform_real_distribution<double> value(-0.5, 0.5);
    for (auto* matrix : {&a_, &b_, &c_})
      for (double& x : *matrix)
        x = value(random);
  }
  Operands operands(double alpha, double beta) {
    const auto view = [](std::vector<double>& values, std::int64_t rows, std::int64_t cols) {
      return hpcx::MatrixView{values.data(), rows, cols, rows, hpcx::Layout::ColumnMajor};
    };
    return {view(a_, kRows, kDepth), view(b_, kDepth, kCols), view(c_, kRows, kCols), alpha, beta};
  }
  static void compute(const Operands& o) { hpcx::host::gemm({o.alpha, o.a, o.b, o.beta, o.c}); }

  std::unique_ptr<hpcx::Device> host_ = hpcx::open_device(
      {.backend = hpcx::Backend::Cpu, .cpu = {.threads = 2, .on_thread_start = {}}});
  std::vector<double> a_ = std::vector<double>(kRows * kDepth),
                      b_ = std::vector<double>(kDepth * kCols),
                      c_ = std::vector<double>(kRows * kCols);
};

TEST_F(ProductCheckTest, PassesWhatIsRight) {
  for (const double beta : {0.0, 1.0, -2.5}) {
    const Operands all = operands(0.75, beta);
    const ProductCheck check(*host_, all, 1);
    compute(all);
    const Verdict verdict = check.judge(all);
    EXPECT_TRUE(verdict.passed()) << verdict.product_ratio << ", " << verdict.element_ratio;
    EXPECT_GT(verdict.product_ratio, 0);
  }
}

TEST_F(ProductCheckTest, FindsAnElementThatIsWrongWhereverItIs) {
  const Operands all = operands(1, 1);
  const ProductCheck check(*host_, all, 1);
  compute(all);
  for (const auto& [i, j] : {std::pair<std::int64_t, std::int64_t>{0, 0}, {777, 33}, {1499, 69}}) {
    const double right = all.c(i, j);
    all.c(i, j) += 1e-6;
    const Verdict verdict = check.judge(all);
    EXPECT_FALSE(verdict.passed());
    EXPECT_EQ(verdict.worst_row, i);
    all.c(i, j) = right;
  }
  EXPECT_TRUE(check.judge(all).passed());
}

TEST_F(ProductCheckTest, FindsColumnsThatWereForgottenAndThoseThatWereDoneTwice) {
  const Operands all = operands(1, 1);
  const ProductCheck check(*host_, all, 1);
  const Operands first = all.col_range(0, 64), last = all.col_range(64, 6);
  compute(first);
  EXPECT_FALSE(check.judge(all).passed());
  compute(last);
  EXPECT_TRUE(check.judge(all).passed());
  compute(last);
  EXPECT_FALSE(check.judge(all).passed());
}

TEST_F(ProductCheckTest, FailsWhatIsNoNumber) {
  const Operands all = operands(1, 0);
  c_[123] = std::numeric_limits<double>::quiet_NaN();  // not read
  const ProductCheck check(*host_, all, 1);
  compute(all);
  EXPECT_TRUE(check.judge(all).passed());
  c_[123] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(check.judge(all).passed());
}

}  // namespace
}  // namespace hpl::gemm
