#pragma once

#include "hpcx/matrix_view.h"

namespace hpl {

/// The distance of R^T R from A^T A, by the bound of a Householder factorization: at most 1 if R is
/// that of A = Q R, whatever Q. Infinity if a value is no number. Both ColumnMajor, in host memory.
double tall_skinny_ratio(hpcx::ConstMatrixView a, hpcx::ConstMatrixView r);

}  // namespace hpl
