#pragma once

#include <cstdint>
#include <vector>

#include "gemm/run/device_pipeline.h"
#include "hpcx/device.h"
#include "hpl/base/record/record.h"

namespace hpl::gemm {

/// The distance of C from alpha A B + beta C0, in parts of the rounding bound.
struct Verdict {
  double product_ratio =
      0;  ///< C x against alpha A (B x) + beta C0 x, x of random signs: the largest of all rows
  double element_ratio = 0;    ///< sampled elements against sums in extended precision
  std::int64_t worst_row = 0;  ///< of product_ratio

  bool passed() const { return product_ratio <= 1 && element_ratio <= 1; }
};
void describe(Record& record, Verdict& verdict);

/// Checks products of the same A, B and C0, however often C is computed. Both bounds are those of
/// rounding error analysis (Higham, Accuracy and Stability of Numerical Algorithms, section 3.1),
/// whatever the order of the sums: with x of random signs a block that is missing, doubled or
/// misplaced shows in C x.
class ProductCheck {
 public:
  /// Reads A, B and C0, which `operands` hold now, with the host threads of `host`.
  ProductCheck(hpcx::Device& host, const Operands& operands, std::uint64_t seed);

  /// C as `operands` hold it now.
  Verdict judge(const Operands& operands) const;

 private:
  hpcx::Device& host_;
  std::vector<double> signs_;              // x
  std::vector<double> expected_, bound_;   // of C x, by row
  std::vector<std::int64_t> rows_, cols_;  // of the sampled block
  std::vector<double> elements_, element_bounds_;
};

}  // namespace hpl::gemm
