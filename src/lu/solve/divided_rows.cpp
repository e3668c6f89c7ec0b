#include "divided_rows.h"

#include <algorithm>

namespace hpl {

DividedRows::Part DividedRows::take_from_top(std::int64_t most) {
  const std::lock_guard lock(mutex_);
  const Part part{begin_,
                  std::max<std::int64_t>(std::min({most, top_end_ - begin_, end_ - begin_}), 0)};
  begin_ += part.count;
  return part;
}

DividedRows::Part DividedRows::take_from_bottom(std::int64_t most) {
  const std::lock_guard lock(mutex_);
  const std::int64_t first = std::max(bottom_begin_, begin_);
  const std::int64_t count = std::max<std::int64_t>(std::min(most, end_ - first), 0);
  end_ -= count;
  return {end_, count};
}

}  // namespace hpl
