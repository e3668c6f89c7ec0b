#pragma once

#include <string>
#include <string_view>

namespace hpl {

/// The longest time that a flag may ask for, seconds: a year.
inline constexpr double kLongestDuration = 365.0 * 86400;

/// A time in seconds, above 0: numbers with the units s, m, h and d, the larger ones first: "30s",
/// "10m", "1h30m", "1.5h". Throws ConfigError("<subject> must be a time such as 30s, 10m or 1h30m,
/// found "10""); `subject` says which field.
double require_duration(std::string_view subject, std::string_view text);

/// As require_duration() reads it, in whole seconds and of the two largest units that are not zero:
/// "45s", "9m40s", "2h5m", "1d".
std::string duration_text(double seconds);

}  // namespace hpl
