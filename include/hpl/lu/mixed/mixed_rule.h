#pragma once

#include <cstdint>
#include <vector>

#include "hpcx/generator.h"
#include "hpl/input/run_spec/mixed_spec.h"
#include "hpl/lu/grid/block_map.h"

namespace hpl {

/// A column of a random matrix with N rows.
struct RandomColumn {
  hpcx::generator::Form form = hpcx::generator::Form::Netlib;
  std::uint64_t seed = hpcx::generator::kSeed;
  std::int64_t number = 0;
};
/// Its elements in the rows of a process. O(local rows). Pure.
std::vector<double> elements_of(const RandomColumn& column, const RowMap& rows);

/// The system A x = b of an HPL-MxP run as a rule.
struct MixedRule {
  hpcx::MixedMatrix matrix;  ///< A, without a table of its diagonal
  bool dominant = false;     ///< a(i, i) is the sum of |a(i, j)| over j != i
  double largest = 0;        ///< magnitude of any element of A but a dominant diagonal
  RandomColumn right_side{};
};
/// O(order). Pure.
MixedRule mixed_rule(const MixedSpec& spec, std::int64_t order);

/// The least order above 0 of which this matrix is regular. A dominant one is only just dominant:
/// with N = 1 it is zero, and signs may make the columns of a small one add up to zero.
std::int64_t least_order(MixedEntries entries);

/// e for which 2^e brings `largest` into (2^12, 2^13]: with three bits to the largest number of
/// FP16 for growth, and as far from its subnormal numbers as that allows. Pure.
int scale_exponent(double largest);

/// beta for which the infinity norm condition number of Fasi and Higham's matrix with
/// alpha = beta / 2 is `condition`. Source: SIAM J. Matrix Anal. Appl. 42 (2021) 417-435. Pure.
double fasi_higham_beta(std::int64_t order, double condition = 1000);

}  // namespace hpl
