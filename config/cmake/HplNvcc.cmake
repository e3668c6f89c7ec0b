# NVIDIA's compiler, where it and cuBLAS are found (HPL_HAVE_NVCC), and its options (hpl_nvcc).
include(CheckLanguage)
if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX} AND EXISTS /usr/local/cuda/bin/nvcc)
  set(CMAKE_CUDA_COMPILER /usr/local/cuda/bin/nvcc)  # the toolkit does not put itself into PATH
endif()
check_language(CUDA)
if(CMAKE_CUDA_COMPILER)
  find_package(CUDAToolkit QUIET)
endif()
set(HPL_HAVE_NVCC OFF)
if(NOT CMAKE_CUDA_COMPILER OR NOT TARGET CUDA::cublas OR NOT TARGET CUDA::cudart_static)
  return()
endif()

# Machine code for A100 and H100/H200; newer chips compile the PTX of the latter at start.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 80-real 90)
endif()
enable_language(CUDA)
if(CMAKE_CUDA_COMPILER_VERSION VERSION_LESS 12)
  message(FATAL_ERROR "CUDA 12 or newer is needed, found ${CMAKE_CUDA_COMPILER_VERSION}; "
                      "HPL_CUDA=OFF builds without it.")
endif()

# CMake 3.25 does not know how to ask nvcc 13 for C++20: tell it.
if(NOT CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION "-std=c++20")
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION "-std=c++20")
endif()
set(CMAKE_CUDA_STANDARD 20)
set(HPL_HAVE_NVCC ON)

if(NOT TARGET hpl_nvcc)
  add_library(hpl_nvcc INTERFACE)
  target_link_libraries(hpl_nvcc INTERFACE CUDA::toolkit)
  # Relaxed constexpr lets kernels use the views' constexpr members; 554 warns of conversions that a
  # constraint switches off anyway.
  target_compile_options(hpl_nvcc INTERFACE
    $<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr -diag-suppress=554 -Xcompiler=-Wall,-Wextra>
    $<$<AND:$<COMPILE_LANGUAGE:CUDA>,$<NOT:$<CONFIG:Release>>>:-lineinfo>)
endif()
