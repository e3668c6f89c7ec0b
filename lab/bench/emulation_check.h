#pragma once

#include <string>

#include "emulation_common.h"
#include "gpu/blas_calls.h"
#include "support/emulated_product.h"

namespace hpcx::emulation_bench {

/// One product in the device's memory, and what can be asked when it is wrong.
class CheckedProduct {
 public:
  CheckedProduct(Device& device, int moduli, test::Dense a, test::Dense b);

  /// C - A B.
  test::Dense by(ProductKernel kernel, test::Dense c);
  /// The phase that is wrong at an element of C.
  std::string explanation(std::int64_t i, std::int64_t j);

 private:
  Device& device_;
  Stream stream_;
  int moduli_;
  test::Dense a_, b_;
  Buffer memory_a_, memory_b_, for_a_, for_b_, residues_{}, sums_{};
  gpu_cuda::BlasContext blas_{nullptr};
  kernels::ResidueProduct product_;
};

/// Compares small and odd products with the CPU's. All shapes, whatever is wrong.
bool check_kernel(Output& out, ProductKernel kernel);

}  // namespace hpcx::emulation_bench
