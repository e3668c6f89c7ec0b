#pragma once

#include <cstdint>

#include "hpl/lu/solve/back_substitution.h"

namespace hpl {

/// Of one element of a solution, by its bits and its global index: two rounds of the finalizer of
/// SplitMix64 (Steele, Lea and Flood, 2014). Pure.
std::uint64_t element_hash(std::int64_t index, double value);

/// The sum of element_hash() over the whole solution, modulo 2^64: the same for the same bits,
/// however they are distributed. On every rank. Collective over the grid.
std::uint64_t solution_hash(hpcx::StreamRef stream, const SystemParts& system);

}  // namespace hpl
