#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <string_view>

#include "hpcx/emulation.h"
#include "hpcx/matrix_view.h"

// The kernels of an emulated product, phase by phase: the benchmark times them one by one.

namespace hpcx::gpu_cuda {
class BlasContext;
}

namespace hpcx::gpu_cuda::emulation {

/// Scales the lines of a matrix and writes their residues.
void launch_exponents(cudaStream_t stream, ConstMatrixView matrix, const ResidueView& out);
void launch_residues(cudaStream_t stream, ConstMatrixView matrix, const ResidueView& out);

/// For all moduli m: out[m][i][j] := residue of sum over k of x[m][first + i][k] y[m][j][k].
struct ResidueProduct {
  ResidueView x, y;
  std::int64_t first = 0, rows = 0;  ///< lines of x
  std::int8_t* out = nullptr;
  /// Of 128 bytes of the inner dimension, after which a block of the wgmma kernels ends: about
  /// 0.2 ms, so that kernels of other streams get multiprocessors.
  std::uint32_t stages_of_block = 256;
  /// ProductKernel::Library alone needs them: the stream's, and sums of one modulus for `rows`
  /// lines of pitch() or none.
  BlasContext* blas = nullptr;
  std::int32_t* sums = nullptr;

  std::int64_t pitch() const { return (y.lines + 15) / 16 * 16; }
  std::int64_t plane() const { return rows * pitch(); }
};

/// The ways to make the product. The wgmma kernels take tiles of 128 x `columns` and load B once
/// for `cluster` blocks.
enum class ProductKernel {
  Mma,              ///< mma.sync, tiles of 128 x 128: any chip since A100
  Wgmma256,         ///< Hopper, 128 x 256
  Wgmma256Cluster,  ///< Hopper, 128 x 256 by clusters of two blocks
  Wgmma128Cluster,  ///< Hopper, 128 x 128 by clusters of two blocks
  Library,          ///< cuBLAS and a reduction: chips that no kernel here was written for
};
/// The order is that of energy, least first. The first that is available makes small products.
inline constexpr ProductKernel kProductKernels[] = {
    ProductKernel::Wgmma256Cluster, ProductKernel::Wgmma256, ProductKernel::Wgmma128Cluster,
    ProductKernel::Mma, ProductKernel::Library};
/// wgmma256x2, wgmma256, wgmma128x2, mma, cublas: what the environment variable HPL_PRODUCT_KERNEL
/// takes.
const char* to_string(ProductKernel kernel);
/// Throws Error for other names.
ProductKernel product_kernel(std::string_view name);
/// Whether this build and the current device have it.
bool available(ProductKernel kernel);
/// Whether it can make this product: the library wants memory for sums and lines of y in fours.
bool takes(ProductKernel kernel, const ResidueProduct& product);
/// ProductKernel::Mma makes the product where `kernel` does not take it.
void launch_product(cudaStream_t stream, ProductKernel kernel, const ResidueProduct& product);

/// C := C + factor times what the residues of rows product.first ... of C stand for, factor 1 or
/// -1; C by rows.
void launch_reconstruction(cudaStream_t stream, const ResidueProduct& product, double factor,
                           MatrixView c);

/// Used by launch_product().
void launch_mma(cudaStream_t stream, const ResidueProduct& product);
void launch_library(cudaStream_t stream, const ResidueProduct& product);
void launch_wgmma(cudaStream_t stream, ProductKernel kernel, const ResidueProduct& product);
bool has_wgmma();

}  // namespace hpcx::gpu_cuda::emulation
