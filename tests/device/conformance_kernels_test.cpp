#include <cmath>
#include <limits>

#include "device_fixture.h"

namespace hpcx::conformance {
namespace {

class KernelsTest : public DeviceTest {};
HPCX_INSTANTIATE_FOR_ALL_DEVICES(KernelsTest);

TEST_P(KernelsTest, FillsAMatrixAndNothingBesideIt) {
  for (const Layout layout : kLayouts) {
    for (const auto& [rows, cols] :
         Sizes{{1, 1}, {37, 300}, {1000, 3}, {3, 1000}, {0, 4}, {4, 0}}) {
      for (const std::int64_t pad : {0, 5}) {
        HostMatrix expected = random_matrix({rows, cols, layout, pad, 1}, 1);
        const DeviceMatrix result = upload(expected);
        set_all(expected, [&](auto, auto) { return -0.25; });
        device_->kernels().fill(stream_, -0.25, result.view);
        expect_near(download(result, expected.shape), expected, 0);
      }
    }
  }
}

TEST_P(KernelsTest, SumsMagnitudesOfRowsAndColumns) {
  for (const Layout layout : kLayouts) {
    for (const auto& [rows, cols] :
         Sizes{{1, 1}, {65, 1}, {1, 65}, {33, 5000}, {5000, 33}, {257, 129}, {4, 0}, {0, 4}}) {
      SCOPED_TRACE(testing::Message() << layout_name(layout) << ", " << rows << " x " << cols);
      HostMatrix a = random_matrix({rows, cols, layout, 3, 0}, 1);
      const DeviceMatrix on_device = upload(a);
      HostMatrix row_sums({rows, 1, Layout::ColumnMajor, 2, 0});
      HostMatrix column_sums({cols, 1, Layout::ColumnMajor, 2, 0});
      const DeviceMatrix by_row = upload(row_sums);
      const DeviceMatrix by_column = upload(column_sums);
      set_all(row_sums, [](auto, auto) { return 0; });
      set_all(column_sums, [](auto, auto) { return 0; });
      for (std::int64_t i = 0; i < rows; ++i) {
        for (std::int64_t j = 0; j < cols; ++j) {
          row_sums(i, 0) += std::abs(a(i, j));
          column_sums(j, 0) += std::abs(a(i, j));
        }
      }
      device_->kernels().row_sums(stream_, on_device.view, by_row.view.data);
      device_->kernels().column_sums(stream_, on_device.view, by_column.view.data);
      expect_near(download(by_row, row_sums.shape), row_sums, 1e-10);
      expect_near(download(by_column, column_sums.shape), column_sums, 1e-10);
    }
  }
}

TEST_P(KernelsTest, SumsAreTheSameInEveryRun) {
  for (const Layout layout : kLayouts) {
    const Shape shape{1003, 777, layout, 0, 0};
    const DeviceMatrix a = upload(random_matrix(shape, 5));
    const Buffer sums = device_->allocate(1003 * sizeof(double));
    device_->kernels().row_sums(stream_, a.view, sums.as<double>());
    const auto first = download<double>(sums, 1003);
    for (int run = 0; run < 5; ++run) {
      device_->kernels().row_sums(stream_, a.view, sums.as<double>());
      ASSERT_EQ(download<double>(sums, 1003), first);
    }
  }
}

TEST_P(KernelsTest, ANotANumberStaysVisibleInTheSums) {
  HostMatrix a = random_matrix({70, 90, Layout::RowMajor, 0, 0}, 1);
  a(13, 57) = std::numeric_limits<double>::quiet_NaN();
  const DeviceMatrix on_device = upload(a);
  const Buffer sums = device_->allocate(90 * sizeof(double));
  device_->kernels().row_sums(stream_, on_device.view, sums.as<double>());
  EXPECT_TRUE(std::isnan(download<double>(sums, 70)[13]));
  device_->kernels().column_sums(stream_, on_device.view, sums.as<double>());
  EXPECT_TRUE(std::isnan(download<double>(sums, 90)[57]));
}

/// A unit lower triangle as partial pivoting leaves it: entries at most 1 in magnitude. What must
/// not be read is NaN.
HostMatrix triangle_of(std::int64_t n, Layout layout, double size) {
  HostMatrix lower = random_matrix({n, n, layout, 3, 0}, 9);
  set_all(lower, [&](auto i, auto j) {
    return j < i ? size * lower(i, j) : std::numeric_limits<double>::quiet_NaN();
  });
  return lower;
}

/// Column by column by substitution.
HostMatrix reference_inverse(HostMatrix& lower, Shape shape) {
  HostMatrix inverse(shape);
  const std::int64_t n = shape.rows;
  std::vector<double> column(static_cast<std::size_t>(n));
  for (std::int64_t j = 0; j < n; ++j) {
    for (std::int64_t i = 0; i < n; ++i) {
      double sum = i == j ? 1 : 0;
      for (std::int64_t k = j; k < i; ++k)
        sum -= lower(i, k) * column[static_cast<std::size_t>(k)];
      column[static_cast<std::size_t>(i)] = i < j ? 0 : sum;
      inverse(i, j) = column[static_cast<std::size_t>(i)];
    }
  }
  return inverse;
}

TEST_P(KernelsTest, InvertsUnitLowerTriangles) {
  for (const std::int64_t n : {1, 2, 31, 63, 64, 65, 100, 128, 130, 191, 257, 300}) {
    for (int layouts = 0; layouts < 4; ++layouts) {
      SCOPED_TRACE(testing::Message() << "n = " << n << ", layouts " << layouts);
      HostMatrix lower = triangle_of(n, kLayouts[layouts & 1], 0.2);
      const Shape shape{n, n, kLayouts[layouts >> 1], 5, 0};
      const DeviceMatrix on_device = upload(lower);
      const DeviceMatrix inverse = upload(HostMatrix(shape));
      device_->kernels().invert_unit_lower(stream_, on_device.view, inverse.view);
      expect_near(download(inverse, shape), reference_inverse(lower, shape), 1e-12);
    }
  }
}

TEST_P(KernelsTest, InvertsNoTriangleAtAll) {
  const HostMatrix untouched({3, 3, Layout::ColumnMajor, 1, 0});
  const DeviceMatrix lower = upload(untouched), inverse = upload(untouched);
  device_->kernels().invert_unit_lower(stream_, {nullptr, 0, 0, 1}, {nullptr, 0, 0, 1});
  device_->kernels().invert_unit_lower(stream_, lower.view.block(1, 1, 0, 0),
                                       inverse.view.block(1, 1, 0, 0));
  expect_near(download(lower, untouched.shape), untouched, 0);
  expect_near(download(inverse, untouched.shape), untouched, 0);
}

TEST_P(KernelsTest, InvertsWideTrianglesAsAccuratelyAsSubstitution) {
  for (const std::int64_t n : {1024, 1100}) {
    SCOPED_TRACE(testing::Message() << "n = " << n);
    HostMatrix lower = triangle_of(n, Layout::ColumnMajor, 0.05);
    const Shape shape{n, n, Layout::RowMajor, 0, 0};
    const DeviceMatrix on_device = upload(lower);
    const DeviceMatrix inverse = upload(HostMatrix(shape));
    device_->kernels().invert_unit_lower(stream_, on_device.view, inverse.view);
    HostMatrix x = download(inverse, shape);
    // L X = I on columns picked over the width, entry for entry.
    for (std::int64_t j = 0; j < n; j += 97) {
      for (std::int64_t i = 0; i < n; ++i) {
        double sum = x(i, j);
        for (std::int64_t k = 0; k < i; ++k)
          sum += lower(i, k) * x(k, j);
        ASSERT_NEAR(sum, i == j ? 1.0 : 0.0, 1e-12) << i << ", " << j;
      }
    }
  }
}

}  // namespace
}  // namespace hpcx::conformance
