#include "line_ring.h"

#include "hpl/base/error/error.h"

namespace hpl {

std::optional<std::int64_t> LineRing::next_begin(std::int64_t lines) const {
  if (out_.empty()) return lines <= lines_ ? std::optional<std::int64_t>(0) : std::nullopt;
  const std::int64_t first = out_.front().begin, next = out_.back().end;
  if (next <= first) return next + lines <= first ? std::optional(next) : std::nullopt;
  if (next + lines <= lines_) return next;
  return lines <= first ? std::optional<std::int64_t>(0) : std::nullopt;
}

std::optional<LineRing::Taken> LineRing::take(std::int64_t lines) {
  const std::optional<std::int64_t> begin = next_begin(lines);
  if (!begin) return std::nullopt;
  Taken taken{.begin = *begin};
  const std::int64_t end = *begin + lines;
  std::erase_if(back_, [&](const Range& range) {
    const bool overlaps = range.begin < end && *begin < range.end;
    if (overlaps) taken.after.push_back(range.free);
    return overlaps;
  });
  out_.push_back({*begin, end});
  return taken;
}

void LineRing::give_back(const hpcx::Event& event) {
  HPL_ASSERT(!out_.empty());
  out_.front().free = event;
  back_.push_back(out_.front());
  out_.pop_front();
}

}  // namespace hpl
