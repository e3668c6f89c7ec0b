#include "hpl/base/text/duration.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>

#include <fmt/format.h>

#include "hpl/base/error/error.h"
#include "hpl/base/text/text_value.h"

namespace hpl {
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
    throw ConfigError(fmt::format("{} must be a time such as 30s, 10m or 1h30m, found {}", subject,
                                  quote_printable(text)));
  if (*seconds > kLongestDuration)
    throw ConfigError(
        fmt::format("{} must be at most 365d, found {}", subject, quote_printable(text)));
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

}  // namespace hpl
