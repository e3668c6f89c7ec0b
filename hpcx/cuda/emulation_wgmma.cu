#include <cuda.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <string>

#include "cuda/emulation_kernels.h"
#include "cuda/quad_residues.h"
#include "cuda/wgmma.h"
#include "cuda/wgmma_pipeline.h"
#include "gpu/launch.h"
#include "hpcx/error.h"

// Products of residues by Hopper's wgmma, compiled for compute_90a alone: the pipeline of
// wgmma_pipeline.h over the chip's instructions.

namespace hpcx::gpu_cuda::emulation {

namespace {

constexpr int kWarpgroup = 128, kThreadCount = 3 * kWarpgroup;

/// The instructions of the chip as the pipeline calls them.
struct Hopper {
  template <int kColumns>
  using Sums = std::int32_t[kColumns / 2];

  const CUtensorMap& map_a;
  const CUtensorMap& map_b;
  const Moduli& moduli;

  __device__ void barrier_wait(unsigned barrier, unsigned parity) {
    wgmma::barrier_wait(barrier, parity);
  }
  __device__ void barrier_expect(unsigned barrier, unsigned bytes) {
    wgmma::barrier_expect(barrier, bytes);
  }
  __device__ void load_box(Operand from, const wgmma::Box& box) {
    wgmma::load_box(from == Operand::A ? &map_a : &map_b, box);
  }
  __device__ void load_box_for(Operand from, const wgmma::Box& box, int blocks) {
    wgmma::load_box_for(from == Operand::A ? &map_a : &map_b, box,
                        static_cast<std::uint16_t>(blocks));
  }
  __device__ void fence() { wgmma::fence(); }
  template <int kColumns>
  __device__ void multiply(std::int32_t (&d)[kColumns / 2], std::uint64_t a, std::uint64_t b,
                           bool add) {
    if constexpr (kColumns == 256)
      wgmma::wgmma_n256(d, a, b, add);
    else
      wgmma::wgmma_n128(d, a, b, add);
  }
  __device__ void commit() { wgmma::commit(); }
  template <int kPending>
  __device__ void wait() {
    wgmma::wait<kPending>();
  }
  template <int kCount>
  __device__ void arrived(std::int32_t (&d)[kCount]) {
    wgmma::arrived(d);
  }
  /// Thread i of the warpgroup tells block i of the cluster.
  template <int kCluster>
  __device__ void release(unsigned barrier) {
    if (threadIdx.x % kWarpgroup >= kCluster) return;
    if constexpr (kCluster > 1)
      wgmma::barrier_arrive_at(barrier, threadIdx.x % kWarpgroup);
    else
      wgmma::barrier_arrive(barrier);
  }

  template <int kColumns>
  __device__ void store(const Work& work, TilePlace at, std::int64_t first_row,
                        const std::int32_t (&sums)[kColumns / 2]) {
    const std::int32_t modulus = moduli.modulus[at.modulus];
    const std::int32_t reciprocal = moduli.reciprocal[at.modulus];
    const LaneRows lane = lane_rows(threadIdx.x);
    const std::int64_t row = first_row + lane.row;
    const std::int64_t column = std::int64_t{at.column} * kColumns + lane.column;
    std::int8_t* out = work.out + at.modulus * work.plane + row * work.pitch + column;
#pragma unroll
    for (int j = 0; j < kColumns / 8; j += 4)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        std::int32_t values[8];
        sums_of_groups(sums, j, half, values);
        const uint2 bytes = residues_of_quad(values, modulus, reciprocal);
        if (row + 8 * half < work.rows && column + 8 * j < work.pitch)
          *reinterpret_cast<uint2*>(out + 8 * half * work.pitch + 8 * j) = bytes;
      }
  }
};

template <int kColumns, int kCluster>
__global__ void __launch_bounds__(kThreadCount, 1)
    product_wgmma(const __grid_constant__ CUtensorMap map_a,
                  const __grid_constant__ CUtensorMap map_b, const __grid_constant__ Work work,
                  const __grid_constant__ Moduli moduli) {
  using Sizes = Ring<kColumns, kCluster>;
  extern __shared__ std::uint8_t memory[];
  constexpr unsigned kMask = kRingAlignment - 1;
  const unsigned base = (wgmma::shared_address(memory) + kMask) & ~kMask;
  const unsigned block = kCluster > 1 ? wgmma::block_in_cluster() : 0;
  if (threadIdx.x == 0) {
    const Sizes ring{base};
    for (int s = 0; s < Sizes::kStages; ++s) {
      wgmma::barrier_init(ring.full(s), Sizes::kFullArrivals);
      wgmma::barrier_init(ring.empty(s), Sizes::kEmptyArrivals);
    }
    wgmma::barrier_init_fence();
  }
  __syncthreads();
  if constexpr (kCluster > 1) wgmma::cluster_barrier();

  Hopper chip{map_a, map_b, moduli};
  const BlockPlace place{base, blockIdx.x / kCluster, block};
  const unsigned warpgroup = threadIdx.x / kWarpgroup;
  if (warpgroup == 2) {
    wgmma::give_up_registers<40>();
    if (threadIdx.x == 2 * kWarpgroup) load_tiles<kColumns, kCluster>(chip, work, place);
  } else {
    wgmma::take_registers<232>();
    multiply_tiles<kColumns, kCluster>(chip, work, place, warpgroup);
  }
  // No block leaves while others may still write into its memory or arrive at its barriers.
  if constexpr (kCluster > 1) {
    __syncwarp();
    wgmma::cluster_barrier();
  }
}

using EncodeTiled = decltype(&cuTensorMapEncodeTiled);

EncodeTiled encode_tiled() {
  void* entry = nullptr;
  cudaDriverEntryPointQueryResult found{};
#if CUDART_VERSION >= 12050
  HPCX_CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &entry, 12000,
                                              cudaEnableDefault, &found));
#else
  HPCX_CHECK(cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &entry, cudaEnableDefault, &found));
#endif
  if (found != cudaDriverEntryPointSuccess) throw Error("the driver has no cuTensorMapEncodeTiled");
  return reinterpret_cast<EncodeTiled>(entry);
}

/// Boxes of `box_lines` lines and 128 bytes of the inner dimension of one modulus; what lies
/// outside is zero.
CUtensorMap tensor_map(EncodeTiled encode, const ResidueView& view, int box_lines) {
  CUtensorMap map{};
  const cuuint64_t sizes[3] = {static_cast<cuuint64_t>(view.pitch()),
                               static_cast<cuuint64_t>(view.lines),
                               static_cast<cuuint64_t>(view.moduli)};
  const cuuint64_t strides[2] = {static_cast<cuuint64_t>(view.pitch()),
                                 static_cast<cuuint64_t>(view.plane())};
  const cuuint32_t box[3] = {kStepBytes, static_cast<cuuint32_t>(box_lines), 1};
  const cuuint32_t steps[3] = {1, 1, 1};
  const CUresult status =
      encode(&map, CU_TENSOR_MAP_DATA_TYPE_UINT8, 3, view.residues, sizes, strides, box, steps,
             CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
             CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (status != CUDA_SUCCESS)
    throw Error("cuTensorMapEncodeTiled: error " + std::to_string(static_cast<int>(status)) +
                " for " + std::to_string(view.pitch()) + " bytes x " + std::to_string(view.lines) +
                " lines x " + std::to_string(view.moduli) + " moduli, boxes of " +
                std::to_string(box_lines) + " lines");
  return map;
}

template <int kColumns, int kCluster>
void launch(cudaStream_t stream, const ResidueProduct& product) {
  const ResidueView &x = product.x, &y = product.y;
  const EncodeTiled encode = encode_tiled();
  using Sizes = Ring<kColumns, kCluster>;
  const CUtensorMap map_a =
      tensor_map(encode, part_of(x, product.first, product.rows, x.depth), kBoxLines);
  const CUtensorMap map_b = tensor_map(encode, y, Sizes::kLinesOfB);
  int device = 0, multiprocessors = 0;
  HPCX_CHECK(cudaGetDevice(&device));
  HPCX_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  const auto steps = static_cast<std::uint32_t>(ceil_div(x.padded_depth(), kStepBytes));
  const std::int64_t tall = ceil_div(product.rows, kTileRows * kCluster),
                     wide = ceil_div(y.lines, kColumns);
  const Work work{.tall = grid_size(tall),
                  .wide = grid_size(wide),
                  .tiles = grid_size(tall * wide * x.moduli),
                  .resident = static_cast<std::uint32_t>(std::max(multiprocessors / kCluster, 1)),
                  .run = std::max(product.stages_of_block / steps, 1u),
                  .steps = static_cast<int>(steps),
                  .rows = product.rows,
                  .pitch = product.pitch(),
                  .plane = product.plane(),
                  .out = product.out};
  const std::uint32_t clusters = blocks_of_tiles(work.resident, work.run, work.tiles);
  const auto kernel = product_wgmma<kColumns, kCluster>;
  constexpr int kBytes = Sizes::kBytes;
  HPCX_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes));
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {kCluster, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = grid_size(std::int64_t{clusters} * kCluster);
  config.blockDim = kThreadCount;
  config.dynamicSmemBytes = kBytes;
  config.stream = stream;
  config.attrs = &cluster;
  config.numAttrs = 1;
  HPCX_CHECK(cudaLaunchKernelEx(&config, kernel, map_a, map_b, work, moduli_of(x.moduli)));
}

}  // namespace

bool has_wgmma() {
  int device = 0, major = 0, minor = 0;
  HPCX_CHECK(cudaGetDevice(&device));
  HPCX_CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  HPCX_CHECK(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device));
  return major == 9 && minor == 0;
}

void launch_wgmma(cudaStream_t stream, ProductKernel kernel, const ResidueProduct& product) {
  switch (kernel) {
    case ProductKernel::Wgmma256:
      return launch<256, 1>(stream, product);
    case ProductKernel::Wgmma256Cluster:
      return launch<256, 2>(stream, product);
    case ProductKernel::Wgmma128Cluster:
      return launch<128, 2>(stream, product);
    case ProductKernel::Mma:
    case ProductKernel::Library:
      HPCX_ASSERT(false);
  }
}

}  // namespace hpcx::gpu_cuda::emulation
