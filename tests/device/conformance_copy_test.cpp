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

/// Sizes about those of the words that a device may copy by, and about what counts as small.
constexpr std::size_t kSmallSizes[] = {1,    7,     8,     9,      15,     16,     17,
                                       4097, 16384, 65535, 131064, 131072, 131073, 200000};

TEST_P(CopyTest, CopiesSmallPiecesOfAnyAlignmentAndNothingBesideThem) {
  constexpr std::size_t kRoom = 200000 + 64;
  std::vector<std::byte> own(kRoom + 4096);
  const Buffer pinned = device_->allocate_pinned(kRoom), device = device_->allocate(kRoom);
  const HostRegistration registration = device_->register_host(own.data(), own.size());
  std::vector<std::byte> before(kRoom, std::byte{0xee}), piece(kRoom), expected, result(kRoom);
  for (std::size_t k = 0; k < kRoom; ++k)
    piece[k] = pattern(k);
  for (std::byte* const host : {pinned.as<std::byte>(), own.data() + 3}) {
    for (const std::size_t bytes : kSmallSizes) {
      for (const auto& [host_lead, device_lead] :
           {std::pair{0, 0}, {16, 32}, {8, 16}, {0, 24}, {5, 5}, {1, 0}}) {
        SCOPED_TRACE(testing::Message()
                     << bytes << " bytes, leads " << host_lead << " and " << device_lead);
        expected = before;
        std::copy_n(piece.data(), bytes, expected.data() + device_lead);
        std::copy_n(piece.data(), bytes, host + host_lead);
        stream_.ref().copy(device.as<void>(), before.data(), kRoom);
        stream_.ref().copy(device.as<std::byte>(static_cast<std::size_t>(device_lead)),
                           host + host_lead, bytes);
        stream_.ref().copy(result.data(), device.as<void>(), kRoom);
        stream_.ref().synchronize();
        ASSERT_TRUE(result == expected);

        expected = before;
        std::copy_n(piece.data(), bytes, expected.data() + host_lead);
        std::copy_n(before.data(), kRoom, host);
        stream_.ref().copy(host + host_lead,
                           device.as<std::byte>(static_cast<std::size_t>(device_lead)), bytes);
        stream_.ref().synchronize();
        ASSERT_TRUE(std::equal(expected.begin(), expected.end(), host));
      }
    }
  }
}

TEST_P(CopyTest, CopiesFewShortLinesBetweenPinnedAndDeviceMemory) {
  struct Shape {
    std::size_t width, height, host_pitch, device_pitch;
  };
  for (const auto& [width, height, host_pitch, device_pitch] : {Shape{16, 5, 48, 32},
                                                                {24, 7, 24, 40},
                                                                {20, 3, 32, 48},
                                                                {5, 100, 7, 5},
                                                                {1, 999, 2, 3},
                                                                {1000, 130, 1008, 1024},
                                                                {1000, 132, 1008, 1024},
                                                                {64, 40, 64, 64}}) {
    SCOPED_TRACE(testing::Message() << height << " lines of " << width);
    const Buffer from = device_->allocate_pinned(height * host_pitch);
    const Buffer to = device_->allocate_pinned(height * host_pitch);
    const Buffer device = device_->allocate(height * device_pitch);
    for (std::size_t k = 0; k < from.bytes(); ++k)
      from.as<std::byte>()[k] = pattern(k);
    std::memset(to.as<void>(), 0xee, to.bytes());
    stream_.ref().copy_2d(
        {device.as<void>(), device_pitch, from.as<void>(), host_pitch, width, height});
    stream_.ref().copy_2d(
        {to.as<void>(), host_pitch, device.as<void>(), device_pitch, width, height});
    stream_.ref().synchronize();
    for (std::size_t k = 0; k < to.bytes(); ++k)
      ASSERT_EQ(to.as<std::byte>()[k], k % host_pitch < width ? pattern(k) : std::byte{0xee})
          << "byte " << k;
  }
}

TEST_P(CopyTest, SeesWhatTheHostWroteSinceTheLastCopy) {
  constexpr std::size_t kCount = 512;
  const Buffer pinned = device_->allocate_pinned(kCount * 8),
               back = device_->allocate_pinned(kCount * 8);
  const Buffer device = device_->allocate(kCount * 8);
  for (std::uint64_t round = 1; round <= 300; ++round) {
    std::fill_n(pinned.as<std::uint64_t>(), kCount, round);
    stream_.ref().copy(device.as<void>(), pinned.as<void>(), pinned.bytes());
    stream_.ref().copy(back.as<void>(), device.as<void>(), back.bytes());
    stream_.ref().record().synchronize();
    for (std::size_t k = 0; k < kCount; ++k)
      ASSERT_EQ(back.as<std::uint64_t>()[k], round) << "number " << k;
  }
}

/// Else all that a step of the factorization waits for comes behind the columns on their way.
TEST_P(CopyTest, SmallCopiesDoNotWaitForLargeOnesOfOtherStreams) {
  if (device_->shares_host_memory()) GTEST_SKIP() << "copies are made by cores";
  constexpr std::size_t kLarge = std::size_t{64} << 20, kSmall = 80000;
  const Buffer host = device_->allocate_pinned(kLarge), device = device_->allocate(kLarge);
  const Buffer small_host = device_->allocate_pinned(kSmall);
  const Buffer small_device = device_->allocate(kSmall);
  const Stream other = device_->create_stream(Priority::High);
  for (const bool to_device : {true, false}) {
    const auto copy = [&](StreamRef stream, const Buffer& on_device, const Buffer& on_host) {
      const Buffer &to = to_device ? on_device : on_host, &from = to_device ? on_host : on_device;
      stream.copy(to.as<void>(), from.as<void>(), to.bytes());
    };
    // The thread may be held up for as long as the large copies take, but not each time.
    bool was_first = false;
    for (int round = 0; round < 20 && !was_first; ++round) {
      for (int i = 0; i < 8; ++i)
        copy(stream_, device, host);
      const Event large = stream_.ref().record();
      copy(other, small_device, small_host);
      other.ref().record().synchronize();
      was_first = !large.done();
      large.synchronize();
    }
    EXPECT_TRUE(was_first) << (to_device ? "to the device" : "to the host");
  }
}

/// Matrices of two shapes in every pair of layouts and alignments.
struct Case {
  Layout source, destination;
  std::int64_t rows, cols, pad, lead;
};

std::vector<Case> cases() {
  const Sizes sizes{{1, 1},     {7, 33},   {129, 65}, {300, 2}, {2, 300},
                    {64, 4500}, {1, 1000}, {1000, 1}, {0, 5},   {5, 0}};
  std::vector<Case> all;
  for (const Layout source : kLayouts)
    for (const Layout destination : kLayouts)
      for (const auto& [rows, cols] : sizes)
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
    set_all(expected, [&](auto i, auto j) { return source(i, j); });
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
    set_all(expected, [&](auto i, auto j) { return source(list[static_cast<std::size_t>(i)], j); });
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
    device_->kernels().move_rows(stream_, {c.rows, on_device.view, from_rows.as<std::int64_t>(),
                                           result.view, to_rows.as<std::int64_t>()});
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
  device_->kernels().move_rows(stream_, {3, matrix.view, from_rows.as<std::int64_t>(), matrix.view,
                                         to_rows.as<std::int64_t>()});
  expect_near(download(matrix, shape), expected, 0);
}

}  // namespace
}  // namespace hpcx::conformance
