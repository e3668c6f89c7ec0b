#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

namespace hpl {

/// A unit for rates and how many GFLOP/s it is.
struct RateUnit {
  std::string_view name;
  double gflops;
};
/// The unit in which `gflops` has one to three digits before the point.
RateUnit rate_unit(double gflops);

/// `value` with this many significant digits and without an exponent: "11.8", "0.0312", "51234".
std::string significant(double value, int digits = 3);
/// Large enough to tell values apart, short enough to read: 53123, 482.6, 80.21, 0.0312.
std::string short_number(double value);

std::string rate_text(double gflops, int digits = 3);  ///< "11.8 GFLOP/s", "54.6 TFLOP/s"
std::string seconds_text(double seconds);              ///< "2.50 s", "12 min 05 s", "3 h 04 min"
std::string estimate_text(double seconds);             ///< "42 s", "12 min 05 s"
std::string percent_text(double share);                ///< "97.1 %" of 0.971

/// "1 run", "3 runs".
std::string count_text(std::integral auto count, std::string_view noun) {
  return std::to_string(count).append(" ").append(noun).append(count == 1 ? "" : "s");
}

/// "rank 3", "ranks 0 to 3 and 7". `ranks` ascend; of many pieces the first are named.
std::string rank_list(const std::vector<int>& ranks);

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
