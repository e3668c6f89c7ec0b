#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "hpcx/event.h"

namespace hpl {

/// Lines of memory, given out in contiguous ranges and given back in the same order.
class LineRing {
 public:
  explicit LineRing(std::int64_t lines) : lines_(lines) {}

  struct Taken {
    std::int64_t begin = 0;
    std::vector<hpcx::Event> after;  ///< the former user of these lines is done then
  };
  /// Empty where so many lines are not free.
  std::optional<Taken> take(std::int64_t lines);
  /// The range taken first of those that are out is free after `event`.
  void give_back(const hpcx::Event& event);

 private:
  struct Range {
    std::int64_t begin = 0, end = 0;
    hpcx::Event free{};
  };
  std::optional<std::int64_t> next_begin(std::int64_t lines) const;

  std::int64_t lines_;
  std::deque<Range> out_;
  std::vector<Range> back_;
};

}  // namespace hpl
