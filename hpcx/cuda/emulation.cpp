#include "hpcx/emulation.h"

#include <cuda_runtime.h>

#include <algorithm>

#include "cuda/emulation_kernels.h"
#include "gpu/check.h"
#include "gpu/emulation.h"
#include "gpu/stream.h"
#include "hpcx/error.h"

namespace hpcx::gpu_cuda {

namespace emulation {

const char* to_string(ProductKernel kernel) {
  switch (kernel) {
    case ProductKernel::Mma:
      return "mma 128x128";
    case ProductKernel::Wgmma256:
      return "wgmma 128x256";
    case ProductKernel::Wgmma256Cluster:
      return "wgmma 128x256, clusters of 2";
    case ProductKernel::Wgmma128Cluster:
      return "wgmma 128x128, clusters of 2";
  }
  return "";
}

bool available(ProductKernel kernel) {
  return kernel == ProductKernel::Mma || has_wgmma();
}

void launch_product(cudaStream_t stream, ProductKernel kernel, const ResidueProduct& product) {
  if (product.rows == 0 || product.y.lines == 0 || product.x.depth == 0) return;
  kernel == ProductKernel::Mma ? launch_mma(stream, product)
                               : launch_wgmma(stream, kernel, product);
}

}  // namespace emulation

namespace {

using emulation::ProductKernel;
using emulation::ResidueProduct;

class CudaEmulation final : public Emulation {
 public:
  explicit CudaEmulation(ProductKernel kernel) : kernel_(kernel) {}

  void prepare(StreamRef stream, ConstMatrixView matrix, const ResidueView& residues) override {
    HPCX_ASSERT(matrix.rows == residues.lines && matrix.cols == residues.depth);
    HPCX_ASSERT(residues.depth <= kDeepestEmulation);
    const cudaStream_t native = activate(stream).native();
    emulation::launch_exponents(native, matrix, residues);
    emulation::launch_residues(native, matrix, residues);
  }

  void subtract(StreamRef stream, const ResidueView& a, const ResidueView& b,
                const Buffer& workspace, MatrixView c) override {
    if (c.layout == Layout::ColumnMajor)  // C^T = C^T - B^T A^T, by rows
      return subtract(stream, b, a, workspace, c.transposed());
    HPCX_ASSERT(a.depth == b.depth && a.moduli == b.moduli);
    HPCX_ASSERT(c.rows == a.lines && c.cols == b.lines);
    if (c.empty() || a.depth == 0) return;
    const cudaStream_t native = activate(stream).native();
    ResidueProduct product{.x = a, .y = b, .out = workspace.as<std::int8_t>()};
    const auto fitting =
        static_cast<std::int64_t>(workspace.bytes()) / (a.moduli * product.pitch());
    HPCX_ASSERT(fitting > 0);
    constexpr std::int64_t kTall = 256;  // rows of two tiles
    const std::int64_t most = fitting > kTall ? fitting / kTall * kTall : fitting;
    for (; product.first < c.rows; product.first += product.rows) {
      product.rows = std::min(most, c.rows - product.first);
      emulation::launch_product(native, kernel_, product);
      emulation::launch_reconstruction(native, product, c.row_range(product.first, product.rows));
    }
  }

 private:
  ProductKernel kernel_;
};

}  // namespace

std::unique_ptr<Emulation> create_emulation(int index) {
  HPCX_CHECK(cudaSetDevice(index));
  return std::make_unique<CudaEmulation>(emulation::has_wgmma() ? ProductKernel::Wgmma256Cluster
                                                                : ProductKernel::Mma);
}

}  // namespace hpcx::gpu_cuda
