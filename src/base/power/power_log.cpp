#include "hpl/base/power/power_log.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "hpl/base/error/error.h"
#include "hpl/base/text/text_value.h"

namespace hpl {

namespace {

constexpr double kMostWatts = 1e9;
constexpr double kLastSecond = 253402300799.0;  // of the year 9999

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\"";
  const auto begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

/// Takes `digits` digits off the front of a text.
std::optional<int> take_digits(std::string_view& text, std::size_t digits) {
  if (text.size() < digits) return std::nullopt;
  int value = 0;
  for (const char c : text.substr(0, digits)) {
    if (c < '0' || c > '9') return std::nullopt;
    value = 10 * value + (c - '0');
  }
  text.remove_prefix(digits);
  return value;
}

bool take(std::string_view& text, std::string_view any_of) {
  if (text.empty() || any_of.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

/// "Z", "+01:00", "+0100" or nothing: seconds ahead of UTC.
std::optional<int> zone_offset(std::string_view text) {
  if (text.empty() || text == "Z" || text == "z") return 0;
  const int sign = text.front() == '-' ? -1 : 1;
  if (!take(text, "+-")) return std::nullopt;
  const auto hours = take_digits(text, 2);
  take(text, ":");
  const auto minutes = text.empty() ? std::optional(0) : take_digits(text, 2);
  if (!hours || !minutes || !text.empty()) return std::nullopt;
  return sign * (3600 * *hours + 60 * *minutes);
}

/// "04:00:00.5": seconds of the day; takes it off the front.
std::optional<double> take_clock(std::string_view& text) {
  const auto hour = take_digits(text, 2);
  if (!hour || !take(text, ":")) return std::nullopt;
  const auto minute = take_digits(text, 2);
  if (!minute) return std::nullopt;
  double seconds = 3600.0 * *hour + 60.0 * *minute;
  if (*hour > 23 || *minute > 59) return std::nullopt;
  if (!take(text, ":")) return seconds;
  const auto second = take_digits(text, 2);
  if (!second || *second > 60) return std::nullopt;
  seconds += *second;
  if (!take(text, ".,")) return seconds;
  double unit = 0.1;
  while (const auto digit = take_digits(text, 1)) {
    seconds += unit * *digit;
    unit /= 10;
  }
  return seconds;
}

}  // namespace

std::optional<double> parse_watts(std::string_view text) {
  text = trimmed(text);
  for (const std::string_view unit : {"Watts", "watts", "W"}) {
    if (!text.ends_with(unit)) continue;
    text = trimmed(text.substr(0, text.size() - unit.size()));
    break;
  }
  const auto watts = parse_real(text);
  return watts && *watts >= 0 && *watts <= kMostWatts ? watts : std::nullopt;
}

std::optional<double> parse_time(std::string_view text) {
  text = trimmed(text);
  if (const auto seconds = parse_real(text))
    return *seconds >= 0 && *seconds <= kLastSecond ? seconds : std::nullopt;
  const auto year = take_digits(text, 4);
  if (!year || !take(text, "-/")) return std::nullopt;
  const auto month = take_digits(text, 2);
  if (!month || !take(text, "-/")) return std::nullopt;
  const auto day = take_digits(text, 2);
  if (!day || !take(text, "T ")) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  const auto clock = take_clock(text);
  const auto zone = clock ? zone_offset(trimmed(text)) : std::nullopt;
  if (!zone) return std::nullopt;
  const auto days = std::chrono::sys_days(date).time_since_epoch().count();
  return 86400.0 * static_cast<double>(days) + *clock - *zone;
}

std::string time_text(double unix_seconds, int utc_offset) {
  const double bounded =
      std::isfinite(unix_seconds) ? std::clamp(unix_seconds, 0.0, kLastSecond) : 0;
  const auto milliseconds =
      static_cast<std::int64_t>(std::llround(bounded * 1e3)) + std::int64_t{1000} * utc_offset;
  constexpr std::int64_t kDay = 86'400'000;
  const std::int64_t days = milliseconds / kDay - (milliseconds % kDay < 0 ? 1 : 0);
  const std::int64_t rest = milliseconds - days * kDay;
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(days))};
  const int zone = std::abs(utc_offset) / 60;
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}{}{:02}:{:02}",
                     static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()), rest / 3'600'000, rest / 60'000 % 60,
                     rest / 1000 % 60, rest % 1000, utc_offset < 0 ? '-' : '+', zone / 60,
                     zone % 60);
}

PowerLog parse_power_log(const std::string& name, std::string_view text, double offset) {
  PowerLog log;
  std::int64_t number = 0, strange = 0, first_strange = 0;
  std::string first_text;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    ++number;
    if (line.empty() || line.front() == '#') continue;
    const auto mark = line.find_first_of(",;\t");
    const auto seconds = parse_time(line.substr(0, mark));
    std::optional<double> watts;
    if (mark != std::string_view::npos) {
      const std::string_view rest = line.substr(mark + 1);
      watts = parse_watts(rest.substr(0, rest.find_first_of(",;\t")));
    }
    if (seconds && watts) {
      log.samples.push_back({*seconds + offset, *watts});
      continue;
    }
    if (log.samples.empty() && strange == 0 && !seconds && number == 1) continue;  // a head
    if (strange++ > 0) continue;
    first_strange = number;
    first_text = quote_printable(line);
  }
  constexpr const char* kAllowed =
      "a time (seconds since 1970, or 2026-01-03T04:00:00+01:00) and watts";
  if (log.samples.empty())
    throw ConfigError(strange > 0
                          ? fmt::format("{} line {}: must be {}, found {}", name, first_strange,
                                        kAllowed, first_text)
                          : fmt::format("{}: must hold lines of {}, found none", name, kAllowed));
  if (strange > 0)
    log.complaints.push_back(
        fmt::format("{}: {} line(s) passed over that are not {}, the first "
                    "is line {}: {}",
                    name, strange, kAllowed, first_strange, first_text));
  std::ranges::stable_sort(log.samples, {}, &PowerSample::seconds);
  return log;
}

}  // namespace hpl
