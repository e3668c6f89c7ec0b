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
#include "hpl/base/text/zoned_time.h"

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

std::optional<double> parse_log_time(std::string_view text) {
  text = trimmed(text);
  if (const auto seconds = parse_real(text))
    return *seconds >= 0 && *seconds <= kLastSecond ? seconds : std::nullopt;
  const auto time = parse_iso_time(text);
  return time ? std::optional(time->seconds) : std::nullopt;
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
    const auto seconds = parse_log_time(line.substr(0, mark));
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
