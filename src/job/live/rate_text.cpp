#include "rate_text.h"

#include <array>

#include <fmt/format.h>

namespace hpl {

std::string rate_text(double gflops) {
  constexpr std::array<const char*, 4> kUnits{"GFLOP/s", "TFLOP/s", "PFLOP/s", "EFLOP/s"};
  std::size_t unit = 0;
  for (; gflops >= 1000 && unit + 1 < kUnits.size(); ++unit)
    gflops /= 1000;
  return fmt::format("{:.2f} {}", gflops, kUnits[unit]);
}

}  // namespace hpl
