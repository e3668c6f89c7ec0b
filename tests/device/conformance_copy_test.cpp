#include <cstring>
#include <numeric>

#include "device_fixture.h"

namespace hpcx::conformance {
namespace {

class CopyTest : public DeviceTest {
 protected:
  static constexpr std::size_t kBytes = 3 * 1000 * 1000 + 5;

  static std::byte pattern(std::size_t k) { return static_cast<std::byte>(k * 31 + k / 251); }
};
HPCX_INSTANTIATE_FOR_ALL_DEVICES(CopyTest);

TEST_P(CopyTest, CopiesBytesBetweenHostPinnedAndDeviceMemoryInEveryDirection) {
  // Each kind twice: all nine pairs, and a kind with itself.
  std::vector<std::byte> host[2] = {std::vector<std::byte>(kBytes), std::vector<std::byte>(kBytes)};
  const Buffer pinned[2] = {device_->allocate_pinned(kBytes), device_->allocate_pinned(kBytes)};
  const Buffer device[2] = {device_->allocate(kBytes), device_->allocate(kBytes)};
  std::byte* const places[3][2] = {{host[0].data(), host[1].data()},
                                   {pinned[0].as<std::byte>(), pinned[1].as<std::byte>()},
                                   {device[0].as<std::byte>(), device[1].as<std::byte>()}};
  std::vector<std::byte> original(kBytes);
  for (std::size_t k = 0; k < kBytes; ++k)
    original[k] = pattern(k);

  for (int from = 0; from < 3; ++from) {
    for (int to = 0; to < 3; ++to) {
      SCOPED_TRACE(testing::Message() << "from kind " << from << " to kind " << to);
      std::vector<std::byte> result(kBytes);
      stream_.ref().copy(places[from][0], original.data(), kBytes);
      stream_.ref().copy(places[to][1], places[from][0], kBytes);
      stream_.ref().copy(result.data(), places[to][1], kBytes);
      stream_.ref().synchronize();
      ASSERT_EQ(std::memcmp(result.data(), original.data(), kBytes), 0);
      stream_.ref().copy(places[to][1], result.data() + 1, kBytes - 1);  // leaves no old result
      stream_.ref().synchronize();
    }
  }
}

TEST_P(CopyTest, CopiesNothingAndUnalignedPieces) {
  const Buffer device = upload(std::vector<double>{1, 2, 3, 4});
  stream_.ref().copy(device.as<void>(), nullptr, 0);
  std::vector<std::byte> piece(5);
  stream_.ref().copy(piece.data(), device.as<std::byte>() + 11, piece.size());
  stream_.ref().synchronize();
  const double values[] = {1, 2, 3, 4};
  EXPECT_EQ(std::memcmp(piece.data(), reinterpret_cast<const std::byte*>(values) + 11, 5), 0);
}

/// Matrices of two shapes in every pair of layouts and alignments.
struct Case {
  Layout source, destination;
  std::int64_t rows, cols, pad, lead;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Layout source : {Layout::ColumnMajor, Layout::RowMajor})
    for (const Layout destination : {Layout::ColumnMajor, Layout::RowMajor})
      for (const auto& [rows, cols] : {std::pair<std::int64_t, std::int64_t>{1, 1},
                                       {7, 33},
                                       {129, 65},
                                       {300, 2},
                                       {2, 300},
                                       {64, 4500},
                                       {1, 1000},
                                       {1000, 1},
                                       {0, 5},
                                       {5, 0}})
        for (const std::int64_t pad : {0, 3})
          for (const std::int64_t lead : {0, 1})
            all.push_back({source, destination, rows, cols, pad, lead});
  return all;
}

std::string text(const Case& c) {
  return layout_name(c.source) + " to " + layout_name(c.destination) + ", " +
         std::to_string(c.rows) + " x " + std::to_string(c.cols) + ", pad " +
         std::to_string(c.pad) + ", lead " + std::to_string(c.lead);
}

/// Row `i * 7 + 3 mod rows`, in an order with no pattern that a kernel could rely on.
std::vector<std::int64_t> scattered_rows(std::int64_t count, std::int64_t rows) {
  std::vector<std::int64_t> list;
  std::int64_t step = 7;
  while (std::gcd(step, rows) != 1)
    ++step;
  for (std::int64_t i = 0; i < count; ++i)
    list.push_back((i * step + 3) % rows);
  return list;
}

TEST_P(CopyTest, CopiesMatricesBetweenAnyTwoLayouts) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(text(c));
    HostMatrix source = random_matrix({c.rows, c.cols, c.source, c.pad, c.lead}, 1);
    HostMatrix expected = random_matrix({c.rows, c.cols, c.destination, c.pad, 0}, 2);
    const DeviceMatrix on_device = upload(source);
    const DeviceMatrix result = upload(expected);
    for (std::int64_t i = 0; i < c.rows; ++i)
      for (std::int64_t j = 0; j < c.cols; ++j)
        expected(i, j) = source(i, j);
    device_->kernels().copy(stream_, on_device.view, result.view);
    expect_near(download(result, expected.shape), expected, 0);
  }
}

TEST_P(CopyTest, GathersRows) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(text(c));
    const std::int64_t source_rows = 2 * c.rows + 5;
    HostMatrix source = random_matrix({source_rows, c.cols, c.source, c.pad, c.lead}, 3);
    HostMatrix expected = random_matrix({c.rows, c.cols, c.destination, c.pad, 0}, 4);
    const auto list = scattered_rows(c.rows, source_rows);
    const DeviceMatrix on_device = upload(source);
    const DeviceMatrix result = upload(expected);
    const Buffer rows = upload(list);
    for (std::int64_t i = 0; i < c.rows; ++i)
      for (std::int64_t j = 0; j < c.cols; ++j)
        expected(i, j) = source(list[static_cast<std::size_t>(i)], j);
    device_->kernels().gather_rows(stream_, on_device.view, rows.as<std::int64_t>(), result.view);
    expect_near(download(result, expected.shape), expected, 0);
  }
}

TEST_P(CopyTest, MovesRowsFromAListToAList) {
  for (const Case& c : cases()) {
    SCOPED_TRACE(text(c));
    const std::int64_t many = 2 * c.rows + 5;
    HostMatrix source = random_matrix({many, c.cols, c.source, c.pad, c.lead}, 5);
    HostMatrix expected = random_matrix({many + 1, c.cols, c.destination, c.pad, 0}, 6);
    const auto from = scattered_rows(c.rows, many);
    auto to = scattered_rows(c.rows, many + 1);
    const DeviceMatrix on_device = upload(source);
    const DeviceMatrix result = upload(expected);
    const Buffer from_rows = upload(from);
    const Buffer to_rows = upload(to);
    for (std::size_t i = 0; i < from.size(); ++i)
      for (std::int64_t j = 0; j < c.cols; ++j)
        expected(to[i], j) = source(from[i], j);
    device_->kernels().move_rows(stream_, c.rows, on_device.view, from_rows.as<std::int64_t>(),
                                 result.view, to_rows.as<std::int64_t>());
    expect_near(download(result, expected.shape), expected, 0);
  }
}

TEST_P(CopyTest, MovesRowsInsideOneMatrix) {
  const Shape shape{40, 77, Layout::RowMajor, 3, 0};
  HostMatrix expected = random_matrix(shape, 7);
  const DeviceMatrix matrix = upload(expected);
  const std::vector<std::int64_t> from{1, 3, 39};
  const std::vector<std::int64_t> to{0, 20, 2};
  const Buffer from_rows = upload(from);
  const Buffer to_rows = upload(to);
  for (std::size_t i = 0; i < from.size(); ++i)
    for (std::int64_t j = 0; j < shape.cols; ++j)
      expected(to[i], j) = expected(from[i], j);
  device_->kernels().move_rows(stream_, 3, matrix.view, from_rows.as<std::int64_t>(), matrix.view,
                               to_rows.as<std::int64_t>());
  expect_near(download(matrix, shape), expected, 0);
}

}  // namespace
}  // namespace hpcx::conformance
