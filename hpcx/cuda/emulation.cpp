#include "hpcx/emulation.h"

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <optional>
#include <string>

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
      return "mma";
    case ProductKernel::Wgmma256:
      return "wgmma256";
    case ProductKernel::Wgmma256Cluster:
      return "wgmma256x2";
    case ProductKernel::Wgmma128Cluster:
      return "wgmma128x2";
  }
  return "";
}

ProductKernel product_kernel(std::string_view name) {
  std::string names;
  for (const ProductKernel kernel : kProductKernels) {
    if (name == to_string(kernel)) return kernel;
    names += std::string(names.empty() ? "" : ", ") += to_string(kernel);
  }
  throw Error("there is no product kernel " + std::string(name) + "; known are " + names);
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

/// Chooses the kernel of the products: the one that is asked for, or the fastest with the first
/// large product. All give the same bits.
class KernelChoice {
 public:
  KernelChoice() {
    if (const char* name = std::getenv("HPL_PRODUCT_KERNEL")) {
      try {
        chosen_ = emulation::product_kernel(name);
      } catch (const Error& refusal) {
        throw Error(std::string("HPL_PRODUCT_KERNEL: ") + refusal.what());
      }
      if (!emulation::available(*chosen_))
        throw Error(std::string("HPL_PRODUCT_KERNEL: this device has no ") + name);
    } else if (!emulation::has_wgmma()) {
      chosen_ = ProductKernel::Mma;
    }
  }

  ProductKernel operator()(cudaStream_t stream, const ResidueProduct& product) {
    const std::lock_guard lock(mutex_);
    if (!chosen_ && operations_of_row(product) * static_cast<double>(product.rows) >= kEnough)
      chosen_ = fastest(stream, product);
    return chosen_.value_or(emulation::kProductKernels[0]);
  }

 private:
  /// About half a millisecond: less would measure launches, more would be missed.
  static constexpr double kEnough = 5e11;

  static double operations_of_row(const ResidueProduct& product) {
    return 2.0 * static_cast<double>(product.y.lines) * static_cast<double>(product.x.depth) *
           product.x.moduli;
  }
  /// Makes the first rows of the product by each, again and again into the same place; waits for
  /// the stream.
  static ProductKernel fastest(cudaStream_t stream, ResidueProduct product) {
    constexpr std::int64_t kRows = 256;
    const auto rows = static_cast<std::int64_t>(kEnough / operations_of_row(product)) + kRows;
    product.rows = std::min(rows / kRows * kRows, product.rows);
    const TimingEvent begin, end;
    ProductKernel best = ProductKernel::Mma;
    float least = std::numeric_limits<float>::infinity();
    for (const ProductKernel kernel : emulation::kProductKernels) {
      if (!emulation::available(kernel)) continue;
      for (int i = 0; i < 3; ++i) {  // the first loads the kernel
        HPCX_CHECK(cudaEventRecord(begin.event, stream));
        emulation::launch_product(stream, kernel, product);
        HPCX_CHECK(cudaEventRecord(end.event, stream));
        HPCX_CHECK(cudaEventSynchronize(end.event));
        float milliseconds = 0;
        HPCX_CHECK(cudaEventElapsedTime(&milliseconds, begin.event, end.event));
        if (i > 0 && milliseconds < least) {
          least = milliseconds;
          best = kernel;
        }
      }
    }
    return best;
  }
  struct TimingEvent {
    TimingEvent() { HPCX_CHECK(cudaEventCreateWithFlags(&event, cudaEventBlockingSync)); }
    ~TimingEvent() { static_cast<void>(cudaEventDestroy(event)); }
    TimingEvent(const TimingEvent&) = delete;
    TimingEvent& operator=(const TimingEvent&) = delete;
    cudaEvent_t event = nullptr;
  };

  std::mutex mutex_;
  std::optional<ProductKernel> chosen_;
};

class CudaEmulation final : public Emulation {
 public:
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
    const auto bytes = static_cast<std::int64_t>(workspace.bytes());
    HPCX_ASSERT(bytes >= kEmulationTile * a.moduli * product.pitch());
    const std::int64_t rows = emulation_block_rows(c.rows, c.cols, a.moduli, bytes);
    for (; product.first < c.rows; product.first += product.rows) {
      product.rows = std::min(rows, c.rows - product.first);
      emulation::launch_product(native, kernel_(native, product), product);
      emulation::launch_reconstruction(native, product, c.row_range(product.first, product.rows));
    }
  }

 private:
  KernelChoice kernel_;
};

}  // namespace

std::unique_ptr<Emulation> create_emulation(int index) {
  HPCX_CHECK(cudaSetDevice(index));
  return std::make_unique<CudaEmulation>();
}

}  // namespace hpcx::gpu_cuda
