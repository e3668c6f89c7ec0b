#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hpl/base/power/power_series.h"

namespace hpl {

/// "512.5", "512 W" or "512 Watts", blanks around it: what a meter's program prints. Empty for
/// anything else, and for what no machine draws: below 0 or above 1 GW.
std::optional<double> parse_watts(std::string_view text);

/// Seconds since 1970: as a number, or as parse_iso_time() reads it. Empty for anything else.
std::optional<double> parse_log_time(std::string_view text);

/// What a meter has written: lines of a time and watts.
struct PowerLog {
  PowerSeries samples;                  ///< in the order of time, seconds since 1970
  std::vector<std::string> complaints;  ///< about lines that were passed over
};

/// Lines of time and watts, separated by comma, semicolon or tab; what follows on a line, empty
/// lines, a head and lines that begin with # are passed over. `offset` is added to every time.
/// Throws ConfigError, which begins with `name`, where no line can be read.
PowerLog parse_power_log(const std::string& name, std::string_view text, double offset);

}  // namespace hpl
