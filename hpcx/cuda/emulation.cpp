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
#include "gpu/stream.h"
#include "gpu/vendor_parts.h"
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
    case ProductKernel::Library:
      return "cublas";
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
  return kernel == ProductKernel::Mma || kernel == ProductKernel::Library || has_wgmma();
}

bool takes(ProductKernel kernel, const ResidueProduct& product) {
  return kernel != ProductKernel::Library || (product.sums != nullptr && product.y.lines % 4 == 0);
}

void launch_product(cudaStream_t stream, ProductKernel kernel, const ResidueProduct& product) {
  if (product.rows == 0 || product.y.lines == 0 || product.x.depth == 0) return;
  if (kernel == ProductKernel::Mma || !takes(kernel, product))
    launch_mma(stream, product);
  else if (kernel == ProductKernel::Library)
    launch_library(stream, product);
  else
    launch_wgmma(stream, kernel, product);
}

}  // namespace emulation

namespace {

using emulation::ProductKernel;
using emulation::ResidueProduct;

/// Chooses the kernel of the products: the one that is asked for, or the first of kProductKernels
/// than which no other is clearly faster with the first large product. All give the same bits.
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
    }
  }

  /// Whether products are, or may turn out to be, made by it.
  bool may_be(ProductKernel kernel) {
    const std::lock_guard lock(mutex_);
    return chosen_.value_or(kernel) == kernel;
  }

  ProductKernel operator()(cudaStream_t stream, const ResidueProduct& product) {
    const std::lock_guard lock(mutex_);
    if (!chosen_ && operations_of_row(product) * static_cast<double>(product.rows) >= kEnough)
      chosen_ = choose(stream, product);
    return chosen_.value_or(
        *std::ranges::find_if(emulation::kProductKernels, emulation::available));
  }

 private:
  /// About half a millisecond: less would measure launches, more would be missed.
  static constexpr double kEnough = 5e11;

  static double operations_of_row(const ResidueProduct& product) {
    return 2.0 * static_cast<double>(product.y.lines) * static_cast<double>(product.x.depth) *
           product.x.moduli;
  }
  /// In a run the chip is at its power limit, and what takes less energy runs at a higher clock:
  /// an H200 made 81 TFLOP/s by wgmma256x2, 77 by wgmma256 and 75 by wgmma128x2. Half a millisecond
  /// on a cool chip finds them within some percent of each other, in any order.
  static constexpr float kClearly = 0.9F;
  /// Makes the first rows of the product by each, again and again into the same place; waits for
  /// the stream.
  static ProductKernel choose(cudaStream_t stream, ResidueProduct product) {
    constexpr std::int64_t kRows = 256;
    const auto rows = static_cast<std::int64_t>(kEnough / operations_of_row(product)) + kRows;
    product.rows = std::min(rows / kRows * kRows, product.rows);
    const TimingEvent begin, end;
    ProductKernel best = ProductKernel::Mma;
    float least = std::numeric_limits<float>::infinity();
    for (const ProductKernel kernel : emulation::kProductKernels) {
      if (!emulation::available(kernel) || !emulation::takes(kernel, product)) continue;
      float shortest = std::numeric_limits<float>::infinity();
      for (int i = 0; i < 3; ++i) {  // the first loads the kernel
        HPCX_CHECK(cudaEventRecord(begin.event, stream));
        emulation::launch_product(stream, kernel, product);
        HPCX_CHECK(cudaEventRecord(end.event, stream));
        HPCX_CHECK(cudaEventSynchronize(end.event));
        float milliseconds = 0;
        HPCX_CHECK(cudaEventElapsedTime(&milliseconds, begin.event, end.event));
        if (i > 0) shortest = std::min(shortest, milliseconds);
      }
      if (shortest < kClearly * least) {
        least = shortest;
        best = kernel;
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

  void add_product(StreamRef stream, const EmulatedProduct& p, const Buffer& workspace) override {
    const auto& [factor, a, b, c] = p;
    if (c.layout == Layout::ColumnMajor)  // C^T = C^T + factor B^T A^T, by rows
      return add_product(stream, {factor, b, a, c.transposed()}, workspace);
    HPCX_ASSERT(p.fits());
    if (c.empty() || a.depth == 0) return;
    GpuStream& state = activate(stream);
    const cudaStream_t native = state.native();
    ResidueProduct product{
        .x = a, .y = b, .out = workspace.as<std::int8_t>(), .blas = &state.blas()};
    const auto bytes = static_cast<std::int64_t>(workspace.bytes());
    HPCX_ASSERT(bytes >= kEmulationTile * a.moduli * product.pitch());
    // Sums of the library stand behind the residues of as many rows, four bytes beside `moduli`.
    constexpr int kSumBytes = sizeof(std::int32_t);
    const bool with_sums = kernel_.may_be(ProductKernel::Library) &&
                           bytes >= kEmulationTile * (a.moduli + kSumBytes) * product.pitch();
    const std::int64_t rows =
        emulation_block_rows(c.rows, c.cols, a.moduli + (with_sums ? kSumBytes : 0), bytes);
    for (; product.first < c.rows; product.first += product.rows) {
      product.rows = std::min(rows, c.rows - product.first);
      if (with_sums)
        product.sums = reinterpret_cast<std::int32_t*>(product.out + a.moduli * product.plane());
      emulation::launch_product(native, kernel_(native, product), product);
      emulation::launch_reconstruction(native, product, factor,
                                       c.row_range(product.first, product.rows));
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
