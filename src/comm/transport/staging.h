#pragma once

#include <vector>

#include "hpl/comm/mpi/schedule.h"

namespace hpl {

/// Bytes [begin, end) of a buffer.
struct ByteRange {
  std::int64_t begin = 0, end = 0;
  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

/// The ranges that a schedule on a copy of a buffer needs from the original, and those that it
/// changes. Both in order, without overlap.
struct StagingRanges {
  std::vector<ByteRange> out;  ///< sent before anything was received there
  std::vector<ByteRange> in;   ///< received
};
StagingRanges staging_ranges(const mpi::Schedule& schedule);

}  // namespace hpl
