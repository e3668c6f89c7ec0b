#pragma once

#include <cstdint>
#include <span>

namespace hpl {

/// A message to another clock and back. Nanoseconds: `sent` and `received` of this clock, `remote`
/// of the other, read in between.
struct ClockTrip {
  std::int64_t sent = 0, remote = 0, received = 0;
};

/// Seconds by which this clock is ahead of the other, by the fastest of the trips, which leaves the
/// least doubt: at most half its duration. At least one trip. Pure.
double clock_offset(std::span<const ClockTrip> trips);

}  // namespace hpl
