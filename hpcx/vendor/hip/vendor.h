#pragma once

#include <hip/hip_runtime.h>

/// The names of the HIP runtime under which the sources of hpcx/gpu know them. They are macros so
/// that HPCX_CHECK reports the vendor's own spelling of the call that failed.
#define HPCX_GPU_NAMESPACE gpu_hip
#define HPCX_GPU_BACKEND ::hpcx::Backend::Hip
#define HPCX_GPU_VENDOR "AMD"
#define HPCX_GPU_RUNTIME "HIP"
#define HPCX_GPU_COLLECTIVES "librccl.so.1"
#define HPCX_GPU_COLLECTIVES_NAME "RCCL"
/// Assembly's letter of a register that holds a double.
#define HPCX_GPU_REGISTER "v"

#define gpuError_t hipError_t
#define gpuSuccess hipSuccess
#define gpuErrorMemoryAllocation hipErrorOutOfMemory
#define gpuErrorNotReady hipErrorNotReady
#define gpuErrorNoDevice hipErrorNoDevice
#define gpuErrorInsufficientDriver hipErrorInsufficientDriver
#define gpuErrorNoBinary hipErrorNoBinaryForGpu
#define gpuGetErrorName hipGetErrorName
#define gpuGetErrorString hipGetErrorString
#define gpuGetLastError hipGetLastError

#define gpuDeviceProp hipDeviceProp_t
#define gpuGetDeviceCount hipGetDeviceCount
#define gpuGetDeviceProperties hipGetDeviceProperties
#define gpuDeviceGetAttribute hipDeviceGetAttribute
#define gpuAttributeComputeMode hipDeviceAttributeComputeMode
#define gpuComputeModeProhibited hipComputeModeProhibited
#define gpuDeviceGetPCIBusId hipDeviceGetPCIBusId
#define gpuDriverGetVersion hipDriverGetVersion
#define gpuRuntimeGetVersion hipRuntimeGetVersion
#define gpuSetDevice hipSetDevice
#define gpuSetDeviceFlags hipSetDeviceFlags
#define gpuDeviceScheduleBlockingSync hipDeviceScheduleBlockingSync
#define gpuDeviceSynchronize hipDeviceSynchronize
#define gpuFuncAttributes hipFuncAttributes
#define gpuFuncGetAttributes hipFuncGetAttributes

#define gpuMalloc hipMalloc
#define gpuFree hipFree
#define gpuHostAlloc hipHostMalloc
#define gpuHostAllocPortable hipHostMallocPortable
#define gpuHostAllocMapped hipHostMallocMapped
#define gpuFreeHost hipHostFree
#define gpuHostRegister hipHostRegister
#define gpuHostRegisterPortable hipHostRegisterPortable
#define gpuHostRegisterMapped hipHostRegisterMapped
#define gpuHostUnregister hipHostUnregister
#define gpuHostGetDevicePointer hipHostGetDevicePointer
#define gpuMemGetInfo hipMemGetInfo
#define gpuMemcpyAsync hipMemcpyAsync
#define gpuMemcpy2DAsync hipMemcpy2DAsync
#define gpuMemcpyDefault hipMemcpyDefault
#define gpuMemsetAsync hipMemsetAsync
#define gpuPointerAttributes hipPointerAttribute_t
// HIP 6 gave the member CUDA's name.
#if HIP_VERSION_MAJOR >= 6
#define gpuMemoryTypeOf(attributes) (attributes).type
#else
#define gpuMemoryTypeOf(attributes) (attributes).memoryType
#endif
#define gpuPointerGetAttributes hipPointerGetAttributes
#define gpuMemoryTypeDevice hipMemoryTypeDevice

#define gpuStream_t hipStream_t
#define gpuStreamCreateWithPriority hipStreamCreateWithPriority
#define gpuStreamNonBlocking hipStreamNonBlocking
#define gpuStreamDestroy hipStreamDestroy
#define gpuStreamSynchronize hipStreamSynchronize
#define gpuStreamWaitEvent hipStreamWaitEvent
#define gpuDeviceGetStreamPriorityRange hipDeviceGetStreamPriorityRange
#define gpuLaunchHostFunc hipLaunchHostFunc

#define gpuEvent_t hipEvent_t
#define gpuEventCreateWithFlags hipEventCreateWithFlags
#define gpuEventBlockingSync hipEventBlockingSync
#define gpuEventInterprocess hipEventInterprocess
#define gpuEventDisableTiming hipEventDisableTiming
#define gpuEventDestroy hipEventDestroy
#define gpuEventRecord hipEventRecord
#define gpuEventQuery hipEventQuery
#define gpuEventSynchronize hipEventSynchronize
#define gpuEventElapsedTime hipEventElapsedTime

#define gpuIpcMemHandle_t hipIpcMemHandle_t
#define gpuIpcGetMemHandle hipIpcGetMemHandle
#define gpuIpcOpenMemHandle hipIpcOpenMemHandle
#define gpuIpcCloseMemHandle hipIpcCloseMemHandle
#define gpuIpcMemLazyEnablePeerAccess hipIpcMemLazyEnablePeerAccess
#define gpuIpcEventHandle_t hipIpcEventHandle_t
#define gpuIpcGetEventHandle hipIpcGetEventHandle
#define gpuIpcOpenEventHandle hipIpcOpenEventHandle
