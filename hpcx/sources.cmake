# Sources that every GPU back end compiles, with the vendor's names (hpcx/vendor/cuda or hip) and
# this library's root in the include path. Host code is .cpp, device code is .cu. The device panel stands on
# the rest.
set(HPCX_GPU_HOST_SOURCES
  gpu/backend.cpp gpu/blas.cpp gpu/check.cpp gpu/device.cpp gpu/event.cpp gpu/host_pool.cpp
  gpu/interconnect.cpp gpu/stream.cpp panel/factorizer.cpp panel/proxy.cpp panel/solver.cpp)
set(HPCX_GPU_DEVICE_SOURCES
  gpu/kernels_fill.cu gpu/kernels_generate.cu gpu/kernels_invert.cu gpu/kernels_move.cu gpu/kernels_solve.cu
  gpu/kernels_sums.cu gpu/small_copy.cu panel/kernel.cu panel/kernel_team.cu)
list(TRANSFORM HPCX_GPU_HOST_SOURCES PREPEND "${PROJECT_SOURCE_DIR}/hpcx/")
list(TRANSFORM HPCX_GPU_DEVICE_SOURCES PREPEND "${PROJECT_SOURCE_DIR}/hpcx/")
set(HPCX_HIP_SOURCES backend.cpp blas_calls.cpp telemetry.cpp)  # of hip/
