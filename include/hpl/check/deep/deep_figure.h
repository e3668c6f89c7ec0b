#pragma once

#include <array>
#include <optional>
#include <string>

#include "hpl/base/record/record.h"

namespace hpl {

/// The bound of a figure, by its operations and bytes against measured rates.
enum class Bound {
  Compute,  ///< half of the library's rate or more
  Memory,   ///< half of the memory's copy rate or more
  Caches,   ///< more bytes than the memory could deliver
  Latency,  ///< neither
  Link,     ///< between host and device
};
inline constexpr std::array<Choice<Bound>, 5> kBounds{{{Bound::Compute, "compute"},
                                                       {Bound::Memory, "memory"},
                                                       {Bound::Caches, "caches"},
                                                       {Bound::Latency, "latency"},
                                                       {Bound::Link, "link"}}};

/// A figure of the deep check. Ranks have it under the same key.
struct DeepFigure {
  std::string key;    ///< in JSON: "device_tiles_2_fp64"
  std::string label;  ///< in tables
  std::string unit;
  bool of_device = false;  ///< else of the host
  bool lower_is_better = false;
  double value = 0;
  std::optional<Bound> bound;   ///< empty: not looked at
  std::optional<double> share;  ///< of the rate of what bounds it
  /// Of a result: its error by its bound. Above 1 it is wrong.
  std::optional<double> error;

  bool operator==(const DeepFigure&) const = default;
};
void describe(Record& record, DeepFigure& figure);

}  // namespace hpl
