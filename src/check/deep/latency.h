#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace hpl {

/// The time of a load that waits for the one before, at random in `bytes`.
struct ChasePoint {
  std::int64_t bytes = 0;
  double nanoseconds = 0;
};

/// A cache as latencies show it.
struct CacheStep {
  std::int64_t bytes = 0;  ///< the largest size before latencies rise
  double nanoseconds = 0;  ///< there
};

/// The caches of ascending sizes: one ends where latency rises by more than a quarter, and the rise
/// goes on to where it stops. What lies behind the last rise is memory.
std::vector<CacheStep> cache_steps(std::span<const ChasePoint> points);

/// A cycle through all lines of so many bytes, at random. `next[i]` is the line after line i.
std::vector<std::uint32_t> random_cycle(std::uint32_t lines, std::uint64_t seed);

}  // namespace hpl
