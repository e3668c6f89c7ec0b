# The panel solver's part of the sources in sources.cmake.
list(APPEND HPCX_GPU_HOST_SOURCES panel_factorizer.cpp panel_solver.cpp)
list(APPEND HPCX_GPU_DEVICE_SOURCES panel_kernel.cu)
