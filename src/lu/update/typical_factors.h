#pragma once

#include "hpcx/device.h"

namespace hpl {

/// Fills l21 (m x k) and u12 (k x n), both in memory of `device`, with blocks of L21 and U12 from
/// the middle of a small factorization, again and again, U scaled as it is where a large one spends
/// its time. Returns when they are there.
///
/// The power of a product depends on its values. In U of a large factorization, unlike in the
/// random matrix, elements below and above 2 follow each other, between which all bits of the
/// exponent change: under a power cap that costs one to two percent of the rate.
void fill_with_typical_factors(hpcx::Device& device, hpcx::StreamRef stream, hpcx::MatrixView l21,
                               hpcx::MatrixView u12);

}  // namespace hpl
