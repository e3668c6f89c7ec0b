#pragma once

#include <span>

namespace hpl::page {

/// Five numbers that stand for many.
struct Spread {
  double minimum = 0, low_quartile = 0, median = 0, high_quartile = 0, maximum = 0;
};

/// Quartiles are interpolated between the values beside them; all zero for no values.
Spread spread_of(std::span<const double> values);

}  // namespace hpl::page
