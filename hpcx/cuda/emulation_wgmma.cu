#include <cuda.h>
#include <cuda_runtime.h>

#include <algorithm>

#include "cuda/emulation_kernels.h"
#include "cuda/emulation_tiles.h"
#include "cuda/wgmma.h"
#include "emulation/arithmetic.h"
#include "gpu/launch.h"

// Products of residues by Hopper's wgmma, compiled for compute_90a alone.
//
// A persistent block has one warpgroup that loads and two that multiply, each 64 rows of a tile of
// 128. Stages of 128 bytes of the inner dimension go round: the copy engine fills one when both
// warpgroups of all blocks of the cluster have read it. The two warpgroups wait for stages, never
// for each other: while one reduces its sums modulo m and stores bytes, the other goes on with
// stages that are there, and the tensor cores stay busy. Blocks of a cluster work on tiles one
// below the other and share B: each loads a part for all.

namespace hpcx::gpu_cuda::emulation {

namespace {

constexpr int kTileRows = 128, kStepBytes = 128, kBoxLines = 128;
constexpr int kBoxBytes = kBoxLines * kStepBytes;
constexpr int kWarpgroup = 128, kThreadCount = 3 * kWarpgroup;
constexpr int kBarrierBytes = 1024;
constexpr int kMostShared = 227 * 1024;

template <int kColumns>
struct Ring {
  static constexpr int kStageBytes = (kTileRows + kColumns) * kStepBytes;
  static constexpr int kStages = (kMostShared - 2 * kBarrierBytes) / kStageBytes;
  static constexpr int kBytes = kStages * kStageBytes + 2 * kBarrierBytes;  // and alignment
};

/// What a block works through, tile by tile.
struct Work {
  std::int64_t tall, wide, tiles;  // tall: in tiles of a cluster
  std::int64_t rows, pitch, plane;
  int steps;
  std::int8_t* out;
};

/// A stage of the ring, and in which parity of its barriers it is.
struct Place {
  int stage = 0;
  unsigned parity = 0;
  template <int kStages>
  __device__ void advance() {
    if (++stage == kStages) {
      stage = 0;
      parity ^= 1;
    }
  }
};

template <int kColumns>
__device__ void multiply(std::int32_t (&d)[kColumns / 2], std::uint64_t a, std::uint64_t b,
                         bool add) {
  if constexpr (kColumns == 256)
    wgmma::wgmma_n256(d, a, b, add);
  else
    wgmma::wgmma_n128(d, a, b, add);
}

template <int kColumns, int kCluster>
__global__ void __launch_bounds__(kThreadCount, 1)
    product_wgmma(const __grid_constant__ CUtensorMap map_x,
                  const __grid_constant__ CUtensorMap map_y, const __grid_constant__ Work work,
                  const __grid_constant__ Moduli moduli) {
  using Sizes = Ring<kColumns>;
  constexpr int kStages = Sizes::kStages, kYBoxes = kColumns / kBoxLines;
  extern __shared__ std::uint8_t memory[];
  const unsigned base = (wgmma::shared_address(memory) + 1023) & ~1023u;
  const unsigned barriers = base + kStages * Sizes::kStageBytes;
  const auto full = [&](int stage) { return barriers + 8 * stage; };
  const auto empty = [&](int stage) { return barriers + 8 * (kStages + stage); };
  const auto stage_at = [&](int stage) { return base + stage * Sizes::kStageBytes; };

  const unsigned rank = kCluster > 1 ? wgmma::block_in_cluster() : 0;
  if (threadIdx.x == 0) {
    for (int s = 0; s < kStages; ++s) {
      wgmma::barrier_init(full(s), 1);
      wgmma::barrier_init(empty(s), 2 * kCluster);
    }
    wgmma::barrier_init_fence();
  }
  __syncthreads();
  if constexpr (kCluster > 1) wgmma::cluster_barrier();

  const std::int64_t first = blockIdx.x / kCluster, stride = gridDim.x / kCluster;
  const int warpgroup = static_cast<int>(threadIdx.x) / kWarpgroup;
  Place place;
  if (warpgroup == 2) {
    wgmma::give_up_registers<40>();
    if (threadIdx.x == 2 * kWarpgroup) {
      for (std::int64_t tile = first; tile < work.tiles; tile += stride) {
        const TilePlace at = tile_place(tile, work.tall, work.wide);
        const int row = static_cast<int>((at.row * kCluster + rank) * kTileRows);
        const int column = static_cast<int>(at.column * kColumns);
        for (int step = 0; step < work.steps; ++step) {
          wgmma::barrier_wait(empty(place.stage), place.parity ^ 1);
          const unsigned stage = stage_at(place.stage), barrier = full(place.stage);
          wgmma::barrier_expect(barrier, Sizes::kStageBytes);
          wgmma::load_box(stage, &map_x, barrier, step * kStepBytes, row, at.modulus);
          // Of B, boxes of 128 lines; a cluster's blocks load parts of them for one another.
          if constexpr (kCluster == 1) {
#pragma unroll
            for (int box = 0; box < kYBoxes; ++box)
              wgmma::load_box(stage + (1 + box) * kBoxBytes, &map_y, barrier, step * kStepBytes,
                              column + box * kBoxLines, at.modulus);
          } else {
            constexpr int kLines = kColumns / kCluster;  // of the box in map_y
            wgmma::load_box_for(stage + kBoxBytes + rank * kLines * kStepBytes, &map_y, barrier,
                                step * kStepBytes, column + static_cast<int>(rank) * kLines,
                                at.modulus, (1 << kCluster) - 1);
          }
          place.advance<kStages>();
        }
      }
    }
  } else {
    wgmma::take_registers<232>();
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32 % 4;
    std::int32_t sums[kColumns / 2];
    for (std::int64_t tile = first; tile < work.tiles; tile += stride) {
      const TilePlace at = tile_place(tile, work.tall, work.wide);
      int last = -1;  // the stage that is being read
      for (int step = 0; step < work.steps; ++step) {
        wgmma::barrier_wait(full(place.stage), place.parity);
        const unsigned stage = stage_at(place.stage);
        const std::uint64_t a = wgmma::descriptor(stage + warpgroup * 64 * kStepBytes);
        const std::uint64_t b = wgmma::descriptor(stage + kBoxBytes);
        wgmma::fence();
#pragma unroll
        for (int part = 0; part < kStepBytes / 32; ++part)
          multiply<kColumns>(sums, a + part * 2, b + part * 2, step > 0 || part > 0);
        wgmma::commit();
        // The stage before this has been read when only this one's products are under way.
        wgmma::wait<1>();
        if (last >= 0 && threadIdx.x % kWarpgroup < kCluster) {
          if constexpr (kCluster > 1)
            wgmma::barrier_arrive_at(empty(last), threadIdx.x % kWarpgroup);
          else
            wgmma::barrier_arrive(empty(last));
        }
        last = place.stage;
        place.advance<kStages>();
      }
      wgmma::wait<0>();
      wgmma::arrived(sums);
      if (threadIdx.x % kWarpgroup < kCluster) {
        if constexpr (kCluster > 1)
          wgmma::barrier_arrive_at(empty(last), threadIdx.x % kWarpgroup);
        else
          wgmma::barrier_arrive(empty(last));
      }

      // sums[4 j ...]: columns 8 j + 2 (lane % 4) and the next, of row lane / 4 and of row + 8.
      const std::int32_t modulus = moduli.modulus[at.modulus];
      const std::int32_t reciprocal = moduli.reciprocal[at.modulus];
      const std::int64_t row =
          (at.row * kCluster + rank) * kTileRows + warpgroup * 64 + warp * 16 + lane / 4;
      const std::int64_t column = at.column * kColumns + lane % 4 * 8;
      std::int8_t* out = work.out + at.modulus * work.plane + row * work.pitch + column;
#pragma unroll
      for (int j = 0; j < kColumns / 8; j += 4)
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          std::int32_t values[8];
#pragma unroll
          for (int group = 0; group < 4; ++group) {
            values[2 * group] = sums[4 * (j + group) + 2 * half];
            values[2 * group + 1] = sums[4 * (j + group) + 2 * half + 1];
          }
          const uint2 bytes = residues_of_quad(values, modulus, reciprocal);
          if (row + 8 * half < work.rows && column + 8 * j < work.pitch)
            *reinterpret_cast<uint2*>(out + 8 * half * work.pitch + 8 * j) = bytes;
        }
    }
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
  HPCX_ASSERT(found == cudaDriverEntryPointSuccess);
  return reinterpret_cast<EncodeTiled>(entry);
}

/// Boxes of `lines` lines and 128 bytes of the inner dimension of one modulus; what lies outside is
/// zero.
CUtensorMap tensor_map(EncodeTiled encode, const std::int8_t* residues, std::int64_t lines,
                       const ResidueView& view, int box_lines) {
  CUtensorMap map{};
  const cuuint64_t sizes[3] = {static_cast<cuuint64_t>(view.pitch()),
                               static_cast<cuuint64_t>(lines),
                               static_cast<cuuint64_t>(view.moduli)};
  const cuuint64_t strides[2] = {static_cast<cuuint64_t>(view.pitch()),
                                 static_cast<cuuint64_t>(view.plane())};
  const cuuint32_t box[3] = {kStepBytes, static_cast<cuuint32_t>(box_lines), 1};
  const cuuint32_t steps[3] = {1, 1, 1};
  const CUresult status =
      encode(&map, CU_TENSOR_MAP_DATA_TYPE_UINT8, 3, const_cast<std::int8_t*>(residues), sizes,
             strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
             CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  HPCX_ASSERT(status == CUDA_SUCCESS);
  return map;
}

template <int kColumns, int kCluster>
void launch(cudaStream_t stream, const ResidueProduct& product) {
  const ResidueView &x = product.x, &y = product.y;
  const EncodeTiled encode = encode_tiled();
  const CUtensorMap map_x =
      tensor_map(encode, x.residues + product.first * x.pitch(), product.rows, x, kBoxLines);
  const CUtensorMap map_y =
      tensor_map(encode, y.residues, y.lines, y, kCluster > 1 ? kColumns / kCluster : kBoxLines);
  Work work{.tall = ceil_div(product.rows, kTileRows * kCluster),
            .wide = ceil_div(y.lines, kColumns),
            .tiles = 0,
            .rows = product.rows,
            .pitch = product.pitch(),
            .plane = product.plane(),
            .steps = static_cast<int>(ceil_div(x.pitch(), kStepBytes)),
            .out = product.out};
  work.tiles = work.tall * work.wide * x.moduli;
  int device = 0, multiprocessors = 0;
  HPCX_CHECK(cudaGetDevice(&device));
  HPCX_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  const auto kernel = product_wgmma<kColumns, kCluster>;
  constexpr int kBytes = Ring<kColumns>::kBytes;
  HPCX_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes));
  const std::int64_t clusters = std::min<std::int64_t>(work.tiles, multiprocessors / kCluster);
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {kCluster, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = grid_size(clusters * kCluster);
  config.blockDim = kThreadCount;
  config.dynamicSmemBytes = kBytes;
  config.stream = stream;
  config.attrs = &cluster;
  config.numAttrs = 1;
  HPCX_CHECK(cudaLaunchKernelEx(&config, kernel, map_x, map_y, work, moduli_of(x.moduli)));
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
      HPCX_ASSERT(false);
  }
}

}  // namespace hpcx::gpu_cuda::emulation
