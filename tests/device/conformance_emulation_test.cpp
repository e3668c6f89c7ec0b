#include "hpcx/emulation.h"

#include <bit>
#include <limits>
#include <sstream>

#include "device_fixture.h"
#include "emulation/arithmetic.h"
#include "support/emulated_product.h"
#include "support/residue_check.h"

namespace hpcx::conformance {
namespace {

/// C - A B as the arithmetic says, one element after the other.
class Reference {
 public:
  Reference(const HostMatrix& a, const HostMatrix& b, int moduli)
      : constants_(emulation::constants(moduli)),
        depth_(a.shape.cols),
        rows_(lines(a, false)),
        columns_(lines(b, true)) {}

  double operator()(std::int64_t i, std::int64_t j, double c) const {
    const Line &x = rows_[static_cast<std::size_t>(i)], &y = columns_[static_cast<std::size_t>(j)];
    const std::int32_t exponent = emulation::element_exponent(x.exponent, y.exponent);
    if (exponent == emulation::kNotFinite) return std::numeric_limits<double>::quiet_NaN();
    emulation::PartSums sums;
    for (std::size_t m = 0; m < static_cast<std::size_t>(constants_.moduli); ++m) {
      const std::int64_t modulus = emulation::kModuli[m];
      std::int64_t sum = 0;
      for (std::size_t k = 0; k < static_cast<std::size_t>(depth_); ++k)
        sum += x.integers[k] % modulus * (y.integers[k] % modulus);
      sum %= modulus;  // and now from -m / 2 to m / 2
      if (2 * sum >= modulus) sum -= modulus;
      if (2 * sum < -modulus) sum += modulus;
      sums.add(static_cast<double>(sum), constants_.weights[m]);
    }
    return emulation::subtract_scaled(
        c, emulation::reconstruct(sums, constants_.product, constants_.reciprocal), exponent);
  }

 private:
  struct Line {
    std::int32_t exponent = 0;
    std::vector<std::int64_t> integers{};
  };

  std::vector<Line> lines(HostMatrix matrix, bool columns) const {
    const MatrixView view = columns ? matrix.view().transposed() : matrix.view();
    std::vector<Line> all;
    for (std::int64_t i = 0; i < view.rows; ++i) {
      std::int32_t largest = emulation::kAllZero;
      std::uint64_t squares = 0;
      for (std::int64_t k = 0; k < view.cols; ++k)
        largest = std::max(largest, emulation::magnitude_of(view(i, k)).exponent);
      Line line;
      if (largest != emulation::kNotFinite)
        for (std::int64_t k = 0; k < view.cols; ++k)
          squares += emulation::bounded_square(view(i, k), largest);
      line.exponent = emulation::line_exponent(largest, squares, constants_.norm_limit);
      for (std::int64_t k = 0; line.exponent != emulation::kNotFinite && k < view.cols; ++k)
        line.integers.push_back(emulation::scaled_integer(view(i, k),
                                                          emulation::first_factor(line.exponent),
                                                          emulation::second_factor(line.exponent)));
      all.push_back(std::move(line));
    }
    return all;
  }

  const emulation::Constants& constants_;
  std::int64_t depth_;
  std::vector<Line> rows_, columns_;
};

class EmulationTest : public DeviceTest {
 protected:
  Buffer allocate(std::int64_t bytes) { return device_->allocate(static_cast<std::size_t>(bytes)); }

  void SetUp() override {
    if (device_->emulation() == nullptr) GTEST_SKIP() << "this device has no emulated products";
  }

  /// `rows` are those of C that fit into the workspace.
  struct Settings {
    int moduli;
    std::int64_t rows;
  };
  /// Bit by bit, what lies between the lines of C too.
  void expect_reference(const HostMatrix& a, const HostMatrix& b, HostMatrix c,
                        const Settings& settings) {
    const auto [moduli, workspace_rows] = settings;
    const std::int64_t m = c.shape.rows, n = c.shape.cols, k = a.shape.cols;
    const DeviceMatrix on_a = upload(a), on_b = upload(b), on_c = upload(c);
    const Buffer for_a = allocate(residue_bytes(m, k, moduli)),
                 for_b = allocate(residue_bytes(n, k, moduli));
    const bool by_rows = c.shape.layout == Layout::RowMajor;
    const Buffer workspace =
        allocate(emulation_workspace_bytes(workspace_rows, by_rows ? n : m, moduli));
    const ResidueView of_a = residue_view(for_a, m, k, moduli),
                      of_b = residue_view(for_b, n, k, moduli);
    device_->emulation()->prepare(stream_, on_a.view, of_a);
    device_->emulation()->prepare(stream_, on_b.view.transposed(), of_b);
    device_->emulation()->add_product(stream_, {-1, of_a, of_b, on_c.view}, workspace);
    const HostMatrix result = download(on_c, c.shape);
    const Reference reference(a, b, moduli);
    set_all(c, [&](auto i, auto j) { return reference(i, j, c(i, j)); });
    for (std::size_t s = 0; s < c.storage.size(); ++s)
      if (!same_bits(result.storage[s], c.storage[s]))
        FAIL() << m << " x " << n << " x " << k << ", " << moduli << " moduli, stored element " << s
               << ": " << test::with_bits(result.storage[s]) << ", expected "
               << test::with_bits(c.storage[s]) << '\n'
               << wrong_elements(result, c) << wrong_operands(a, of_a, b, of_b);
  }

  static bool same_bits(double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y) ||
           (std::isnan(x) && std::isnan(y));
  }
  /// The number of wrong elements, the first, and the range of rows and columns.
  static std::string wrong_elements(HostMatrix made, HostMatrix expected) {
    std::int64_t count = 0, rows[3] = {-1, -1, -1}, columns[3] = {-1, -1, -1};
    for (std::int64_t i = 0; i < made.shape.rows; ++i)
      for (std::int64_t j = 0; j < made.shape.cols; ++j) {
        if (same_bits(made(i, j), expected(i, j))) continue;
        if (count++ == 0) {
          rows[0] = rows[1] = i;
          columns[0] = columns[1] = columns[2] = j;
        }
        rows[2] = i;
        columns[1] = std::min(columns[1], j);
        columns[2] = std::max(columns[2], j);
      }
    std::ostringstream text;
    text << count << " elements, the first (" << rows[0] << ", " << columns[0] << "), in rows "
         << rows[1] << " to " << rows[2] << ", columns " << columns[1] << " to " << columns[2]
         << '\n';
    return text.str();
  }
  /// The first wrong residue, or that they are right.
  std::string wrong_operands(HostMatrix a, const ResidueView& of_a, HostMatrix b,
                             const ResidueView& of_b) {
    const test::HostResidues x(stream_, of_a), y(stream_, of_b);
    std::string wrong;
    for (std::int64_t i = 0; i < of_a.lines && wrong.empty(); ++i)
      wrong = test::wrong_line(
          x, i,
          test::ExpectedLine(of_a.depth, of_a.moduli, [&](std::int64_t k) { return a(i, k); }),
          "row ");
    for (std::int64_t j = 0; j < of_b.lines && wrong.empty(); ++j)
      wrong = test::wrong_line(
          y, j,
          test::ExpectedLine(of_b.depth, of_b.moduli, [&](std::int64_t k) { return b(k, j); }),
          "column ");
    return wrong.empty() ? "residues of both operands are right" : wrong;
  }
};
HPCX_INSTANTIATE_FOR_ALL_DEVICES(EmulationTest);

TEST_P(EmulationTest, HasTheBitsOfItsArithmeticInEveryShapeAndLayout) {
  struct Sizes {
    std::int64_t m, n, k;
  };
  int moduli = kFewestModuli;
  for (const auto& [m, n, k] : {Sizes{1, 1, 1}, Sizes{5, 3, 200}, Sizes{129, 67, 33},
                                Sizes{40, 270, 16}, Sizes{300, 20, 130}, Sizes{3, 4, 0}})
    for (const Layout layout : kLayouts)
      for (const std::int64_t pad : {0, 3}) {
        const Layout other = layout == Layout::RowMajor ? Layout::ColumnMajor : Layout::RowMajor;
        expect_reference(random_matrix({m, k, layout, pad, pad % 2}, 1),
                         random_matrix({k, n, other, pad, 0}, 2),
                         random_matrix({m, n, layout, pad, pad % 2}, 3), {moduli, m});
        moduli = moduli == kMostModuli ? kFewestModuli : moduli + 1;
      }
}

/// Steps that go round the stages more than once, several tiles a thread block: sizes for which the
/// reference above takes too long. The processors' residues and products are compared with it
/// above.
TEST_P(EmulationTest, HasTheBitsOfProcessorsWhereBlocksMakeManyTiles) {
  if (device_->shares_host_memory()) GTEST_SKIP() << "this is the device that it is compared with";
  const auto cpu = open_device({.backend = Backend::Cpu, .index = 0, .cpu = {.threads = 8}});
  const auto random = [](std::uint64_t seed) {
    return [x = seed](std::int64_t, std::int64_t) mutable {
      x = x * 6364136223846793005u + 1442695040888963407u;
      return static_cast<double>(x >> 11) * 0x1p-53 - 0.5;
    };
  };
  struct Sizes {
    std::int64_t m, n, k;
    Layout of_c;
  };
  for (const auto& [m, n, k, of_c] :
       {Sizes{1030, 1300, 1025, Layout::RowMajor}, Sizes{3000, 700, 300, Layout::ColumnMajor},
        Sizes{513, 4100, 100, Layout::RowMajor}}) {
    test::Dense a = test::dense(m, k, Layout::ColumnMajor, random(1)),
                b = test::dense(k, n, Layout::RowMajor, random(2)),
                c = test::dense(m, n, of_c, random(3));
    test::Dense made = test::emulated(*device_, 15, a, b, c);
    test::Dense expected = test::emulated(*cpu, 15, a, b, c);
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t j = 0; j < n; ++j)
        if (!same_bits(made(i, j), expected(i, j)) && wrong++ == 0)
          ADD_FAILURE() << "(" << i << ", " << j << ") is " << test::with_bits(made(i, j))
                        << ", should be " << test::with_bits(expected(i, j));
    EXPECT_EQ(wrong, 0) << m << " x " << n << " x " << k;
  }
}

TEST_P(EmulationTest, UpdatesAMatrixByBlocksOfRowsWhereItsWorkspaceIsSmall) {
  expect_reference(random_matrix({600, 20, Layout::ColumnMajor}, 4),
                   random_matrix({20, 30, Layout::RowMajor}, 5),
                   random_matrix({600, 30, Layout::RowMajor}, 6), {14, 1});
}

TEST_P(EmulationTest, HasTheBitsOfItsArithmeticForExtremeNumbers) {
  HostMatrix a = random_matrix({9, 40, Layout::ColumnMajor}, 7);
  HostMatrix b = random_matrix({40, 8, Layout::RowMajor}, 8);
  for (std::int64_t k = 0; k < 40; ++k) {
    a(0, k) = 0;
    a(1, k) *= 1e-310;
    a(2, k) *= 0x1p1023;
    a(3, k) *= std::ldexp(1.0, static_cast<int>(-2 * k));
    b(k, 0) *= 1e-300;
    b(k, 1) *= 0x1p1000;
    b(k, 2) = 0;
  }
  a(5, 7) = std::numeric_limits<double>::infinity();
  a(6, 39) = std::numeric_limits<double>::quiet_NaN();
  b(0, 4) = -std::numeric_limits<double>::infinity();
  expect_reference(a, b, random_matrix({9, 8, Layout::RowMajor}, 9), {15, 9});
}

TEST_P(EmulationTest, LeavesAnEmptyMatrixAlone) {
  expect_reference(random_matrix({0, 5, Layout::ColumnMajor}, 10),
                   random_matrix({5, 7, Layout::RowMajor}, 11),
                   HostMatrix({0, 7, Layout::RowMajor}), {13, 0});
}

}  // namespace
}  // namespace hpcx::conformance
