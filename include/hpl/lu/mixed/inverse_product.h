#pragma once

#include "hpcx/mixed.h"

namespace hpl {

// Products with the inverses of a triangle, which leave out most of its zeros. All are of one
// precision; none overlap.

/// l21 := a21 U^-1, `inverse` the upper triangle.
void multiply_by_upper_inverse(hpcx::MixedPrecision& arithmetic, hpcx::StreamRef stream,
                               hpcx::MixedView a21, hpcx::MixedView inverse, hpcx::MixedView l21);
/// u12 := L^-1 a12, `inverse` the lower triangle.
void multiply_by_lower_inverse(hpcx::MixedPrecision& arithmetic, hpcx::StreamRef stream,
                               hpcx::MixedView inverse, hpcx::MixedView a12, hpcx::MixedView u12);

}  // namespace hpl
