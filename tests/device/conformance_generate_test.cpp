#include "device_fixture.h"
#include "hpcx/generator.h"
#include "support/golden.h"

namespace hpcx::conformance {
namespace {

class GenerateTest : public DeviceTest {};
HPCX_INSTANTIATE_FOR_ALL_DEVICES(GenerateTest);

/// One step after another, as the benchmark defines it: no jump.
HostMatrix reference(std::int64_t order, Shape shape) {
  HostMatrix a(shape);
  std::uint64_t x = generator::kSeed;
  for (std::int64_t j = 0; j < shape.cols; ++j) {
    for (std::int64_t i = 0; i < order; ++i) {
      x = generator::kMultiplier * x + generator::kIncrement;
      if (i < shape.rows) a(i, j) = 0.5 - static_cast<double>(x) * 0x1p-64;
    }
  }
  return a;
}

TEST_P(GenerateTest, GivesThePublishedElements) {
  for (const Layout layout : kLayouts) {
    const Shape shape{37, 38, layout, 3, 0};
    const DeviceMatrix tile = upload(HostMatrix(shape));
    device_->kernels().generate(stream_, {37, kAll, kAll}, tile.view);
    HostMatrix a = download(tile, shape);
    EXPECT_EQ(a(0, 0), -5.1599441937666413e-05);
    EXPECT_EQ(a(1, 0), 0.38413122531282284);
    EXPECT_EQ(a(2, 0), 0.44368366759894268);
    EXPECT_EQ(a(36, 37), 0.42540758202037188);
    expect_near(a, reference(37, shape), 0);
  }
}

TEST_P(GenerateTest, AgreesWithFilesWrittenByTheOriginal) {
  const Shape shape{1000, 1001, Layout::RowMajor, 0, 0};
  const DeviceMatrix tile = upload(HostMatrix(shape));
  device_->kernels().generate(stream_, {1000, kAll, kAll}, tile.view);
  HostMatrix a = download(tile, shape);
  for (const auto& [i, j, value] : hpl::test::golden_matrix("matrix_N1000_sample.csv"))
    ASSERT_EQ(a(i, j), value) << "element " << i << ", " << j;
}

TEST_P(GenerateTest, FollowsBlockCyclicIndexMaps) {
  for (const Layout layout : kLayouts) {
    for (const std::int64_t block : {1, 3, 16}) {
      for (const auto& [rows, cols] : Sizes{{1, 1}, {50, 21}, {300, 40}, {7, 600}}) {
        SCOPED_TRACE(testing::Message() << layout_name(layout) << ", block " << block << ", "
                                        << rows << " x " << cols);
        const std::int64_t order = 4000;
        const IndexMap row_map{.block = block, .stride = 3 * block, .first = 2 * block};
        const IndexMap col_map{.block = block, .stride = 2 * block, .first = block};
        HostMatrix expected({rows, cols, layout, 1, 1});
        const DeviceMatrix tile = upload(expected);
        device_->kernels().generate(stream_, {order, row_map, col_map}, tile.view);
        set_all(expected, [&](auto i, auto j) {
          return generator::value(generator::state_of(static_cast<std::uint64_t>(order),
                                                      static_cast<std::uint64_t>(row_map(i)),
                                                      static_cast<std::uint64_t>(col_map(j))));
        });
        expect_near(download(tile, expected.shape), expected, 0);
      }
    }
  }
}

TEST_P(GenerateTest, JumpsToFarElementsOfHugeMatrices) {
  const std::int64_t order = 20'000'000;
  const std::int64_t far = order - 40;
  const IndexMap map{.block = order, .stride = order, .first = far};
  HostMatrix expected({40, 41, Layout::RowMajor, 0, 0});
  const DeviceMatrix tile = upload(expected);
  device_->kernels().generate(stream_, {order, map, map}, tile.view);
  std::uint64_t x =
      generator::state_of(static_cast<std::uint64_t>(order), static_cast<std::uint64_t>(far),
                          static_cast<std::uint64_t>(far));
  for (std::int64_t i = 0; i < 40; ++i) {
    expected(i, 0) = generator::value(x);
    x = generator::kMultiplier * x + generator::kIncrement;
  }
  HostMatrix a = download(tile, expected.shape);
  for (std::int64_t i = 0; i < 40; ++i)
    EXPECT_EQ(a(i, 0), expected(i, 0));
  // The column behind the last row: the sequence goes on in the next column.
  EXPECT_EQ(generator::value(x),
            generator::value(generator::state_of(static_cast<std::uint64_t>(order), 0,
                                                 static_cast<std::uint64_t>(far) + 1)));
}

TEST_P(GenerateTest, LeavesEmptyTilesAlone) {
  const HostMatrix untouched({5, 5, Layout::RowMajor, 2, 0});
  const DeviceMatrix tile = upload(untouched);
  for (const MatrixView& empty :
       {MatrixView{nullptr, 0, 5, 1}, tile.view.row_range(2, 0), tile.view.col_range(2, 0),
        tile.view.transposed().col_range(0, 0)})
    device_->kernels().generate(stream_, {100, kAll, kAll}, empty);
  expect_near(download(tile, untouched.shape), untouched, 0);
}

}  // namespace
}  // namespace hpcx::conformance
