#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "cpu/cpu_device.h"
#include "hpcx/generator.h"
#include "hpcx/kernels.h"

/// Elements of the random matrices, made in independent lanes that vectorise.
namespace hpcx::cpu {

/// generator::value() bit for bit, in operations that every vector unit has.
class ElementOf {
 public:
  explicit ElementOf(generator::Form form)
      : scale_(form == generator::Form::Netlib ? -0x1p-64
               : form == generator::Form::Icl  ? 0x1p-64
                                               : 0x1.fffffffffffffp-65),
        offset_(form == generator::Form::Netlib ? 0.5
                : form == generator::Form::Icl  ? -0.5
                                                : 0),
        signed_(form == generator::Form::OpenMxp ? std::uint64_t{1} << 63 : 0),
        bias_(0x1p84 + 0x1p52 + static_cast<double>(signed_)) {}

  double operator()(std::uint64_t state) const {
    // The halves stand behind exponents of their own. Only the sum of the two rounds.
    constexpr std::uint64_t kHigh = 0x4530000000000000u;  // 2^84
    constexpr std::uint64_t kLow = 0x4330000000000000u;   // 2^52
    const std::uint64_t bits = state ^ signed_;
    const double high = std::bit_cast<double>(bits >> 32 | kHigh) - bias_;
    const double low = std::bit_cast<double>((bits & 0xffffffffu) | kLow);
    return scale_ * (high + low) + offset_;
  }

 private:
  double scale_, offset_;
  std::uint64_t signed_;  // the bit that turns signed numbers into ordered unsigned ones
  double bias_;
};

/// The sequence of a random matrix, whose elements it numbers column by column.
struct Sequence {
  std::int64_t order;
  std::uint64_t seed;

  /// `i` rows down and `j` columns to the right.
  generator::Jump jump(std::int64_t i, std::int64_t j) const {
    return generator::jump(static_cast<std::uint64_t>(i) +
                           static_cast<std::uint64_t>(j) * static_cast<std::uint64_t>(order));
  }
  std::uint64_t state(std::int64_t i, std::int64_t j) const { return jump(1 + i, j)(seed); }
};

/// out[l] := element(X(l)), X(l + 1) = step(X(l)), X(0) = state; contiguous.
void generate_run(ElementOf element, std::uint64_t state, generator::Jump step, VectorView out);

/// Launches body(i, j, count) over the runs of elements that follow one another both in the local
/// matrix, along its layout, and in the global one. `part` has their index maps.
template <class Part, class Tile, class Body>
void launch_runs(StreamRef stream, const Part& part, const Tile& tile, Body body) {
  const bool by_rows = tile.layout == Layout::RowMajor;
  const std::int64_t lines = by_rows ? tile.rows : tile.cols;
  const std::int64_t length = by_rows ? tile.cols : tile.rows;
  const std::int64_t longest = by_rows ? part.cols.block : part.rows.block;
  launch_ranges(stream, lines, 8 * length, [=](std::int64_t first, std::int64_t count) {
    for (std::int64_t line = first; line < first + count; ++line)
      for (std::int64_t at = 0; at < length; at += longest)
        body(by_rows ? line : at, by_rows ? at : line, std::min(longest, length - at));
  });
}

/// Rows whose elements are made at a time, each by a lane of its own.
inline constexpr std::int64_t kRowLanes = 32;

/// out[j kRowLanes + l] := element(states[l]) for successive columns; leaves the states at the next
/// one. Contiguous.
void generate_columns(ElementOf element, std::uint64_t* states, generator::Jump next_column,
                      VectorView out);

}  // namespace hpcx::cpu
