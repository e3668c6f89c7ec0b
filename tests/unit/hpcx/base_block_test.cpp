#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

// The kernel of base blocks as it is, compiled for the host.
#include "cuda/base_block.h"

namespace hpcx::gpu_cuda::diagonal {
namespace {

/// The second base block of a matrix of two, random with a diagonal of about sqrt(kBase), after the
/// kernel; element (i, j) of each square is that of the block.
struct Factorized {
  explicit Factorized(double pivot_of_7 = 11) {
    std::mt19937_64 random(1);
    std::uniform_real_distribution<float> uniform(-0.5F, 0.5F);
    for (float& x : memory)
      x = uniform(random);
    for (std::int64_t j = 0; j < kBase; ++j)
      for (std::int64_t i = 0; i < kBase; ++i) {
        float& x = matrix(i, j);
        if (i == j) x += 11;
        if ((i == 7) != (j == 7)) x = 0;
        if (i == 7 && j == 7) x = static_cast<float>(pivot_of_7);
        before.push_back(x);
      }
    cuda_on_host::launch(0, 1, kBaseThreads, [&] { factorize_base(work, kBase, &result); });
  }
  float& matrix(std::int64_t i, std::int64_t j) {
    return work.matrix[kBase + i + (kBase + j) * work.edge];
  }
  double l(std::int64_t i, std::int64_t j) { return i == j ? 1 : i > j ? matrix(i, j) : 0; }
  double u(std::int64_t i, std::int64_t j) { return i <= j ? matrix(i, j) : 0; }
  float inverse_l(std::int64_t i, std::int64_t j) const {
    return work.lower[kBase + i + (kBase + j) * work.edge];
  }
  float inverse_u(std::int64_t i, std::int64_t j) const {
    return work.upper[(kBase + i) * work.edge + kBase + j];
  }

  std::vector<float> memory = std::vector<float>(
      static_cast<std::size_t>(diagonal_workspace_bytes(2 * kBase)) / sizeof(float));
  Workspace work{memory.data(), 2 * kBase};
  std::vector<float> before;
  DiagonalResult result;
};

TEST(BaseBlock, OneSweepMakesFactorsAndInverses) {
  Factorized block;
  EXPECT_EQ(block.result.bad_column, -1);
  for (std::int64_t j = 0; j < kBase; ++j) {
    for (std::int64_t i = 0; i < kBase; ++i) {
      double a = 0, of_l = 0, of_u = 0;
      for (std::int64_t k = 0; k < kBase; ++k) {
        a += block.l(i, k) * block.u(k, j);
        of_l += block.l(i, k) * block.inverse_l(k, j);
        of_u += block.u(i, k) * block.inverse_u(k, j);
      }
      const double one = i == j ? 1 : 0;
      ASSERT_NEAR(a, block.before[static_cast<std::size_t>(i + j * kBase)], 1e-5);
      ASSERT_NEAR(of_l, one, 1e-5) << i << ", " << j;
      ASSERT_NEAR(of_u, one, 1e-5) << i << ", " << j;
      ASSERT_TRUE(i >= j || block.inverse_l(i, j) == 0);
      ASSERT_TRUE(i <= j || block.inverse_u(i, j) == 0);
    }
  }
}

TEST(BaseBlock, NamesTheFirstColumnWithoutPivot) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double pivot : {0.0, -0.0, infinity, -infinity, std::nan("")})
    EXPECT_EQ(Factorized(pivot).result.bad_column, kBase + 7) << pivot;
}

}  // namespace
}  // namespace hpcx::gpu_cuda::diagonal
