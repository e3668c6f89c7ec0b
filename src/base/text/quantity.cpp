#include "hpl/base/text/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>

#include "hpl/base/error/error.h"
#include "hpl/base/text/text_value.h"

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
  constexpr double kRoundsToTen = 9.5, kLeast = 1e-3;
  if (seconds < kRoundsToTen) return significant(std::max(seconds, kLeast), 1) + " s";
  return seconds < 60 ? fmt::format("{:.0f} s", seconds) : seconds_text(seconds);
}

std::string percent_text(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

namespace {

struct Unit {
  char letter;
  std::int64_t seconds;
};

constexpr std::array<Unit, 4> kUnits{{{'d', 86400}, {'h', 3600}, {'m', 60}, {'s', 1}}};

std::optional<double> parse_duration(std::string_view text) {
  double sum = 0;
  auto larger = kUnits.begin();  // what may still follow
  while (!text.empty()) {
    const auto end = text.find_first_not_of("0123456789.");
    if (end == std::string_view::npos) return std::nullopt;
    const std::optional<double> value = parse_real(text.substr(0, end));
    const auto unit = std::find_if(larger, kUnits.end(),
                                   [&](const Unit& known) { return known.letter == text[end]; });
    if (!value || unit == kUnits.end()) return std::nullopt;
    sum += *value * static_cast<double>(unit->seconds);
    larger = unit + 1;
    text.remove_prefix(end + 1);
  }
  return sum;
}

}  // namespace

double require_duration(std::string_view subject, std::string_view text) {
  const std::optional<double> seconds = parse_duration(text);
  if (!seconds || !(*seconds > 0))
    throw ConfigError("{} must be a time such as 30s, 10m or 1h30m, found {}", subject,
                      quote_printable(text));
  if (*seconds > kLongestDuration)
    throw ConfigError("{} must be at most 365d, found {}", subject, quote_printable(text));
  return *seconds;
}

std::string duration_text(double seconds) {
  auto rest = static_cast<std::int64_t>(std::llround(std::clamp(seconds, 0.0, 1e15)));
  std::string text;
  int left = 2;
  for (const Unit& unit : kUnits) {
    const std::int64_t count = rest / unit.seconds;
    rest %= unit.seconds;
    if (count > 0) text += fmt::format("{}{}", count, unit.letter);
    // The unit below the first one is the last.
    if (!text.empty() && --left == 0) break;
  }
  return text.empty() ? "0s" : text;
}

std::string rank_list(const std::vector<int>& ranks) {
  constexpr std::size_t kShown = 8;
  std::vector<std::string> pieces;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t j = i;
    while (j + 1 < ranks.size() && ranks[j + 1] == ranks[j] + 1)
      ++j;
    if (pieces.size() == kShown) {
      pieces.push_back(fmt::format("{} more", ranks.size() - i));
      break;
    }
    if (j - i < 2) j = i;
    pieces.push_back(j == i ? fmt::format("{}", ranks[i])
                            : fmt::format("{} to {}", ranks[i], ranks[j]));
    i = j + 1;
  }
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < pieces.size(); ++i)
    text += (i == 0 ? "" : i + 1 == pieces.size() ? " and " : ", ") + pieces[i];
  return text;
}

}  // namespace hpl
