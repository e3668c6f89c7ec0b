#pragma once

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>

namespace hpl {

/// A moment of the calendar with the time zone of the machine that saw it.
struct ZonedTime {
  double seconds = 0;                    ///< since 1970, UTC; 0: unknown
  std::int32_t zone_offset_seconds = 0;  ///< east of UTC

  bool operator==(const ZonedTime&) const = default;
};

ZonedTime zoned_now();
/// A moment in the zone that this machine has then.
ZonedTime zoned(double unix_seconds);

/// "2026-11-22T07:30:00.250+01:00"; empty where it is unknown.
std::string iso_time(const ZonedTime& time);

/// "2026-11-22 07:30"; empty where it is unknown.
std::string minute_text(const ZonedTime& time);

/// "2026-11-22T06:30:00Z"; empty where the calendar ends.
std::string utc_time(std::time_t time);

/// Reads the form of iso_time() and its kin: a blank for T, / for -, no fraction or no seconds, Z,
/// +0100 or no zone, which is UTC. Empty for anything else.
std::optional<ZonedTime> parse_iso_time(std::string_view text);

}  // namespace hpl
