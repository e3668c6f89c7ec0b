#pragma once

#include <cstddef>

#include "vendor.h"

/// Names of the runtime that only the launch of resident blocks needs.
#if defined(__HIP_PLATFORM_AMD__)
#define gpuLaunchKernel hipLaunchKernel
#define gpuLaunchCooperativeKernel hipLaunchCooperativeKernel
#define gpuFuncSetAttribute hipFuncSetAttribute
#define gpuFuncAttributeMaxDynamicSharedMemorySize hipFuncAttributeMaxDynamicSharedMemorySize
#define gpuOccupancyMaxActiveBlocksPerMultiprocessor hipOccupancyMaxActiveBlocksPerMultiprocessor
#else
#define gpuLaunchKernel cudaLaunchKernel
#define gpuLaunchCooperativeKernel cudaLaunchCooperativeKernel
#define gpuFuncSetAttribute cudaFuncSetAttribute
#define gpuFuncAttributeMaxDynamicSharedMemorySize cudaFuncAttributeMaxDynamicSharedMemorySize
#define gpuOccupancyMaxActiveBlocksPerMultiprocessor cudaOccupancyMaxActiveBlocksPerMultiprocessor
#endif

namespace hpcx::HPCX_GPU_NAMESPACE {

/// A launch whose blocks are all in one cluster.
struct ClusterLaunch {
  const void* kernel = nullptr;
  int blocks = 1;
  int threads = 1;
  int shared_bytes = 0;
};

#if defined(__HIP_PLATFORM_AMD__)

inline bool cluster_fits(const ClusterLaunch&) {
  return false;
}
inline hipError_t launch(const ClusterLaunch&, void**, hipStream_t) {
  return hipErrorNotSupported;
}

#else

inline cudaLaunchConfig_t configuration(const ClusterLaunch& launch,
                                        cudaLaunchAttribute& attribute) {
  const auto blocks = static_cast<unsigned>(launch.blocks);
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = blocks;
  attribute.val.clusterDim.y = 1;
  attribute.val.clusterDim.z = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(blocks);
  config.blockDim = dim3(static_cast<unsigned>(launch.threads));
  config.dynamicSmemBytes = static_cast<std::size_t>(launch.shared_bytes);
  config.attrs = &attribute;
  config.numAttrs = 1;
  return config;
}

/// Prepares the kernel for such launches; false where the device cannot hold one of them, or
/// knows no clusters.
inline bool cluster_fits(const ClusterLaunch& launch) {
  cudaLaunchAttribute attribute{};
  const cudaLaunchConfig_t config = configuration(launch, attribute);
  int clusters = 0;
  const bool known =
      cudaFuncSetAttribute(launch.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                           launch.shared_bytes) == cudaSuccess &&
      cudaFuncSetAttribute(launch.kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1) ==
          cudaSuccess &&
      cudaOccupancyMaxActiveClusters(&clusters, launch.kernel, &config) == cudaSuccess;
  if (!known) static_cast<void>(cudaGetLastError());
  return known && clusters > 0;
}

inline cudaError_t launch(const ClusterLaunch& launch, void** arguments, cudaStream_t stream) {
  cudaLaunchAttribute attribute{};
  cudaLaunchConfig_t config = configuration(launch, attribute);
  config.stream = stream;
  return cudaLaunchKernelExC(&config, launch.kernel, arguments);
}

#endif

}  // namespace hpcx::HPCX_GPU_NAMESPACE
