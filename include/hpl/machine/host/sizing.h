#pragma once

#include <cstdint>

#include "hpl/base/number/processor_kind.h"

namespace hpl {

/// Block size (NB) for a matrix of that order. Wide blocks raise the rate of the multiplication,
/// narrow ones shorten the panel, which a small matrix cannot hide; GPUs need both much larger, and
/// emulated products twice that.
std::int64_t block_size_for(std::int64_t order, ProcessorKind kind, bool emulated = false);

/// Usual share of the attainable rate: an estimate.
inline constexpr double kUsualEfficiency = 0.85;

/// Time of the timed part at a rate in Gflop/s (> 0).
double estimated_seconds(std::int64_t order, double gflops);

/// Largest order, a multiple of the block size, that ends within seconds at that rate; at least one
/// block.
std::int64_t order_for_seconds(double gflops, double seconds, std::int64_t block_size);

}  // namespace hpl
