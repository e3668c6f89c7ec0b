#pragma once

#include <array>
#include <bit>
#include <cstring>
#include <limits>

#include "device_fixture.h"
#include "hpcx/mixed.h"

namespace hpcx::conformance {

inline constexpr std::array kPrecisions{Precision::Fp16, Precision::Bf16, Precision::Fp32};

/// A number format in the terms of IEEE 754, by arithmetic alone.
struct Format {
  int bits;      ///< of the significand
  int smallest;  ///< exponent of the smallest normal number
  int largest;   ///< of the largest number

  double unit() const { return std::ldexp(1.0, -bits); }  ///< roundoff
  double quantum() const { return std::ldexp(1.0, smallest - bits + 1); }
};

inline Format format_of(Precision precision) {
  switch (precision) {
    case Precision::Fp16:
      return {11, -14, 15};
    case Precision::Bf16:
      return {8, -126, 127};
    case Precision::Fp32:
      return {24, -126, 127};
  }
  return {};
}

inline const char* name_of(Precision precision) {
  return precision == Precision::Fp16 ? "FP16" : precision == Precision::Bf16 ? "BF16" : "FP32";
}

/// The nearest number of the format, ties to even.
inline double rounded(double value, Precision precision) {
  const Format format = format_of(precision);
  if (value == 0 || !std::isfinite(value)) return value;
  const int exponent = std::max(std::ilogb(value), format.smallest);
  const double quantum = std::ldexp(1.0, exponent - format.bits + 1);
  const double nearest = std::nearbyint(value / quantum) * quantum;
  return std::abs(nearest) >= std::ldexp(1.0, format.largest + 1)
             ? std::copysign(std::numeric_limits<double>::infinity(), value)
             : nearest;
}

/// The number that bits of a format stand for, and back; NaN to some NaN.
inline double value_of(std::uint32_t bits, Precision precision) {
  if (precision == Precision::Fp32) return std::bit_cast<float>(bits);
  const Format format = format_of(precision);
  const std::uint32_t fraction = bits & ((1u << (format.bits - 1)) - 1);
  const int field = static_cast<int>((bits & 0x7fff) >> (format.bits - 1));
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (field > format.largest - format.smallest + 1)
    return fraction == 0 ? sign * std::numeric_limits<double>::infinity()
                         : std::numeric_limits<double>::quiet_NaN();
  const double significand = fraction + (field == 0 ? 0.0 : std::ldexp(1.0, format.bits - 1));
  return sign * std::ldexp(significand, std::max(field, 1) - 1 + format.smallest - format.bits + 1);
}

inline std::uint32_t bits_of(double value, Precision precision) {
  if (precision == Precision::Fp32) return std::bit_cast<std::uint32_t>(static_cast<float>(value));
  const Format format = format_of(precision);
  const double exact = rounded(value, precision), magnitude = std::abs(exact);
  const auto all_ones = static_cast<std::uint32_t>(format.largest - format.smallest + 2);
  const std::uint32_t infinity = all_ones << (format.bits - 1);
  const std::uint32_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) return sign | infinity | 1u << (format.bits - 2);
  if (std::isinf(exact)) return sign | infinity;
  const int exponent =
      magnitude == 0 ? format.smallest : std::max(std::ilogb(magnitude), format.smallest);
  // A subnormal number has no leading bit: the exponent's field is its overflow.
  const auto quanta = static_cast<std::uint32_t>(std::ldexp(magnitude, format.bits - 1 - exponent));
  return sign |
         ((static_cast<std::uint32_t>(exponent - format.smallest) << (format.bits - 1)) + quanta);
}

/// A matrix of any precision in host memory, padding included.
class HostMixed {
 public:
  HostMixed(Shape shape, Precision precision)
      : shape_(shape), precision_(precision), storage_(shape.storage() * bytes(), 0x5a) {}

  /// In memory that begins at `base`.
  MixedView view(void* base) const {
    auto* const first =
        static_cast<std::byte*>(base) + static_cast<std::size_t>(shape_.lead) * bytes();
    return {first, precision_, shape_.rows, shape_.cols, ld(), shape_.layout};
  }
  std::uint32_t bits(std::int64_t i, std::int64_t j) const {
    std::uint32_t number = 0;
    std::memcpy(&number, storage_.data() + offset(i, j), bytes());
    return number;
  }
  void set_bits(std::int64_t i, std::int64_t j, std::uint32_t number) {
    std::memcpy(storage_.data() + offset(i, j), &number, bytes());
  }
  double operator()(std::int64_t i, std::int64_t j) const {
    return value_of(bits(i, j), precision_);
  }
  void set(std::int64_t i, std::int64_t j, double value) {
    set_bits(i, j, bits_of(value, precision_));
  }

  const Shape& shape() const { return shape_; }
  Precision precision() const { return precision_; }
  std::vector<std::uint8_t>& storage() { return storage_; }

 private:
  std::int64_t ld() const { return std::max<std::int64_t>(shape_.ld(), 1); }
  std::size_t bytes() const { return static_cast<std::size_t>(bytes_of(precision_)); }
  std::size_t offset(std::int64_t i, std::int64_t j) const {
    const bool by_rows = shape_.layout == Layout::RowMajor;
    return static_cast<std::size_t>(shape_.lead + (by_rows ? i * ld() + j : i + j * ld())) *
           bytes();
  }

  Shape shape_;
  Precision precision_;
  std::vector<std::uint8_t> storage_;
};

/// The same storage in device memory.
struct DeviceMixed {
  Buffer buffer;
  MixedView view;
};

class MixedTest : public DeviceTest {
 protected:
  void SetUp() override {
    mixed_ = device_->mixed_precision();
    if (mixed_ == nullptr) GTEST_SKIP() << "this device has no operations of few bits";
  }

  using DeviceTest::download;
  using DeviceTest::upload;
  DeviceMixed upload(HostMixed host) {
    Buffer buffer = upload(host.storage());
    const MixedView view = host.view(buffer.as<void>());
    return {std::move(buffer), view};
  }
  HostMixed download(const DeviceMixed& device, const HostMixed& like) {
    HostMixed host(like.shape(), like.precision());
    host.storage() = download<std::uint8_t>(device.buffer, host.storage().size());
    return host;
  }

  MixedPrecision* mixed_ = nullptr;
};

/// Nothing but the matrix has changed.
inline void expect_padding_untouched(HostMixed after) {
  const HostMixed before(after.shape(), after.precision());
  for (std::int64_t i = 0; i < after.shape().rows; ++i)
    for (std::int64_t j = 0; j < after.shape().cols; ++j)
      after.set_bits(i, j, before.bits(i, j));
  EXPECT_EQ(after.storage(), HostMixed(before).storage()) << "padding was written to";
}

inline HostMixed rounded_matrix(const HostMatrix& exact, Shape shape, Precision precision) {
  HostMixed result(shape, precision);
  HostMatrix source = exact;
  for (std::int64_t i = 0; i < shape.rows; ++i)
    for (std::int64_t j = 0; j < shape.cols; ++j)
      result.set(i, j, source(i, j));
  return result;
}

/// The values of a matrix in FP64, column-major.
inline HostMatrix values(const HostMixed& a) {
  HostMatrix result({a.shape().rows, a.shape().cols, Layout::ColumnMajor, 0, 0});
  set_all(result, a);
  return result;
}

}  // namespace hpcx::conformance
