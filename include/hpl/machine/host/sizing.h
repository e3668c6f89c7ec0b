#pragma once

#include <cstdint>

#include "hpl/base/choice/choices.h"
#include "hpl/input/command_line/wishes.h"

namespace hpl {

/// The products of the update, as far as block sizes depend on them.
enum class Products { Fp64, Emulated, Mixed };
Products products_of(const Wishes& wishes);

/// Block size (NB) for a matrix of that order. Wide blocks raise the rate of the multiplication,
/// narrow ones shorten the panel, which a small matrix cannot hide; GPUs need both much larger, and
/// emulated products and those of 16 bits twice that.
std::int64_t block_size_for(std::int64_t order, ProcessorKind kind,
                            Products products = Products::Fp64);

/// Usual share of the attainable rate: an estimate.
inline constexpr double kUsualEfficiency = 0.85;

/// Time of the timed part at a rate in Gflop/s (> 0).
double estimated_seconds(std::int64_t order, double gflops);

/// Largest order, a multiple of the block size, that ends within seconds at that rate; at least one
/// block.
std::int64_t order_for_seconds(double gflops, double seconds, std::int64_t block_size);

}  // namespace hpl
