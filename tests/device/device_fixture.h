#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "hpcx/device.h"

namespace hpcx {

/// GoogleTest's name of the device of a failed test.
inline void PrintTo(const DeviceProperties& device, std::ostream* out) {
  *out << device.name << " (" << device.description << ")";
}

}  // namespace hpcx

namespace hpcx::conformance {

inline constexpr Layout kLayouts[] = {Layout::ColumnMajor, Layout::RowMajor};
/// The map of a dimension that is not distributed.
inline constexpr IndexMap kAll{.block = std::int64_t{1} << 40, .stride = std::int64_t{1} << 40};
/// Rows and columns of matrices to test with.
using Sizes = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// The layout of a test matrix in memory. `pad` doubles follow every line; the first element is
/// `lead` doubles behind an aligned address.
struct Shape {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  Layout layout = Layout::ColumnMajor;
  std::int64_t pad = 0;
  std::int64_t lead = 0;

  std::int64_t lines() const { return layout == Layout::RowMajor ? rows : cols; }
  std::int64_t ld() const { return (layout == Layout::RowMajor ? cols : rows) + pad; }
  std::size_t storage() const {
    return static_cast<std::size_t>(lead + lines() * std::max<std::int64_t>(ld(), 1));
  }
};

/// Memory that no operation may touch holds this value before and after.
inline constexpr double kUntouched = 12345.0;

/// A matrix in host memory, padding included.
struct HostMatrix {
  explicit HostMatrix(Shape s) : shape(s), storage(s.storage(), kUntouched) {}

  MatrixView view() {
    return {storage.data() + shape.lead, shape.rows, shape.cols,
            std::max<std::int64_t>(shape.ld(), 1), shape.layout};
  }
  double& operator()(std::int64_t i, std::int64_t j) { return view()(i, j); }

  Shape shape;
  std::vector<double> storage;
};

/// a(i, j) := value(i, j).
template <class Value>
void set_all(HostMatrix& a, Value value) {
  for (std::int64_t i = 0; i < a.shape.rows; ++i)
    for (std::int64_t j = 0; j < a.shape.cols; ++j)
      a(i, j) = value(i, j);
}

/// Values in [-0.5, 0.5), the same in every run.
inline HostMatrix random_matrix(Shape shape, std::uint64_t seed) {
  HostMatrix a(shape);
  set_all(a, [x = seed * 2654435761u + 1](auto, auto) mutable {
    x = x * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(x >> 11) * 0x1p-53 - 0.5;
  });
  return a;
}

/// The same storage in device memory.
struct DeviceMatrix {
  Buffer buffer;
  MatrixView view;
};

/// Equal in every stored double, padding included, up to `tolerance`; names the first difference.
inline void expect_near(const HostMatrix& actual, const HostMatrix& expected, double tolerance) {
  ASSERT_EQ(actual.storage.size(), expected.storage.size());
  for (std::size_t k = 0; k < actual.storage.size(); ++k) {
    const double difference = std::abs(actual.storage[k] - expected.storage[k]);
    ASSERT_TRUE(difference <= tolerance)
        << "stored element " << k << " of " << actual.storage.size() << ": " << actual.storage[k]
        << ", expected " << expected.storage[k];
  }
}

inline std::string layout_name(Layout layout) {
  return layout == Layout::RowMajor ? "RowMajor" : "ColumnMajor";
}

/// Every test runs on every device, which it opens for itself.
class DeviceTest : public testing::TestWithParam<DeviceProperties> {
 protected:
  static std::unique_ptr<Device> open(int threads = 2) {
    return open_device({.backend = GetParam().backend,
                        .index = GetParam().index,
                        .cpu = {.threads = threads, .on_thread_start = {}}});
  }

  /// Bytes from host to device memory; waits.
  template <class T>
  Buffer upload(const std::vector<T>& values) {
    Buffer buffer = device_->allocate(values.size() * sizeof(T));
    stream_.ref().copy(buffer.as<void>(), values.data(), values.size() * sizeof(T));
    stream_.ref().synchronize();
    return buffer;
  }
  template <class T>
  std::vector<T> download(const Buffer& buffer, std::size_t count) {
    std::vector<T> values(count);
    stream_.ref().copy(values.data(), buffer.as<void>(), count * sizeof(T));
    stream_.ref().synchronize();
    return values;
  }
  DeviceMatrix upload(const HostMatrix& host) {
    Buffer buffer = upload(host.storage);
    const MatrixView view{buffer.as<double>() + host.shape.lead, host.shape.rows, host.shape.cols,
                          std::max<std::int64_t>(host.shape.ld(), 1), host.shape.layout};
    return {std::move(buffer), view};
  }
  HostMatrix download(const DeviceMatrix& device, Shape shape) {
    HostMatrix host(shape);
    host.storage = download<double>(device.buffer, shape.storage());
    return host;
  }

  std::unique_ptr<Device> device_ = open();
  Stream stream_ = device_->create_stream(Priority::Normal);
};

inline std::string device_test_name(const testing::TestParamInfo<DeviceProperties>& info) {
  return std::string(to_string(info.param.backend)) + std::to_string(info.param.index);
}

}  // namespace hpcx::conformance

/// Runs the tests of a suite derived from DeviceTest on every device of this machine.
#define HPCX_INSTANTIATE_FOR_ALL_DEVICES(suite)                                    \
  INSTANTIATE_TEST_SUITE_P(On, suite, ::testing::ValuesIn(::hpcx::list_devices()), \
                           ::hpcx::conformance::device_test_name)
