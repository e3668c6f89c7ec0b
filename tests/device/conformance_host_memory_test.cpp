#include <cstring>

#include "device_fixture.h"
#include "hpcx/copy.h"
#include "hpcx/host_memory.h"
#include "support/forwarding_device.h"

namespace hpcx::conformance {
namespace {

/// Copies of matrices, and of lines of bytes, between host and device memory.
class StridedCopyTest : public DeviceTest {
 protected:
  struct Case {
    std::int64_t rows, cols, host_pad, device_pad, lead;
  };
  static std::vector<Case> cases() {
    return {{1, 1, 0, 0, 0},     {1, 1, 3, 5, 1},        {7, 33, 3, 0, 1},  {129, 65, 0, 3, 0},
            {300, 2, 5, 5, 1},   {2, 300, 1, 0, 0},      {64, 64, 0, 0, 0}, {300001, 2, 3, 0, 1},
            {5, 70000, 0, 1, 0}, {1000, 1000, 24, 8, 0}, {0, 5, 1, 1, 0},   {5, 0, 1, 1, 0}};
  }
  static std::string text(const Case& c, Layout layout) {
    return layout_name(layout) + ", " + std::to_string(c.rows) + " x " + std::to_string(c.cols) +
           ", pads " + std::to_string(c.host_pad) + " and " + std::to_string(c.device_pad) +
           ", lead " + std::to_string(c.lead);
  }
};
HPCX_INSTANTIATE_FOR_ALL_DEVICES(StridedCopyTest);

TEST_P(StridedCopyTest, CopiesMatricesToTheDeviceAndBackWhateverTheirLeadingDimensions) {
  for (const Layout layout : {Layout::ColumnMajor, Layout::RowMajor}) {
    for (const Case& c : cases()) {
      SCOPED_TRACE(text(c, layout));
      HostMatrix source = random_matrix({c.rows, c.cols, layout, c.host_pad, c.lead}, 11);
      HostMatrix expected = random_matrix({c.rows, c.cols, layout, c.device_pad, c.lead}, 12);
      const DeviceMatrix on_device = upload(expected);
      for (std::int64_t i = 0; i < c.rows; ++i)
        for (std::int64_t j = 0; j < c.cols; ++j)
          expected(i, j) = source(i, j);
      copy(stream_, source.view(), on_device.view);
      expect_near(download(on_device, expected.shape), expected, 0);

      HostMatrix back(source.shape);
      HostMatrix expected_back(source.shape);
      for (std::int64_t i = 0; i < c.rows; ++i)
        for (std::int64_t j = 0; j < c.cols; ++j)
          expected_back(i, j) = source(i, j);
      copy(stream_, on_device.view, back.view());
      stream_.ref().synchronize();
      expect_near(back, expected_back, 0);
    }
  }
}

TEST_P(StridedCopyTest, CopiesBetweenMatricesOfTheDeviceAndBetweenMatricesOfTheHost) {
  const Shape from{123, 45, Layout::RowMajor, 3, 1};
  const Shape to{123, 45, Layout::RowMajor, 0, 0};
  HostMatrix source = random_matrix(from, 13);
  HostMatrix expected(to);
  for (std::int64_t i = 0; i < from.rows; ++i)
    for (std::int64_t j = 0; j < from.cols; ++j)
      expected(i, j) = source(i, j);
  const DeviceMatrix a = upload(source);
  const DeviceMatrix b = upload(HostMatrix(to));
  copy(stream_, a.view, b.view);
  expect_near(download(b, to), expected, 0);
  HostMatrix on_host(to);
  copy(stream_, source.view(), on_host.view());
  stream_.ref().synchronize();
  expect_near(on_host, expected, 0);
}

TEST_P(StridedCopyTest, CopiesLinesOfBytesAndLeavesWhatLiesBetween) {
  const std::vector<char> source{'a', 'b', 'c', '-', '-', 'd', 'e', 'f', '-', '-', 'g', 'h', 'i'};
  const Buffer device = upload(std::vector<char>(16, '.'));
  stream_.ref().copy_2d({.destination = device.as<char>(1),
                         .destination_pitch = 4,
                         .source = source.data(),
                         .source_pitch = 5,
                         .width = 3,
                         .height = 3});
  stream_.ref().copy_2d({.destination = nullptr, .source = nullptr, .width = 3, .height = 0});
  stream_.ref().copy_2d({.destination = nullptr, .source = nullptr, .width = 0, .height = 3});
  const std::vector<char> result = download<char>(device, 16);
  EXPECT_EQ(std::string(result.begin(), result.end()), ".abc.def.ghi....");
}

TEST_P(StridedCopyTest, KeepsTheOrderOfItsStream) {
  const Shape shape{300, 200, Layout::ColumnMajor, 12, 0};
  HostMatrix source = random_matrix(shape, 14);
  HostMatrix expected(shape);
  expected.storage.assign(expected.storage.size(), 2.0);
  const Buffer pinned = device_->allocate_pinned(shape.storage() * sizeof(double));
  const MatrixView back{pinned.as<double>(), shape.rows, shape.cols, shape.ld(), shape.layout};
  const DeviceMatrix on_device = upload(source);
  for (int round = 0; round < 5; ++round) {
    device_->kernels().fill(stream_, 1.0 + round % 2, on_device.view);
    copy(stream_, on_device.view, back);
    device_->kernels().fill(stream_, 7.0, on_device.view);
    stream_.ref().synchronize();
    for (std::int64_t j = 0; j < shape.cols; j += 17)
      for (std::int64_t i = 0; i < shape.rows; i += 29)
        ASSERT_EQ(back(i, j), 1.0 + round % 2) << i << ", " << j << " in round " << round;
  }
}

class HostMemoryTest : public DeviceTest {
 protected:
  static constexpr std::size_t kMegabyte = std::size_t{1} << 20;
};
HPCX_INSTANTIATE_FOR_ALL_DEVICES(HostMemoryTest);

TEST_P(HostMemoryTest, IsZeroAndPinned) {
  const HostMemory memory(*device_, 9 * kMegabyte + 8);
  EXPECT_EQ(memory.bytes(), 9 * kMegabyte + 8);
  EXPECT_TRUE(memory.pinned()) << memory.why_not_pinned();
  for (std::size_t k = 0; k < memory.bytes() / 8; k += 511)
    ASSERT_EQ(memory.as<double>()[k], 0.0);
}

TEST_P(HostMemoryTest, ServesCopiesOfBlocksBothWays) {
  const std::int64_t order = 1024;
  const HostMemory memory(*device_, static_cast<std::size_t>(order * order) * 8);
  const MatrixView whole{memory.as<double>(), order, order, order, Layout::ColumnMajor};
  HostMatrix values = random_matrix({order, order, Layout::ColumnMajor, 0, 0}, 15);
  std::memcpy(whole.data, values.storage.data(), memory.bytes());
  const DeviceMatrix block = upload(HostMatrix({700, 900, Layout::ColumnMajor, 0, 0}));
  copy(stream_, whole.block(100, 50, 700, 900), block.view);
  device_->kernels().fill(stream_, 0, block.view.block(0, 0, 1, 1));
  copy(stream_, block.view, whole.block(200, 60, 700, 900));
  stream_.ref().copy(block.view.data, whole.data + 1, 3 * kMegabyte);
  stream_.ref().synchronize();
  EXPECT_EQ(whole(200, 60), 0.0);
  EXPECT_EQ(whole(899, 959), values(799, 949));
  EXPECT_EQ(whole(199, 60), values(199, 60));
  EXPECT_EQ(whole(900, 959), values(900, 959));
}

TEST_P(HostMemoryTest, CanBePinnedAgainAfterItsEnd) {
  const HostMemory memory(*device_, 4 * kMegabyte);
  for (int round = 0; round < 2; ++round) {
    const Buffer other = device_->allocate(8);
    std::vector<std::byte> own(3 * kMegabyte);
    const HostRegistration registration = device_->register_host(own.data(), own.size());
    EXPECT_EQ(registration.bytes(), own.size());
    stream_.ref().copy(other.as<void>(), own.data(), 8);
    stream_.ref().synchronize();
  }
  EXPECT_EQ(device_->register_host(nullptr, 0).bytes(), 0u);
}

/// A device that may not pin.
class Refusing final : public hpl::test::ForwardingDevice {
 public:
  using ForwardingDevice::ForwardingDevice;
  HostRegistration register_host(void*, std::size_t) override {
    throw Error("no more memory may be locked");
  }
};

TEST_P(HostMemoryTest, ThatMayNotBePinnedSaysWhyAndServesCopies) {
  Refusing refusing(*device_);
  const HostMemory memory(refusing, 4 * kMegabyte);
  EXPECT_FALSE(memory.pinned());
  EXPECT_EQ(memory.why_not_pinned(), "no more memory may be locked");
  const Buffer on_device = device_->allocate(memory.bytes());
  memory.as<double>()[kMegabyte / 4] = 5.0;
  stream_.ref().copy(on_device.as<void>(), memory.as<void>(), memory.bytes());
  EXPECT_EQ(download<double>(on_device, memory.bytes() / 8)[kMegabyte / 4], 5.0);
}

TEST_P(HostMemoryTest, RefusesMoreThanTheHostHas) {
  EXPECT_THROW(HostMemory(*device_, std::size_t{1} << 50), OutOfMemory);
  EXPECT_EQ(HostMemory(*device_, 0).bytes(), 0u);
}

}  // namespace
}  // namespace hpcx::conformance
