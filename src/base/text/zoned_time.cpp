#include "hpl/base/text/zoned_time.h"

#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <ctime>

#include <fmt/format.h>

namespace hpl {

namespace {

constexpr double kLastSecond = 253402300799.0;  // of the year 9999

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

ZonedTime zoned_now() {
  const auto now = std::chrono::system_clock::now();
  return zoned(std::chrono::duration<double>(now.time_since_epoch()).count());
}

ZonedTime zoned(double unix_seconds) {
  const auto whole = static_cast<std::time_t>(unix_seconds);
  std::tm parts{};
  const bool known = ::localtime_r(&whole, &parts) != nullptr;
  return {.seconds = unix_seconds,
          .zone_offset_seconds = known ? static_cast<std::int32_t>(parts.tm_gmtoff) : 0};
}

std::string iso_time(const ZonedTime& time) {
  if (time.seconds == 0 || !(std::abs(time.seconds) <= kLastSecond)) return {};
  const auto milliseconds = static_cast<std::int64_t>(std::llround(time.seconds * 1e3)) +
                            std::int64_t{1000} * time.zone_offset_seconds;
  constexpr std::int64_t kDay = 86'400'000;
  const std::int64_t days = milliseconds / kDay - (milliseconds % kDay < 0 ? 1 : 0);
  const std::int64_t rest = milliseconds - days * kDay;
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(days))};
  const int minutes = std::abs(time.zone_offset_seconds) / 60;
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}{}{:02}:{:02}",
                     static_cast<int>(date.year()), static_cast<unsigned>(date.month()),
                     static_cast<unsigned>(date.day()), rest / 3'600'000, rest / 60'000 % 60,
                     rest / 1000 % 60, rest % 1000, time.zone_offset_seconds < 0 ? '-' : '+',
                     minutes / 60, minutes % 60);
}

std::optional<ZonedTime> parse_iso_time(std::string_view text) {
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
  const auto zone = clock ? zone_offset(text) : std::nullopt;
  if (!zone) return std::nullopt;
  const auto days = std::chrono::sys_days(date).time_since_epoch().count();
  return ZonedTime{.seconds = 86400.0 * static_cast<double>(days) + *clock - *zone,
                   .zone_offset_seconds = *zone};
}

std::string minute_text(const ZonedTime& time) {
  const std::string text = iso_time(time);
  return text.empty() ? "" : text.substr(0, 10) + " " + text.substr(11, 5);
}

std::string utc_time(std::time_t time) {
  std::tm parts{};
  std::array<char, 32> text{};
  if (::gmtime_r(&time, &parts) == nullptr) return {};
  return std::string(text.data(),
                     std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts));
}

}  // namespace hpl
