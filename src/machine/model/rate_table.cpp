#include "hpl/machine/model/rate_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include "hpl/base/error/error.h"

namespace hpl {

RateTable::RateTable(std::vector<std::vector<double>> axes, std::vector<double> values)
    : axes_(std::move(axes)), values_(std::move(values)) {
  std::size_t count = 1;
  for (const std::vector<double>& axis : axes_) {
    HPL_ASSERT(!axis.empty() && axis.front() > 0 && std::ranges::is_sorted(axis));
    count *= axis.size();
  }
  HPL_ASSERT(!axes_.empty() && axes_.size() <= 3 && values_.size() == count);
  HPL_ASSERT(std::ranges::all_of(values_, [](double value) { return value > 0; }));
}

RateTable RateTable::constant(std::size_t axes, double value) {
  return {std::vector<std::vector<double>>(axes, {1.0}), {value}};
}

double RateTable::at(std::initializer_list<double> sizes) const {
  HPL_ASSERT(sizes.size() == axes_.size());
  // The corners of the cell that the sizes lie in: where each is, and its weight.
  struct Corner {
    std::size_t index;
    double weight;
  };
  std::array<Corner, 8> corners{{{0, 1}}};
  std::size_t all = 1;
  const double* size = sizes.begin();
  for (const std::vector<double>& axis : axes_) {
    const auto above = std::ranges::upper_bound(axis, *size);
    std::size_t low = 0;
    double share = 0;  // of the corner above
    if (above == axis.end()) {
      low = axis.size() - 1;
    } else if (above != axis.begin()) {
      low = static_cast<std::size_t>(above - axis.begin()) - 1;
      share = std::log(*size / axis[low]) / std::log(axis[low + 1] / axis[low]);
    }
    for (std::size_t i = 0, count = all; i < count; ++i) {
      const Corner corner = corners[i];
      corners[i] = {corner.index * axis.size() + low, corner.weight * (1 - share)};
      if (share > 0) corners[all++] = {corner.index * axis.size() + low + 1, corner.weight * share};
    }
    ++size;
  }
  if (all == 1) return values_[corners.front().index];
  double logarithm = 0;
  for (const Corner& corner : std::span(corners).first(all))
    logarithm += corner.weight * std::log(values_[corner.index]);
  return std::exp(logarithm);
}

}  // namespace hpl
