#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "hpl/lu/verify/residual.h"

namespace hpl {
namespace {

TEST(ScaledResidual, IsNetlibsFormula) {
  const Residual norms{.residual_infinity = 3e-12,
                       .matrix_infinity = 50,
                       .matrix_one = 1e9,
                       .solution_infinity = 4,
                       .solution_one = 1e9,
                       .right_side_infinity = 0.5};
  EXPECT_DOUBLE_EQ(scaled_residual(norms, 100),
                   3e-12 / (1.1102230246251565e-16 * (50 * 4 + 0.5) * 100));
}

TEST(ScaledResidual, OfAnExactSolutionIsZero) {
  EXPECT_EQ(scaled_residual({.matrix_infinity = 1, .solution_infinity = 1}, 10), 0.0);
}

TEST(ScaledResidual, IsNotFiniteWhenTheSolutionIsNot) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const Residual norms{
      .residual_infinity = kInfinity, .matrix_infinity = 1, .solution_infinity = kInfinity};
  EXPECT_FALSE(std::isfinite(scaled_residual(norms, 10)));
}

TEST(ScaledResidual, CountsOrdersPastThirtyTwoBits) {
  const Residual norms{.residual_infinity = 1, .matrix_infinity = 1, .solution_infinity = 1};
  EXPECT_DOUBLE_EQ(scaled_residual(norms, std::int64_t{1} << 33), 0x1p53 / 0x1p33);
}

}  // namespace
}  // namespace hpl
