#pragma once

#include <optional>

namespace hpl {

/// Requirements on a job beside its residuals; an empty field asks for nothing.
struct Gates {
  std::optional<double> min_gflops;  ///< of every run
  std::optional<double>
      min_efficiency;  ///< of every run: its share of the attainable rate, percent
  std::optional<double> min_peak_efficiency;  ///< of every run: its share of Rpeak, percent
  std::optional<double> max_spread;           ///< between repetitions and between ranks, percent

  bool operator==(const Gates&) const = default;
  bool any() const { return min_gflops || min_efficiency || min_peak_efficiency || max_spread; }
};

}  // namespace hpl
