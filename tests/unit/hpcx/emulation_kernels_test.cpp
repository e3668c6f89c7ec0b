#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

// The kernels of emulated products but for wgmma, as they are, compiled for the host.
#include "cuda/mma_kernel.h"
#include "cuda/reconstruction_kernel.h"
#include "cuda/residue_kernels.h"

#include "support/emulated_product.h"
#include "support/residue_check.h"

namespace hpcx::gpu_cuda::emulation {
namespace {

using test::Dense;
using test::dense;

constexpr std::int8_t kUntouched = 77;

/// Residues of the lines of a matrix, by the kernels.
struct Prepared {
  Prepared(const MatrixView& matrix, int moduli)
      : view{.lines = matrix.rows, .depth = matrix.cols, .moduli = moduli},
        bytes(static_cast<std::size_t>(moduli * view.plane() + 64), kUntouched),
        exponents(static_cast<std::size_t>(view.lines + 4), kUntouched) {
    view.residues = bytes.data();
    view.exponents = exponents.data();
    const LineMatrix lines = lines_of_matrix(matrix);
    const hpcx::emulation::Wide limit = hpcx::emulation::constants(moduli).norm_limit;
    const Reductions reductions = reductions_of(moduli);
    const auto launch = [](std::int64_t blocks, unsigned warps,
                           const std::function<void()>& kernel) {
      cuda_on_host::launch(0, static_cast<unsigned>(blocks), kWarp * warps, kernel);
    };
    if (matrix.layout == Layout::ColumnMajor) {
      launch(ceil_div(matrix.rows, kWarp), kWarpsAcross,
             [&] { exponents_across(lines, limit, view.exponents); });
      launch(residue_blocks(view), kWarps, [&] { residues<true>(lines, view, reductions); });
    } else {
      launch(ceil_div(matrix.rows, kWarps), kWarps,
             [&] { exponents_along(lines, limit, view.exponents); });
      launch(residue_blocks(view), kWarps, [&] { residues<false>(lines, view, reductions); });
    }
    EXPECT_EQ(std::count(bytes.end() - 64, bytes.end(), kUntouched), 64) << "written beyond";
    EXPECT_EQ(std::count(exponents.end() - 4, exponents.end(), kUntouched), 4) << "written beyond";
  }

  ResidueView view;
  std::vector<std::int8_t> bytes;
  std::vector<std::int32_t> exponents;
};

class EmulationKernels : public ::testing::Test {
 protected:
  Dense random(std::int64_t rows, std::int64_t cols, Layout layout) {
    return dense(rows, cols, layout, [this](std::int64_t, std::int64_t) {
      return normal_(random_) * std::exp(2 * normal_(random_));
    });
  }

  std::unique_ptr<Device> cpu_ = open_device({.backend = Backend::Cpu, .cpu = {.threads = 1}});
  Stream stream_ = cpu_->create_stream(Priority::Normal);
  std::mt19937_64 random_{1};
  std::normal_distribution<double> normal_;
};

TEST_F(EmulationKernels, ExponentsAndResiduesAreThoseOfTheArithmetic) {
  int moduli = kFewestModuli;
  for (const Layout layout : {Layout::ColumnMajor, Layout::RowMajor})
    for (const auto& [lines, depth] :
         {std::pair<std::int64_t, std::int64_t>{1, 1}, {33, 270}, {70, 33}, {9, 16}}) {
      Dense matrix = random(lines, depth, layout);
      if (lines == 33)
        for (std::int64_t k = 0; k < depth; ++k) {
          matrix(0, k) = 0;
          matrix(1, k) *= 1e-310;
          matrix(2, k) *= 0x1p1000;
        }
      if (lines == 33) matrix(3, 60) = std::numeric_limits<double>::infinity();
      if (lines == 33) matrix(32, 0) = std::numeric_limits<double>::quiet_NaN();
      const Prepared made(matrix.view(), moduli);
      const test::HostResidues residues(stream_, made.view);
      for (std::int64_t i = 0; i < lines; ++i)
        EXPECT_EQ(test::wrong_line(residues, i,
                                   test::ExpectedLine(depth, moduli,
                                                      [&](std::int64_t k) { return matrix(i, k); }),
                                   "line "),
                  "")
            << lines << " x " << depth;
      moduli = moduli == kMostModuli ? kFewestModuli : moduli + 1;
    }
}

TEST_F(EmulationKernels, ResiduesByBytesAreThoseOfTheArithmetic) {
  std::uniform_int_distribution<std::int64_t> any(-(std::int64_t{1} << 62), std::int64_t{1} << 62);
  std::vector<std::int64_t> integers{0, 1, -1, 128, -128, 384, (std::int64_t{1} << 62) - 1};
  for (int i = 0; i < 2000; ++i)
    integers.push_back(any(random_) >> i % 60);
  const Reductions reductions = reductions_of(kMostModuli);
  for (int m = 0; m < kMostModuli; ++m)
    for (const std::int64_t x : integers)
      ASSERT_EQ(static_cast<std::int8_t>(residue_byte(signed_bytes(x), reductions.of[m])),
                static_cast<std::int8_t>(
                    residue(pieces_of(x), constants(kMostModuli).reductions[std::size_t(m)])))
          << x << " modulo " << kModuli[std::size_t(m)];
}

TEST_F(EmulationKernels, ProductsByMmaAreThoseOfTheResidues) {
  for (const auto& [m, n, k] :
       {std::array<std::int64_t, 3>{1, 1, 1}, {130, 141, 40}, {33, 20, 250}}) {
    Dense a = random(m, k, Layout::ColumnMajor), b = random(k, n, Layout::RowMajor);
    const Prepared x(a.view(), kFewestModuli), y(b.view().transposed(), kFewestModuli);
    const test::HostResidues of_x(stream_, x.view), of_y(stream_, y.view);
    const std::int64_t pitch = ceil_div(n, 16) * 16, plane = m * pitch;
    std::vector<std::int8_t> out(static_cast<std::size_t>(kFewestModuli * plane + 64), kUntouched);
    const auto tall = static_cast<std::uint32_t>(ceil_div(m, kTile)),
               wide = static_cast<std::uint32_t>(ceil_div(n, kTile));
    const Moduli moduli = moduli_of(kFewestModuli);
    for (const int modulus : {0, kFewestModuli - 1}) {
      cuda_on_host::launch(
          static_cast<unsigned>(modulus) * tall * wide, tall * wide, kThreadCount, [&] {
            product_mma(x.view, y.view, {out.data(), m, pitch, plane, tall, wide}, moduli);
          });
      for (std::int64_t i = 0; i < m; ++i)
        for (std::int64_t j = 0; j < pitch; ++j)
          ASSERT_EQ(out[static_cast<std::size_t>(modulus * plane + i * pitch + j)],
                    j < n ? test::expected_product(of_x, i, of_y, j, modulus) : 0)
              << m << " x " << n << " x " << k << ", modulus " << modulus << ", at " << i << ", "
              << j;
    }
    EXPECT_EQ(std::count(out.begin() + plane, out.begin() + 2 * plane, kUntouched), plane);
    EXPECT_EQ(std::count(out.end() - 64, out.end(), kUntouched), 64);
  }
}

template <int kModuliCount>
void reconstruct(const Reconstruction& r, bool aligned) {
  const hpcx::emulation::Constants& of = hpcx::emulation::constants(kModuliCount);
  Weights weights{.of = {}, .product = of.product, .reciprocal = of.reciprocal};
  for (int m = 0; m < kModuliCount; ++m)
    weights.of[m] = of.weights[static_cast<std::size_t>(m)];
  cuda_on_host::launch(0, static_cast<unsigned>(ceil_div(reconstruction_threads(r), 256)), 256,
                       [&] {
                         aligned ? subtract_reconstructed<kModuliCount, true>(r, weights)
                                 : subtract_reconstructed<kModuliCount, false>(r, weights);
                       });
}

TEST_F(EmulationKernels, ReconstructionHasTheBitsOfProcessors) {
  constexpr int kModuliCount = 15;
  for (const std::int64_t n : {18, 35})
    for (const bool aligned : {false, true}) {
      if (aligned && n % 2 != 0) continue;  // rows of C would not be
      const std::int64_t m = 19, k = 21;
      Dense a = random(m, k, Layout::ColumnMajor), b = random(k, n, Layout::RowMajor),
            c = random(m, n, Layout::RowMajor);
      a(4, 5) = std::numeric_limits<double>::infinity();
      for (std::int64_t l = 0; l < k; ++l)
        b(l, 3) = 0;
      Dense expected = test::emulated(*cpu_, kModuliCount, a, b, c);
      const Prepared x(a.view(), kModuliCount), y(b.view().transposed(), kModuliCount);
      const test::HostResidues of_x(stream_, x.view), of_y(stream_, y.view);
      const std::int64_t pitch = ceil_div(n, 16) * 16, plane = m * pitch;
      std::vector<std::int8_t> planes(static_cast<std::size_t>(kModuliCount * plane));
      for (int modulus = 0; modulus < kModuliCount; ++modulus)
        for (std::int64_t i = 0; i < m; ++i)
          for (std::int64_t j = 0; j < n; ++j)
            planes[static_cast<std::size_t>(modulus * plane + i * pitch + j)] =
                static_cast<std::int8_t>(test::expected_product(of_x, i, of_y, j, modulus));
      c.data.push_back(1.5);
      reconstruct<kModuliCount>({.residues = planes.data(),
                                 .pitch = pitch,
                                 .plane = plane,
                                 .row_exponents = x.exponents.data(),
                                 .column_exponents = y.exponents.data(),
                                 .c = c.data.data(),
                                 .rows = m,
                                 .columns = n,
                                 .ld = n},
                                aligned);
      EXPECT_EQ(c.data.back(), 1.5);
      for (std::size_t i = 0; i < expected.data.size(); ++i) {
        if (std::isnan(expected.data[i]) && std::isnan(c.data[i])) continue;
        ASSERT_EQ(std::bit_cast<std::uint64_t>(c.data[i]),
                  std::bit_cast<std::uint64_t>(expected.data[i]))
            << "element " << i << " of " << m << " x " << n;
      }
    }
}

}  // namespace
}  // namespace hpcx::gpu_cuda::emulation
