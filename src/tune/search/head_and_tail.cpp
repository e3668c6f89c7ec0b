#include "hpl/tune/search/head_and_tail.h"

#include <algorithm>
#include <cmath>

namespace hpl {

double whole_run_seconds(const HeadAndTail& parts) {
  const auto order = static_cast<double>(parts.order);
  const double left = order - static_cast<double>(std::min(parts.order, parts.columns_done));
  const double cubes = std::pow(order, 3) - std::pow(left, 3);
  if (cubes <= 0) return parts.tail_seconds;
  const auto tail = static_cast<double>(parts.tail_order);
  if (parts.tail_order > 0) {
    const double squares = order * order - left * left;
    // head = a cubes + b squares, tail = a n^3 + b n^2.
    const double determinant = cubes * tail * tail - squares * tail * tail * tail;
    const double a =
        (parts.head_seconds * tail * tail - parts.tail_seconds * squares) / determinant;
    const double b =
        (parts.tail_seconds * cubes - parts.head_seconds * tail * tail * tail) / determinant;
    if (determinant > 0 && a > 0 && b >= 0) return a * std::pow(order, 3) + b * order * order;
  }
  const double between = std::max(0.0, std::pow(left, 3) - std::pow(tail, 3));
  return parts.head_seconds * (1 + between / cubes) + parts.tail_seconds;
}

}  // namespace hpl
