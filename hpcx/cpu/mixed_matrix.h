#pragma once

#include "hpcx/mixed.h"

/// The operations of MixedPrecision on a matrix that is never stored.
namespace hpcx::cpu::made_anew {

void generate(StreamRef stream, const MixedMatrix& matrix, IndexMap rows, IndexMap cols,
              double factor, MixedView tile);
void multiply(StreamRef stream, const MixedMatrix& matrix, IndexMap rows, std::int64_t count,
              IndexMap cols, std::int64_t columns, const double* x, double* y);
void row_sums(StreamRef stream, const MixedMatrix& matrix, IndexMap rows, std::int64_t count,
              IndexMap cols, std::int64_t columns, bool diagonal, double* sums);

}  // namespace hpcx::cpu::made_anew
