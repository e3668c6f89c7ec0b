#pragma once

#include <cstddef>
#include <functional>

namespace hpl {

/// The best value of an ordered setting among its neighbours.
struct LocalBest {
  std::size_t value = 0;
  double seconds = 0;
};

/// From `start`, of `count` values, to a neighbour as long as one is faster. `both_sides`: two
/// values on each side are compared, and a third where the sides are alike, by steps of 32; else
/// one on each side, hill climbing by steps of 64. (Xiao et al., MAGMA tested and tuned.) `seconds`
/// is asked once for each value that is looked at.
LocalBest local_search(std::size_t count, std::size_t start, bool both_sides,
                       const std::function<double(std::size_t)>& seconds);

}  // namespace hpl
