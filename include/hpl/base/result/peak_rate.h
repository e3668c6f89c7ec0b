#pragma once

#include <optional>
#include <span>
#include <string>

namespace hpl {

/// A theoretical peak, Rpeak.
struct PeakRate {
  double gflops = 0;
  std::string source;  ///< "2 cores x 32 flop/cycle (AVX-512) x 2600 MHz (base clock)"
};

/// The sum, with each source once and how often it was found: "3 x (...)". Empty where one is
/// unknown, or there are none.
std::optional<PeakRate> sum_of(std::span<const std::optional<PeakRate>> peaks);

}  // namespace hpl
