#include "hpl/base/text/quantity.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

namespace hpl {

RateUnit rate_unit(double gflops) {
  constexpr std::array<RateUnit, 5> kUnits{
      {{"MFLOP/s", 1e-3}, {"GFLOP/s", 1}, {"TFLOP/s", 1e3}, {"PFLOP/s", 1e6}, {"EFLOP/s", 1e9}}};
  constexpr double kRoundsUp = 0.9995;  // 999.7 GFLOP/s in three digits is 1.00 TFLOP/s
  std::size_t unit = 0;
  while (unit + 1 < kUnits.size() && gflops >= kRoundsUp * kUnits[unit + 1].gflops)
    ++unit;
  return kUnits[unit];
}

std::string significant(double value, int digits) {
  constexpr int kMostPlaces = 12;
  if (value == 0 || !std::isfinite(value)) return fmt::format("{:g}", value);
  const auto before_point = static_cast<int>(std::floor(std::log10(std::abs(value)))) + 1;
  return fmt::format("{:.{}f}", value, std::clamp(digits - before_point, 0, kMostPlaces));
}

std::string short_number(double value) {
  const double size = std::abs(value);
  return fmt::format("{:.{}f}", value, size >= 1000 ? 0 : size >= 100 ? 1 : size >= 1 ? 2 : 4);
}

std::string rate_text(double gflops, int digits) {
  const RateUnit unit = rate_unit(gflops);
  return fmt::format("{} {}", significant(gflops / unit.gflops, digits), unit.name);
}

std::string seconds_text(double seconds) {
  if (!(std::abs(seconds) < 1e9)) return "?";
  if (seconds < 1) return fmt::format("{:.3g} s", seconds);
  if (seconds < 60) return fmt::format("{:.2f} s", seconds);
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 3600) return fmt::format("{} min {:02d} s", whole / 60, whole % 60);
  const std::int64_t minutes = (whole + 30) / 60;
  return fmt::format("{} h {:02d} min", minutes / 60, minutes % 60);
}

std::string estimate_text(double seconds) {
  return seconds < 60 ? fmt::format("{:.0f} s", seconds) : seconds_text(seconds);
}

std::string percent_text(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

}  // namespace hpl
