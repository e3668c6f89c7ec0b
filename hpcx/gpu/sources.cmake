# Sources that every GPU back end compiles, with its own directory (vendor.h, blas_handle.h) and
# this library's root in the include path. Host code is .cpp, device code is .cu.
set(HPCX_GPU_HOST_SOURCES
  backend.cpp blas.cpp check.cpp collectives.cpp device.cpp event.cpp host_pool.cpp
  interconnect.cpp panel_factorizer.cpp panel_post.cpp panel_solver.cpp stream.cpp)
set(HPCX_GPU_DEVICE_SOURCES
  kernels_fill.cu kernels_generate.cu kernels_invert.cu kernels_move.cu kernels_sums.cu
  panel_kernel.cu panel_kernel_group.cu panel_kernel_team.cu)
list(TRANSFORM HPCX_GPU_HOST_SOURCES PREPEND "${CMAKE_CURRENT_LIST_DIR}/")
list(TRANSFORM HPCX_GPU_DEVICE_SOURCES PREPEND "${CMAKE_CURRENT_LIST_DIR}/")
