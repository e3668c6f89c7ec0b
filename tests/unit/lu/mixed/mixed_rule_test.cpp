#include "hpl/lu/mixed/mixed_rule.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "hpl/lu/matrix/distributed_matrix.h"
#include "support/reference_lu.h"

namespace hpl {
namespace {

using test::Dense;

/// Fasi and Higham's matrix, as the product of its factors.
Dense fasi_higham(std::int64_t n, double beta) {
  const double alpha = beta / 2;
  Dense a(n, n);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t k = 0; k <= std::min(i, j); ++k)
        a(i, j) += (k == i ? 1 : -alpha) * (k == j ? 1 : -beta);
  return a;
}

double infinity_norm(const Dense& a) {
  double norm = 0;
  for (std::int64_t i = 0; i < a.rows; ++i) {
    double sum = 0;
    for (std::int64_t j = 0; j < a.rows; ++j)
      sum += std::abs(a(i, j));
    norm = std::max(norm, sum);
  }
  return norm;
}

/// Column by column, from the same elimination as everything else in tests.
Dense inverse_of(const Dense& a) {
  const std::int64_t n = a.rows;
  Dense work(n, 2 * n), inverse(n, n);
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < n; ++i)
      work(i, j) = a(i, j);
    work(j, n + j) = 1;
  }
  test::eliminate(work, n);
  for (std::int64_t j = 0; j < n; ++j)
    for (std::int64_t i = n - 1; i >= 0; --i) {
      double sum = work(i, n + j);
      for (std::int64_t k = i + 1; k < n; ++k)
        sum -= work(i, k) * inverse(k, j);
      inverse(i, j) = sum / work(i, i);
    }
  return inverse;
}

TEST(MixedRule, FasiAndHighamsMatrixHasTheConditionNumberThatIsAskedFor) {
  for (const std::int64_t order : {2, 7, 60})
    for (const double condition : {10.0, 1000.0}) {
      const Dense a = fasi_higham(order, fasi_higham_beta(order, condition));
      EXPECT_NEAR(infinity_norm(a) * infinity_norm(inverse_of(a)), condition, 1e-6 * condition)
          << order;
    }
}

TEST(MixedRule, TheLargestElementIsBroughtBelowTheTopByAPowerOfTwo) {
  for (const double largest : {1e-5, 0.5, 1.0, 504.5, 512.0, 65536.0, 2.5e6}) {
    const double scaled = std::ldexp(largest, scale_exponent(largest));
    EXPECT_LE(scaled, 0x1p13) << largest;
    EXPECT_GT(scaled, 0x1p12) << largest;
  }
}

TEST(MixedRule, TheConformingSystemIsNetlibsWithALargerDiagonal) {
  const MixedRule rule = mixed_rule({.diagonal = 3}, 9);
  const Dense netlib = test::benchmark_matrix(9);
  EXPECT_DOUBLE_EQ(rule.matrix.shift, 9);
  EXPECT_DOUBLE_EQ(rule.largest, 9.5);
  ASSERT_EQ(rule.right_side.size(), 9u);
  for (std::int64_t i = 0; i < 9; ++i)
    EXPECT_EQ(rule.right_side[static_cast<std::size_t>(i)], netlib(i, 9));
}

TEST(MixedRule, AMatrixOfFewBitsHasNoColumnForTheRightSide) {
  RunSpec spec{.order = 96, .block_size = 32};
  EXPECT_EQ(local_shape(spec, {}).local_columns, 97);
  spec.mixed = MixedSpec{};
  const LocalShape shape = local_shape(spec, {});
  EXPECT_EQ(shape.local_columns, 96);
  EXPECT_EQ(shape.bytes(), 2 * shape.stored_rows * shape.leading_dimension);
  EXPECT_EQ(shape.leading_dimension % 64, 0);
}

}  // namespace
}  // namespace hpl
