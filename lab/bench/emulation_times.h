#pragma once

#include <cstdint>
#include <vector>

#include "emulation_common.h"

namespace hpcx::emulation_bench {

struct Sizes {
  std::int64_t size, depth;
  double seconds;
};

/// Times one size by phase, beside cuBLAS's DGEMM and its own emulation; a column for each number
/// of moduli. Returns whether all that was compared with the CPU is right.
bool times(Bench& bench, Device& cpu, const Sizes& sizes, const std::vector<int>& moduli_list);

}  // namespace hpcx::emulation_bench
