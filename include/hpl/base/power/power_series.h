#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace hpl {

class Record;

/// A meter's reading at a time, on any clock that does not go back.
struct PowerSample {
  double seconds = 0, watts = 0;
  bool operator==(const PowerSample&) const = default;
};
/// In the order of time.
using PowerSeries = std::vector<PowerSample>;

/// Over how many equal parts of the core phase power is averaged, as the EE HPC WG's methodology
/// asks for.
inline constexpr int kPowerAverages = 10;

/// Energy between two times, J: the trapezoidal rule, the power between two samples on a straight
/// line. Nothing before the first and after the last sample. Samples need not be evenly spaced.
double energy_between(std::span<const PowerSample> samples, double from, double to);

/// Power over an interval, as far as there are samples.
struct PowerAverages {
  double watts = 0;    ///< energy over the time between samples
  double joules = 0;   ///< within `covered`; nothing is added for what was not seen
  double covered = 0;  ///< share of the interval between the first and the last sample, 0 to 1
  std::vector<std::optional<double>> tenths;  ///< W, of equal parts; empty where there is no sample
  std::int64_t samples = 0;                   ///< within the interval
  /// Between neighbouring samples, s; before the first and after the last, the ends count as one.
  double longest_gap = 0;
};
void describe(Record& record, PowerAverages& averages);

/// Of the interval from `from` to `to`; empty unless it has a length and a sample.
std::optional<PowerAverages> power_averages(std::span<const PowerSample> samples, double from,
                                            double to);

/// Mean power of every second from `from` on, W, the last of which may be shorter; empty where
/// nothing is known.
std::vector<std::optional<double>> power_by_second(std::span<const PowerSample> samples,
                                                   double from, double to);

/// The samples of an interval and their neighbours on either side, at most one each second: those
/// of a second become one, at their mean time with their mean power.
PowerSeries thinned(std::span<const PowerSample> samples, double from, double to);

}  // namespace hpl
