#pragma once

#include <cuda_runtime.h>

#include <utility>

/// The names of HIP's runtime that hpcx uses, over CUDA's. Each stands for CUDA's name with the
/// same ending, or is given by hand.

#define __HIP_PLATFORM_AMD__ 1  // hpcx's sources take the way that they take on AMD's devices
#define HIP_VERSION_MAJOR 6

using hipError_t = cudaError_t;
inline constexpr auto hipSuccess = cudaSuccess;
inline constexpr auto hipErrorOutOfMemory = cudaErrorMemoryAllocation;
inline constexpr auto hipErrorNotReady = cudaErrorNotReady;
inline constexpr auto hipErrorNoDevice = cudaErrorNoDevice;
inline constexpr auto hipErrorInsufficientDriver = cudaErrorInsufficientDriver;
inline constexpr auto hipErrorNoBinaryForGpu = cudaErrorNoKernelImageForDevice;
inline constexpr auto hipErrorNotSupported = cudaErrorNotSupported;

/// The name of the architecture is nobody's: this chip is none of AMD's.
struct hipDeviceProp_t : cudaDeviceProp {
  char gcnArchName[256];
};
using hipFuncAttributes = cudaFuncAttributes;
using hipPointerAttribute_t = cudaPointerAttributes;
using hipStream_t = cudaStream_t;
using hipEvent_t = cudaEvent_t;
using hipIpcMemHandle_t = cudaIpcMemHandle_t;
using hipIpcEventHandle_t = cudaIpcEventHandle_t;

inline constexpr auto hipDeviceAttributeComputeMode = cudaDevAttrComputeMode;
inline constexpr int hipComputeModeProhibited = cudaComputeModeProhibited;
inline constexpr unsigned hipDeviceScheduleBlockingSync = cudaDeviceScheduleBlockingSync;
inline constexpr unsigned hipHostMallocPortable = cudaHostAllocPortable;
inline constexpr unsigned hipHostMallocMapped = cudaHostAllocMapped;
inline constexpr unsigned hipHostRegisterPortable = cudaHostRegisterPortable;
inline constexpr unsigned hipHostRegisterMapped = cudaHostRegisterMapped;
inline constexpr auto hipMemcpyDefault = cudaMemcpyDefault;
inline constexpr auto hipMemoryTypeDevice = cudaMemoryTypeDevice;
inline constexpr unsigned hipStreamNonBlocking = cudaStreamNonBlocking;
inline constexpr unsigned hipEventBlockingSync = cudaEventBlockingSync;
inline constexpr unsigned hipEventInterprocess = cudaEventInterprocess;
inline constexpr unsigned hipEventDisableTiming = cudaEventDisableTiming;
inline constexpr unsigned hipIpcMemLazyEnablePeerAccess = cudaIpcMemLazyEnablePeerAccess;
inline constexpr auto hipFuncAttributeMaxDynamicSharedMemorySize =
    cudaFuncAttributeMaxDynamicSharedMemorySize;

#define HPCX_HIP_IS(hip_name, cuda_name)                     \
  template <class... Arguments>                              \
  auto hip_name(Arguments&&... arguments) {                  \
    return cuda_name(std::forward<Arguments>(arguments)...); \
  }
#define HPCX_HIP(name) HPCX_HIP_IS(hip##name, cuda##name)

HPCX_HIP(GetErrorName)
HPCX_HIP(GetErrorString)
HPCX_HIP(GetLastError)
HPCX_HIP(GetDeviceCount)
HPCX_HIP(GetDeviceProperties)
HPCX_HIP(DeviceGetAttribute)
HPCX_HIP(DriverGetVersion)
HPCX_HIP(RuntimeGetVersion)
HPCX_HIP(SetDevice)
HPCX_HIP(SetDeviceFlags)
HPCX_HIP(DeviceSynchronize)
HPCX_HIP(FuncGetAttributes)
HPCX_HIP(FuncSetAttribute)
HPCX_HIP(LaunchKernel)
HPCX_HIP(LaunchCooperativeKernel)
HPCX_HIP(OccupancyMaxActiveBlocksPerMultiprocessor)
HPCX_HIP(Malloc)
HPCX_HIP(Free)
HPCX_HIP_IS(hipHostMalloc, cudaHostAlloc)
HPCX_HIP_IS(hipHostFree, cudaFreeHost)
HPCX_HIP(HostRegister)
HPCX_HIP(HostUnregister)
HPCX_HIP(HostGetDevicePointer)
HPCX_HIP(MemGetInfo)
HPCX_HIP(MemcpyAsync)
HPCX_HIP(Memcpy2DAsync)
HPCX_HIP(MemsetAsync)
HPCX_HIP(PointerGetAttributes)
HPCX_HIP(StreamCreateWithPriority)
HPCX_HIP(StreamDestroy)
HPCX_HIP(StreamSynchronize)
HPCX_HIP(StreamWaitEvent)
HPCX_HIP(DeviceGetStreamPriorityRange)
HPCX_HIP(LaunchHostFunc)
HPCX_HIP(EventCreateWithFlags)
HPCX_HIP(EventDestroy)
HPCX_HIP(EventRecord)
HPCX_HIP(EventQuery)
HPCX_HIP(EventSynchronize)
HPCX_HIP(EventElapsedTime)
HPCX_HIP(IpcGetMemHandle)
HPCX_HIP(IpcOpenMemHandle)
HPCX_HIP(IpcCloseMemHandle)
HPCX_HIP(IpcGetEventHandle)
HPCX_HIP(IpcOpenEventHandle)

inline hipError_t hipDeviceGetPCIBusId(char* address, int length, int device) {
  return cudaDeviceGetPCIBusId(address, length, device);
}

#undef HPCX_HIP
#undef HPCX_HIP_IS
