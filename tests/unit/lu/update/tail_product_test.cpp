#include "hpl/lu/update/tail_product.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "hpcx/emulation.h"
#include "support/emulated_product.h"

namespace hpl {
namespace {

using hpcx::Layout;
using hpcx::testing::Dense;

constexpr ProductLimits kLimits{.panels = 2, .chunks = 2, .rows = 50, .columns = 40, .depth = 16};

Dense random_values(std::int64_t rows, std::int64_t cols, Layout layout, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-0.5, 0.5);
  return hpcx::testing::dense(rows, cols, layout,
                              [&](std::int64_t, std::int64_t) { return uniform(random); });
}

/// C less products of both panels with both chunks, the operands larger and smaller than those
/// before them.
Dense updated(int moduli) {
  const auto device = hpcx::open_device({.backend = hpcx::Backend::Cpu, .cpu = {.threads = 2}});
  const hpcx::Stream stream = device->create_stream(hpcx::Priority::Normal);
  const auto product = make_product(*device, kLimits, moduli);
  Dense c = random_values(50, 40, Layout::RowMajor, 1);
  Dense l_of[2] = {random_values(50, 16, Layout::ColumnMajor, 2),
                   random_values(31, 9, Layout::ColumnMajor, 3)};
  Dense u_of[2] = {random_values(16, 40, Layout::RowMajor, 4),
                   random_values(9, 40, Layout::RowMajor, 5)};
  for (int panel = 0; panel < 2; ++panel) {
    product->prepare_l21(stream, panel, l_of[panel].view());
    product->prepare_u12(stream, panel, u_of[panel].view());
  }
  for (int panel = 0; panel < 2; ++panel)
    product->subtract(stream, panel, panel, c.view().row_range(0, l_of[panel].rows));
  stream.ref().synchronize();
  return c;
}

TEST(TailProduct, OfEitherArithmeticTakesThePreparedOperands) {
  const Dense native = updated(0);
  for (const int moduli : {hpcx::kFewestModuli, hpcx::kDefaultModuli}) {
    const Dense emulated = updated(moduli);
    double largest = 0;
    for (std::size_t i = 0; i < native.data.size(); ++i)
      largest = std::max(largest, std::abs(emulated.data[i] - native.data[i]));
    EXPECT_LT(largest, moduli == hpcx::kDefaultModuli ? 1e-15 : 1e-12);
    EXPECT_GT(largest, 0);
  }
}

/// U12 = L^-1 U of an L of `width` rows, by products of `moduli` or in FP64, and its largest error.
Dense solved(std::int64_t width, int moduli, double* error) {
  const auto device = hpcx::open_device({.backend = hpcx::Backend::Cpu, .cpu = {.threads = 2}});
  const hpcx::Stream stream = device->create_stream(hpcx::Priority::Normal);
  const std::int64_t columns = 23;
  const auto product = make_product(
      *device, {.rows = 1, .columns = columns, .depth = 600, .solve_rows = 50}, moduli);
  Dense l = random_values(width, width, Layout::ColumnMajor, 6), inverse(width, width),
        u = random_values(width, columns, Layout::RowMajor, 7), u12(width, columns);
  for (double& value : l.data)
    value /= 16;
  for (std::int64_t i = 0; i < width; ++i)
    l(i, i) = 1;
  device->kernels().invert_unit_lower(stream, l.view(), inverse.view());
  product->prepare_l11(stream, 0, inverse.view());
  product->solve(stream, 0, 0, {inverse.view(), u.view(), u12.view(), 50});
  stream.ref().synchronize();
  for (std::int64_t i = 0; i < width; ++i)
    for (std::int64_t j = 0; j < columns; ++j) {
      double sum = u(i, j);
      for (std::int64_t k = 0; k <= i; ++k)
        sum -= l(i, k) * u12(k, j);
      *error = std::max(*error, std::abs(sum));
    }
  return u12;
}

TEST(TailProduct, SolvesByResiduesWherePanelsAreWide) {
  for (const std::int64_t width : {512, 600}) {  // in parts of 128 rows
    double error = 0, native_error = 0;
    EXPECT_NE(solved(width, 15, &error).data, solved(width, 0, &native_error).data);
    EXPECT_LT(error, 4 * native_error);
  }
  double error = 0;
  EXPECT_EQ(solved(511, 15, &error).data, solved(511, 0, &error).data);
}

TEST(TailProduct, AccountsForResiduesAndForAWorkspaceOnDevicesWithMemoryOfTheirOwn) {
  EXPECT_EQ(product_bytes(kLimits, 0, false), 0);
  const std::int64_t residues =
      2 * hpcx::residue_bytes(50, 16, 14) + 2 * hpcx::residue_bytes(40, 16, 14);
  EXPECT_EQ(product_bytes(kLimits, 14, true), residues);
  EXPECT_EQ(product_bytes(kLimits, 14, false),
            residues + hpcx::emulation_workspace_bytes(50, 40, 14));
  ProductLimits wide = kLimits;
  wide.depth = 512;
  const std::int64_t without = product_bytes(wide, 14, false);
  wide.solve_rows = 50;  // products of 128 rows
  EXPECT_EQ(product_bytes(wide, 14, false) - without,
            2 * hpcx::residue_bytes(512, 512, 14) + hpcx::emulation_workspace_bytes(128, 40, 14));
}

}  // namespace
}  // namespace hpl
