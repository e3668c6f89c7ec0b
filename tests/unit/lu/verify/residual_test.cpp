#include "hpl/lu/verify/own_product.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "hpcx/emulation.h"
#include "hpl/lu/verify/residual.h"
#include "hpl/lu/verify/step_checksums.h"
#include "support/reference_lu.h"

namespace hpl {
namespace {

RunSpec system_on(int order, int block, std::pair<int, int> grid) {
  return {
      .order = order, .block_size = block, .grid_rows = grid.first, .grid_columns = grid.second};
}

std::vector<std::int64_t> sampled_by(const RunSpec& spec, int process_row) {
  return sampled_rows(local_shape(spec, {process_row, 0}).rows);
}

TEST(SampledRows, AreSpreadFromTheFirstToTheLastOfEveryProcessRow) {
  for (const int order : {1, 2, 5, 63, 64, 500, 5000})
    for (const int rows : {1, 2, 3, 7, 100})
      for (int process = 0; process < rows; ++process) {
        const RunSpec spec = system_on(order, 8, {rows, 1});
        const std::int64_t local = local_shape(spec, {process, 0}).local_rows;
        const std::vector<std::int64_t> sampled = sampled_by(spec, process);
        if (local == 0) {
          EXPECT_TRUE(sampled.empty());
          continue;
        }
        EXPECT_EQ(sampled.front(), 0);
        EXPECT_EQ(sampled.back(), local - 1);
        EXPECT_EQ(std::set(sampled.begin(), sampled.end()).size(), sampled.size());
        EXPECT_TRUE(std::ranges::is_sorted(sampled));
      }
}

TEST(SampledRows, AreFewOfASmallSystemAndABoundedNumberOfALargeOne) {
  EXPECT_EQ(sampled_by(system_on(320, 8, {1, 1}), 0).size(), 10U);
  EXPECT_EQ(sampled_by(system_on(100'000, 8, {1, 1}), 0).size(), 32U);
  EXPECT_EQ(sampled_by(system_on(100'000, 8, {4, 1}), 0).size(), 8U);
  EXPECT_EQ(sampled_by(system_on(100'000, 8, {64, 1}), 0).size(), 2U);
}

TEST(OwnProduct, IsThatOfTheBenchmarksSystemOnEveryGrid) {
  for (const auto& [order, block] : {std::pair{1, 4}, {61, 7}, {64, 8}, {200, 16}})
    for (const std::pair<int, int>& grid : {std::pair{1, 1}, {2, 3}, {3, 2}, {5, 1}}) {
      RunSpec spec = system_on(order, block, grid);
      if (grid.second == 2) spec.column_weights = {1.0, 2.0};
      const test::Dense a = test::benchmark_matrix(order);
      const auto x = [](std::int64_t j) { return std::sin(static_cast<double>(j)) + 0.1; };
      for (int process_row = 0; process_row < grid.first; ++process_row) {
        const std::vector<std::int64_t> rows = sampled_by(spec, process_row);
        std::vector<double> residual(rows.size()), magnitude(rows.size());
        for (int process_column = 0; process_column < grid.second; ++process_column) {
          const LocalShape shape = local_shape(spec, {process_row, process_column});
          std::vector<double> mine;
          for (std::int64_t j = 0; j < shape.columns.lower_bound({order}).value; ++j)
            mine.push_back(x(shape.columns.to_global({j}).value));
          const OwnProduct part = own_product(shape, rows, mine);
          for (std::size_t k = 0; k < rows.size(); ++k) {
            residual[k] += part.residual[k];
            magnitude[k] += part.magnitude[k];
          }
        }
        const RowMap map = local_shape(spec, {process_row, 0}).rows;
        for (std::size_t k = 0; k < rows.size(); ++k) {
          const std::int64_t i = map.to_global({rows[k]}).value;
          double expected = a(i, order), sum = std::abs(a(i, order));
          for (std::int64_t j = 0; j < order; ++j) {
            expected -= a(i, j) * x(j);
            sum += std::abs(a(i, j) * x(j));
          }
          EXPECT_NEAR(residual[k], expected, product_tolerance(order, sum)) << "row " << i;
          EXPECT_NEAR(magnitude[k], sum, product_tolerance(order, sum)) << "row " << i;
        }
      }
    }
}

TEST(ProductTolerance, IsAboutAQuarterOfWhatTheThresholdAllows) {
  const double magnitude = 1234.5;  // of the row, and the norms' ||A|| ||x|| + ||b||
  const double allowed = 16 * 0x1p-53 * 1000 * magnitude;
  EXPECT_NEAR(product_tolerance(1000, magnitude) / allowed, 0.25, 0.001);
}

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

TEST(ChecksumTolerance, OfFp64IsEightRoundoffsForEachRow) {
  EXPECT_EQ(checksum_tolerance(200, 3.7, 0), 8 * 0x1p-53 * 200.0 * 3.7);
  EXPECT_EQ(checksum_tolerance(1'000'000, 1, 0), 8 * 0x1p-53 * 1e6);
}

TEST(ChecksumTolerance, OfEmulatedProductsFollowsTheModuli) {
  const auto beside_fp64 = [](int moduli) {
    return checksum_tolerance(200, 3.7, moduli) / checksum_tolerance(200, 3.7, 0);
  };
  EXPECT_NEAR(beside_fp64(12), 138, 1);
  EXPECT_NEAR(beside_fp64(13), 10.4, 0.1);
  EXPECT_NEAR(beside_fp64(14), 1.67, 0.01);
  EXPECT_NEAR(beside_fp64(15), 1.05, 0.01);
  EXPECT_NEAR(beside_fp64(16), 1.003, 0.001);
}

}  // namespace
}  // namespace hpl
