#pragma once

#include <string>

#include "hpl/machine/decide/decide.h"

namespace hpl {

/// All but what follows from the size of the memory.
RunSettings decide_regardless_of_memory(const RunSpec& spec, const Facts& facts,
                                        const Wishes& wishes);

/// No process has such a part of a matrix. Its workspaces need not fit into 64 bits.
bool is_beyond_any_memory(const LocalShape& shape);

/// Decides what of the matrix lives in host memory and how it visits the device: nothing where all
/// fits the device, else as choose_visits() says. The host takes part in updates if it is to, and
/// may.
void place_matrix(const RunSpec& spec, const Facts& facts, const Wishes& wishes,
                  RunSettings& settings);

/// Advice if copies of a matrix in host memory take most of the time of the products: the block
/// size and the device memory with which they would not. Otherwise empty.
std::string advice_on_copies(const RunSpec& spec, const Facts& facts, const Wishes& wishes,
                             const RunSettings& settings);

}  // namespace hpl
