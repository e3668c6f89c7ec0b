#include "hpl/lu/mixed/refine.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "hpl/lu/matrix/distributed_matrix.h"
#include "hpl/lu/mixed/mixed_rule.h"
#include "support/reference_lu.h"

namespace hpl {
namespace {

using Vector = std::vector<double>;

constexpr std::int64_t kOrder = 40;

/// A system whose approximate solver is as wrong as its matrix differs from the exact one.
class Refining : public testing::TestWithParam<MixedSolver> {
 protected:
  /// Errors of so much in the elements of the matrix that the approximate solver solves with.
  explicit Refining(double error = 1e-3)
      : a_(test::random_dense(kOrder, kOrder, 1)), about_a_(a_), b_(kOrder) {
    const test::Dense noise = test::random_dense(kOrder, kOrder + 1, 2);
    for (std::int64_t i = 0; i < kOrder; ++i) {
      a_(i, i) += std::sqrt(double{kOrder});
      b_[static_cast<std::size_t>(i)] = noise(i, kOrder);
      for (std::int64_t j = 0; j < kOrder; ++j)
        about_a_(i, j) = a_(i, j) * (1 + error * noise(i, j));
    }
  }

  RefinementProblem problem() {
    return {.order = std::ssize(b_),
            .right_side = b_,
            .matrix_norm = 15,
            .product =
                [this](std::span<const double> x, std::span<double> y) {
                  ++products_;
                  std::ranges::fill(y, 0.0);
                  for (std::int64_t i = 0; i < kOrder; ++i)
                    for (std::int64_t j = 0; j < kOrder; ++j)
                      y[static_cast<std::size_t>(i)] += a_(i, j) * x[static_cast<std::size_t>(j)];
                },
            .approximate = [this](std::span<const double> v,
                                  std::span<double> x) { std::ranges::copy(solve(v), x.begin()); }};
  }
  Vector solve(std::span<const double> v) const {
    test::Dense work(kOrder, kOrder + 1);
    for (std::int64_t i = 0; i < kOrder; ++i) {
      for (std::int64_t j = 0; j < kOrder; ++j)
        work(i, j) = about_a_(i, j);
      work(i, kOrder) = v[static_cast<std::size_t>(i)];
    }
    test::eliminate(work, kOrder);
    Vector x(kOrder);
    for (std::int64_t i = kOrder - 1; i >= 0; --i) {
      double sum = work(i, kOrder);
      for (std::int64_t j = i + 1; j < kOrder; ++j)
        sum -= work(i, j) * x[static_cast<std::size_t>(j)];
      x[static_cast<std::size_t>(i)] = sum / work(i, i);
    }
    return x;
  }
  /// The largest element of b - A x.
  double residual(const Vector& x) {
    Vector y(x.size());
    problem().product(x, y);
    double most = 0;
    for (std::size_t i = 0; i < y.size(); ++i)
      most = std::max(most, std::abs(b_[i] - y[i]));
    return most;
  }

  /// refine() in a workspace of its size.
  static Vector refine(MixedSolver solver, const RefinementProblem& problem,
                       Refinement& refinement) {
    Vector workspace(static_cast<std::size_t>(refinement_vectors(solver)) *
                     problem.right_side.size());
    return hpl::refine(solver, problem, workspace, refinement);
  }

  test::Dense a_, about_a_;
  Vector b_;
  int products_ = 0;
};

/// Beyond what plain refinement gets along with.
constexpr double kFar = 2;

class RefiningByAFarMatrix : public Refining {
 protected:
  RefiningByAFarMatrix() : Refining(kFar) {}
};

TEST_P(Refining, ReachesTheResidualOfFp64) {
  Refinement refinement;
  const Vector x = refine(GetParam(), problem(), refinement);
  EXPECT_TRUE(refinement.converged);
  EXPECT_LE(refinement.iterations, 6);
  EXPECT_GE(refinement.iterations, 3);
  EXPECT_EQ(refinement.history.size(), static_cast<std::size_t>(refinement.iterations));
  EXPECT_LT(refinement.history.back(), kRefinementTolerance);
  EXPECT_LT(residual(x), 1e-13);
}

TEST_P(Refining, CountsOneProductForEachIteration) {
  Refinement refinement;
  refine(GetParam(), problem(), refinement);
  // GMRES makes the residual of its result beside them.
  EXPECT_EQ(products_, refinement.iterations + (GetParam() == MixedSolver::Gmres ? 1 : 0));
}

TEST_P(Refining, EndsAtOnceWhereTheFactorsAreNoNumbers) {
  about_a_(3, 3) = std::numeric_limits<double>::quiet_NaN();
  Refinement refinement;
  refine(GetParam(), problem(), refinement);
  EXPECT_FALSE(refinement.converged);
  EXPECT_EQ(refinement.iterations, 1);
}

TEST_P(Refining, AnEmptySystemIsSolved) {
  b_.clear();
  Refinement refinement;
  EXPECT_TRUE(refine(GetParam(), problem(), refinement).empty());
  EXPECT_TRUE(refinement.converged);
}

TEST_F(RefiningByAFarMatrix, GmresConvergesWherePlainRefinementDoesNot) {
  Refinement refinement;
  const Vector x = refine(MixedSolver::Gmres, problem(), refinement);
  EXPECT_TRUE(refinement.converged);
  EXPECT_LT(residual(x), 1e-12);
  refine(MixedSolver::Plain, problem(), refinement);
  EXPECT_FALSE(refinement.converged);
}

TEST_F(RefiningByAFarMatrix, EndsAfterTheMostIterationsOfAValidRun) {
  Refinement refinement;
  RefinementProblem changing = problem();
  double sign = 1;
  changing.approximate = [&](std::span<const double> v, std::span<double> x) {
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] = (sign = -sign) * 1e-3 * v[x.size() - 1 - i];
  };
  refine(MixedSolver::Plain, changing, refinement);
  EXPECT_FALSE(refinement.converged);
  EXPECT_EQ(refinement.iterations, kMostRefinements);
}

INSTANTIATE_TEST_SUITE_P(BothSolvers, Refining,
                         testing::Values(MixedSolver::Gmres, MixedSolver::Plain));

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
  // Blocks of two rows, each process with its own.
  for (int process = 0; process < 3; ++process) {
    const RowMap rows(BlockCyclic<Axis::Row>{9, 2, 3, process});
    const Vector right_side = elements_of(rule.right_side, rows);
    ASSERT_EQ(std::ssize(right_side), rows.local_extent());
    for (std::int64_t i = 0; i < std::ssize(right_side); ++i)
      EXPECT_EQ(right_side[static_cast<std::size_t>(i)], netlib(rows.to_global({i}).value, 9));
  }
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
