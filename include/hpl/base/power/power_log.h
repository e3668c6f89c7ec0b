#pragma once

#include <cstddef>
#include <functional>
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

/// The log of a meter: lines of a time and watts.
struct PowerLog {
  PowerSeries samples;                  ///< in the order of time, seconds since 1970
  std::vector<std::string> complaints;  ///< about lines that were passed over
};

/// A log with a column for each of several meters.
struct PowerTable {
  std::vector<PowerSeries> columns;     ///< those chosen, in their order
  std::vector<std::string> complaints;  ///< about lines that were passed over
};

/// Chooses the columns to read, counted from 0 behind the time, ascending and at least one. `head`
/// holds their names, or nothing in a log without a head.
using ChooseColumns = std::function<std::vector<std::size_t>(const std::vector<std::string>& head)>;

/// Lines of time and watts, separated by comma, semicolon or tab; other columns, empty lines, a
/// head and lines that begin with # are passed over. Of several columns some may be empty in a
/// line. `offset` is added to every time. Throws ConfigError, which begins with `name`, where no
/// line can be read.
PowerTable parse_power_table(const std::string& name, std::string_view text, double offset,
                             const ChooseColumns& choose);

/// The same of the first column.
PowerLog parse_power_log(const std::string& name, std::string_view text, double offset);

}  // namespace hpl
