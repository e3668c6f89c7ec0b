#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace hpl {

/// Fewer values of a kind say nothing about each other: the median of two is their mean.
inline constexpr int kFewestPeers = 3;

/// Of an even number of values the mean of the two in the middle; 0 of none.
inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// 0 of none.
inline double mean(const std::vector<double>& values) {
  if (values.empty()) return 0;
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// The mean without the fifth of the values that is lowest and the fifth that is highest, rounded
/// down. The median of fewer than five values, which have no fifth; 0 of none.
inline double trimmed_mean(std::vector<double> values) {
  const auto fifth = static_cast<std::ptrdiff_t>(values.size() / 5);
  if (fifth == 0) return median(std::move(values));
  std::sort(values.begin(), values.end());
  return mean({values.begin() + fifth, values.end() - fifth});
}

/// Of a sample around its mean: the square of the standard deviation; 0 of fewer than two values.
inline double variance(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  const double middle = mean(values);
  double squares = 0;
  for (const double value : values)
    squares += (value - middle) * (value - middle);
  return squares / static_cast<double>(values.size() - 1);
}

/// Scatter of values around `middle`, their median, whatever a minority of them is: 1.4826 times
/// the median absolute deviation. For normal values it is the standard deviation.
inline double robust_spread(std::vector<double> values, double middle) {
  constexpr double kOfNormalValues = 1.4826;
  for (double& value : values)
    value = std::abs(value - middle);
  return kOfNormalValues * median(std::move(values));
}

/// The mean of what was measured after the first half of the time; 0 of nothing.
inline double mean_of_later_half(const std::vector<double>& values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  return std::accumulate(middle, values.end(), 0.0) / static_cast<double>(values.end() - middle);
}

}  // namespace hpl
