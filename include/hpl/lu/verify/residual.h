#pragma once

#include <span>

#include "hpcx/device.h"
#include "hpl/base/result/verification.h"
#include "hpl/lu/solve/back_substitution.h"

namespace hpl {

/// Judges a solution against the matrix generated anew over the factors (netlib HPL_pdtest.c).
/// NaN or infinity anywhere makes it fail, and so does a sampled row (own_product.h) that the
/// device and its BLAS have made wrong. Collective over the grid; same result on every rank.
Residual verify_solution(hpcx::Device& device, const SystemParts& system, double threshold);

/// The largest magnitude; infinite when any value is NaN, so that no comparison can lose it.
double largest_magnitude(std::span<const double> values);

/// ||Ax-b||_oo / (eps (||A||_oo ||x||_oo + ||b||_oo) N) with eps = 2^-53.
double scaled_residual(const Residual& norms, std::int64_t order);

}  // namespace hpl
