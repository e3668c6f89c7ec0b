#include "staging.h"

#include <algorithm>

namespace hpl {

namespace {

using Ranges = std::vector<ByteRange>;

/// In order, with what touches joined.
Ranges joined(Ranges ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const ByteRange& a, const ByteRange& b) { return a.begin < b.begin; });
  Ranges result;
  for (const ByteRange& range : ranges) {
    if (!result.empty() && range.begin <= result.back().end)
      result.back().end = std::max(result.back().end, range.end);
    else
      result.push_back(range);
  }
  return result;
}

/// Adds to `parts` what of `range` lies in none of `holes`, which are in order.
void add_outside(ByteRange range, const Ranges& holes, Ranges& parts) {
  for (const ByteRange& hole : holes) {
    if (hole.end <= range.begin) continue;
    if (hole.begin >= range.end) break;
    if (hole.begin > range.begin) parts.push_back({range.begin, hole.begin});
    range.begin = hole.end;
  }
  if (range.begin < range.end) parts.push_back(range);
}

}  // namespace

StagingRanges staging_ranges(const mpi::Schedule& schedule) {
  using Direction = mpi::Message::Direction;
  StagingRanges ranges;
  for (const mpi::Stage& stage : schedule) {
    Ranges received;
    for (const mpi::Message& message : stage.messages) {
      const ByteRange part{message.offset, message.offset + message.bytes};
      if (message.bytes == 0) continue;
      if (message.direction == Direction::Receive)
        received.push_back(part);
      else
        add_outside(part, ranges.in, ranges.out);
    }
    received.insert(received.end(), ranges.in.begin(), ranges.in.end());
    ranges.in = joined(std::move(received));
  }
  ranges.out = joined(std::move(ranges.out));
  return ranges;
}

}  // namespace hpl
