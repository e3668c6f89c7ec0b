#include <cstring>

#include "device_fixture.h"
#include "hpcx/copy.h"
#include "hpcx/host_memory.h"
#include "support/limited_pinning.h"

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
  for (const Layout layout : kLayouts) {
    for (const Case& c : cases()) {
      SCOPED_TRACE(text(c, layout));
      HostMatrix source = random_matrix({c.rows, c.cols, layout, c.host_pad, c.lead}, 11);
      HostMatrix expected = random_matrix({c.rows, c.cols, layout, c.device_pad, c.lead}, 12);
      const DeviceMatrix on_device = upload(expected);
      set_all(expected, [&](auto i, auto j) { return source(i, j); });
      copy(stream_, source.view(), on_device.view);
      expect_near(download(on_device, expected.shape), expected, 0);

      HostMatrix back(source.shape);
      HostMatrix expected_back(source.shape);
      set_all(expected_back, [&](auto i, auto j) { return source(i, j); });
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
  set_all(expected, [&](auto i, auto j) { return source(i, j); });
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
  static constexpr std::int64_t kRows = 700, kCols = 500, kLd = 519;

  /// Memory for a matrix of kRows x kCols, by rows.
  static HostMemorySpec spec_of(std::size_t piece_bytes, std::size_t staging_bytes) {
    return {.bytes = kRows * kLd * 8, .piece_bytes = piece_bytes, .staging_bytes = staging_bytes};
  }
  static MatrixView whole(const HostMemory& memory) {
    return {memory.as<double>(), kRows, kCols, kLd, Layout::RowMajor};
  }
  /// Blocks of all kinds come to the device and go back to other places; nothing else changes.
  void expect_blocks_travel(const HostMemory& memory) {
    struct Block {
      std::int64_t row, col, rows, cols, to_row, to_col;
    };
    const MatrixView matrix = whole(memory);
    HostMatrix expected = random_matrix({kRows, kCols, Layout::RowMajor, kLd - kCols, 0}, 15);
    std::memcpy(matrix.data, expected.storage.data(), expected.storage.size() * 8);
    const DeviceMatrix slot = upload(HostMatrix({kRows, kCols, Layout::RowMajor, 5, 0}));
    for (const Block& b :
         {Block{0, 0, kRows, kCols, 0, 0}, Block{3, 7, 1, 1, 699, 499},
          Block{1, 5, 600, 311, 97, 100}, Block{10, 0, 650, kCols, 50, 0},
          Block{699, 0, 1, kCols, 0, 0}, Block{0, 499, kRows, 1, 0, 3}, Block{5, 5, 0, 9, 7, 7}}) {
      SCOPED_TRACE(std::to_string(b.rows) + " x " + std::to_string(b.cols));
      const MatrixView there = slot.view.block(0, 0, b.rows, b.cols);
      memory.load(stream_, matrix.block(b.row, b.col, b.rows, b.cols), there);
      memory.store(stream_, there, matrix.block(b.to_row, b.to_col, b.rows, b.cols));
      stream_.ref().synchronize();
      HostMatrix before = expected;
      for (std::int64_t i = 0; i < b.rows; ++i)
        for (std::int64_t j = 0; j < b.cols; ++j)
          expected(b.to_row + i, b.to_col + j) = before(b.row + i, b.col + j);
      for (std::int64_t i = 0; i < kRows; ++i)
        for (std::int64_t j = 0; j < kCols; ++j)
          ASSERT_EQ(matrix(i, j), expected(i, j)) << i << ", " << j;
    }
  }
};
HPCX_INSTANTIATE_FOR_ALL_DEVICES(HostMemoryTest);

TEST_P(HostMemoryTest, IsZeroAndPinned) {
  for (const std::size_t piece : {std::size_t{0}, 2 * kMegabyte}) {
    const HostMemory memory(*device_, {.bytes = 9 * kMegabyte + 8, .piece_bytes = piece});
    EXPECT_EQ(memory.bytes(), 9 * kMegabyte + 8);
    EXPECT_TRUE(memory.pinned()) << memory.why_not_pinned();
    EXPECT_EQ(memory.pinned_bytes(), memory.bytes());
    for (std::size_t k = 0; k < memory.bytes() / 8; k += 511)
      ASSERT_EQ(memory.as<double>()[k], 0.0);
  }
}

TEST_P(HostMemoryTest, ServesCopiesOfBlocksBothWays) {
  for (const std::size_t piece : {std::size_t{0}, std::size_t{100000}}) {
    const HostMemory memory(*device_, spec_of(piece, 0));
    ASSERT_TRUE(memory.pinned()) << memory.why_not_pinned();
    EXPECT_EQ(memory.staging_bytes(), 0u);
    expect_blocks_travel(memory);
  }
}

TEST_P(HostMemoryTest, IsCopiedLikeAnyOtherWhereItIsInOnePiece) {
  const std::int64_t order = 1024;
  const HostMemory memory(*device_, {.bytes = static_cast<std::size_t>(order * order) * 8});
  const MatrixView all{memory.as<double>(), order, order, order, Layout::ColumnMajor};
  HostMatrix values = random_matrix({order, order, Layout::ColumnMajor, 0, 0}, 15);
  std::memcpy(all.data, values.storage.data(), memory.bytes());
  const DeviceMatrix block = upload(HostMatrix({700, 900, Layout::ColumnMajor, 0, 0}));
  copy(stream_, all.block(100, 50, 700, 900), block.view);
  device_->kernels().fill(stream_, 0, block.view.block(0, 0, 1, 1));
  copy(stream_, block.view, all.block(200, 60, 700, 900));
  stream_.ref().copy(block.view.data, all.data + 1, 3 * kMegabyte);
  stream_.ref().synchronize();
  EXPECT_EQ(all(200, 60), 0.0);
  EXPECT_EQ(all(899, 959), values(799, 949));
  EXPECT_EQ(all(199, 60), values(199, 60));
  EXPECT_EQ(all(900, 959), values(900, 959));
}

TEST_P(HostMemoryTest, CanBePinnedAgainAfterItsEnd) {
  const HostMemory memory(*device_, {.bytes = 4 * kMegabyte});
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

TEST_P(HostMemoryTest, IsPlacedBeforeItIsTouchedAndTouchedByTheThreadsGiven) {
  void* placed = nullptr;
  const std::unique_ptr<Device> host =
      open_device({.backend = Backend::Cpu, .cpu = {.threads = 2, .on_thread_start = {}}});
  const HostMemory memory(
      *device_,
      {.bytes = kMegabyte, .threads = host.get(), .place = [&](void* data, std::size_t bytes) {
         placed = data;
         EXPECT_EQ(bytes, kMegabyte);
       }});
  EXPECT_EQ(placed, memory.as<void>());
  EXPECT_TRUE(memory.pinned()) << memory.why_not_pinned();
}

TEST_P(HostMemoryTest, IsPinnedAsFarAsTheDriverGoesAndStagedBeyond) {
  const std::int64_t limit = kRows * kLd * 8 / 2;
  hpl::test::LimitedPinning limited(*device_, limit);
  {
    const HostMemory memory(limited, spec_of(100000, 20000));
    EXPECT_EQ(memory.why_not_pinned(), "no more memory may be locked");
    EXPECT_GT(memory.pinned_bytes(), 0u);
    EXPECT_GT(memory.staging_bytes(), 0u);
    EXPECT_EQ(limited.left(),
              limit - static_cast<std::int64_t>(memory.pinned_bytes() + memory.staging_bytes()));
    expect_blocks_travel(memory);
  }
  EXPECT_EQ(limited.left(), limit);
}

TEST_P(HostMemoryTest, OfWhichNothingMayBePinnedIsStaged) {
  // The last: less than a line.
  for (const std::size_t piece : {100000u, 1000u}) {
    hpl::test::LimitedPinning limited(*device_, static_cast<std::int64_t>(4 * piece));
    const HostMemory memory(limited, spec_of(0, piece));
    EXPECT_EQ(memory.pinned_bytes(), 0u);
    EXPECT_EQ(memory.staging_bytes(), 4 * piece);
    EXPECT_EQ(memory.why_not_pinned(), "no more memory may be locked");
    expect_blocks_travel(memory);
  }
}

TEST_P(HostMemoryTest, HoldsWhatWasStagedOnceTheStreamHasBeenWaitedFor) {
  // The last piece is so large that its way from the staging area takes a while.
  constexpr std::size_t kPiece = std::size_t{8} << 20;
  constexpr std::int64_t kColumns = kPiece / 8;
  hpl::test::LimitedPinning limited(*device_, static_cast<std::int64_t>(4 * kPiece));
  const HostMemory memory(limited,
                          {.bytes = 8 * kPiece, .most_pinned = 0, .staging_bytes = kPiece});
  ASSERT_EQ(memory.staging_bytes(), 4 * kPiece);
  std::vector<double> values(kColumns, 1.0);
  const Buffer on_device = upload(values);
  const auto row_of = [](double* data) {
    return MatrixView{data, 1, kColumns, kColumns, Layout::RowMajor};
  };
  memory.store(stream_, row_of(on_device.as<double>()), row_of(memory.as<double>()));
  stream_.ref().synchronize();
  EXPECT_EQ(memory.as<double>()[kColumns - 1], 1.0);
}

TEST_P(HostMemoryTest, IsCopiedByTheDriverWhereNothingAtAllMayBePinned) {
  hpl::test::LimitedPinning limited(*device_, 0);
  const HostMemory memory(limited, spec_of(100000, 20000));
  EXPECT_EQ(memory.pinned_bytes(), 0u);
  EXPECT_EQ(memory.staging_bytes(), 0u);
  expect_blocks_travel(memory);
}

TEST_P(HostMemoryTest, IsNotPinnedBeyondWhatIsAskedFor) {
  HostMemorySpec spec = spec_of(500000, 20000);
  spec.most_pinned = 1100000;
  spec.why_not_more = "--an-option";
  const HostMemory memory(*device_, spec);
  EXPECT_FALSE(memory.pinned());
  EXPECT_LE(memory.pinned_bytes(), spec.most_pinned);
  EXPECT_GT(memory.pinned_bytes(), spec.most_pinned / 2);
  EXPECT_EQ(memory.why_not_pinned(),
            "no more than 1100000 bytes of it may be pinned (--an-option)");
  expect_blocks_travel(memory);
}

TEST_P(HostMemoryTest, StagedCopiesKeepTheOrderOfStreamsAndEvents) {
  hpl::test::LimitedPinning limited(*device_, 4 * 50000);
  const HostMemory memory(limited, spec_of(0, 50000));
  ASSERT_EQ(memory.pinned_bytes(), 0u);
  const Stream load = device_->create_copy_stream(), store = device_->create_copy_stream();
  const DeviceMatrix slot = upload(HostMatrix({kRows, kCols, Layout::RowMajor, 0, 0}));
  const DeviceMatrix other = upload(HostMatrix({kRows, kCols, Layout::RowMajor, 0, 0}));
  for (int round = 1; round < 4; ++round) {
    device_->kernels().fill(stream_, round, slot.view);
    store.ref().wait(stream_.ref().record());
    memory.store(store, slot.view, whole(memory));
    const Event stored = store.ref().record();
    stream_.ref().wait(stored);
    device_->kernels().fill(stream_, -1, slot.view);
    load.ref().wait(stored);
    memory.load(load, whole(memory), other.view);
    stream_.ref().wait(load.ref().record());
    const HostMatrix arrived = download(other, {kRows, kCols, Layout::RowMajor, 0, 0});
    for (const double value : arrived.storage)
      ASSERT_EQ(value, round);
    stored.synchronize();
    ASSERT_EQ(whole(memory)(kRows - 1, kCols - 1), round);
  }
}

TEST_P(HostMemoryTest, RefusesMoreThanTheHostHas) {
  EXPECT_THROW(HostMemory(*device_, {.bytes = std::size_t{1} << 50}), OutOfMemory);
  EXPECT_EQ(HostMemory(*device_, {}).bytes(), 0u);
}

}  // namespace
}  // namespace hpcx::conformance
