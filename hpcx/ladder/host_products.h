#pragma once

#include <cstdint>

#include "hpcx/ladder.h"
#include "ladder/tall_levels.h"

/// The host's rungs, for one thread.
namespace hpcx::ladder {

/// C := A B by a rung by hand; for Transposed B is ColumnMajor.
template <class T>
void multiply(LadderRung rung, const BasicProduct<T>& product);

/// R of the rows [first, first + count) of a level, cols x cols, ColumnMajor without gaps.
void factorize_tall_leaf(const TallSource& source, std::int64_t first, std::int64_t count,
                         double* r);

}  // namespace hpcx::ladder
