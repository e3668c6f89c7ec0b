#pragma once

#include "hpcx/blas.h"

namespace hpcx::cpu {

/// Whether a device packs operands of products itself. It needs some threads, AVX-512, and no
/// "blas" in the environment variable HPL_FP64_KERNEL. Throws Error if that is neither "blas" nor
/// "packed".
bool packs(int threads);

/// Whether the product is C + alpha A B and large enough.
bool worth_packing(const MatrixProduct& product);

/// Launches C := C + alpha A B. The threads of the device pack A and B once, in the order in which
/// their kernel reads them, and share them. Calls of a BLAS pack the operands of each tile anew.
/// Elements are summed up in the order of the inner dimension. With a factor of 0 the operands are
/// packed and C is left alone.
void launch_packed(StreamRef stream, const MatrixProduct& product);

}  // namespace hpcx::cpu
