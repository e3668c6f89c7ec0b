#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hpl/lu/matrix/distributed_matrix.h"

namespace hpl {

/// Local rows of which b - A x is made a second time: evenly spread from the first to the last of
/// this process. Of n rows on one of P process rows these are the lesser of n / 32, rounded
/// down, and 32 / P, rounded up, but at least two, if there are as many. Pure.
std::vector<std::int64_t> sampled_rows(const RowMap& rows);

/// The values of the sampled rows, in their order.
struct OwnProduct {
  std::vector<double> residual;   ///< b - A x
  std::vector<double> magnitude;  ///< |b| + |A| |x|
};

/// The part of this process, whose elements of x stand in `x`. Made by the host's scalar arithmetic
/// from the formula of the benchmark's matrix: no device, kernel, BLAS or stored matrix takes part.
/// b counts on the process column that has it. Pure.
OwnProduct own_product(const LocalShape& shape, std::span<const std::int64_t> rows,
                       std::span<const double> x);

/// The largest difference of two computed values of b - A x in a row with this magnitude. Each is
/// within n u times the magnitude of the exact one, whatever the order of its n = order + 2
/// roundings, with u = 2^-53 (Higham, Accuracy and Stability of Numerical Algorithms, 2002, section
/// 3.1). The bound is twice the sum of both: about a quarter of what a threshold of 16 lets the
/// residual be.
double product_tolerance(std::int64_t order, double magnitude);

}  // namespace hpl
