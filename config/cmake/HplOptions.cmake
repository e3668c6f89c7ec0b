# Every switch of the build, in one place.
option(HPL_BUILD_TESTS "Build the tests" ON)
option(HPL_LAB "Build the laboratory (lab/): xhpl-gemm and the benches" OFF)
option(HPL_WARNINGS_AS_ERRORS "Treat warnings as errors" OFF)
set(HPL_CUDA "AUTO" CACHE STRING "CUDA back end: AUTO, ON or OFF")
set(HPL_HIP "OFF" CACHE STRING "HIP back end: AUTO, ON, OFF, or NVIDIA (for tests: its sources on an NVIDIA GPU)")
set(HPL_BLAS "AUTO" CACHE STRING "BLAS: AUTO (OpenBLAS, otherwise any), OpenBLAS, BLIS, MKL, AOCL, ArmPL, NVPL, FlexiBLAS, another vendor that FindBLAS of CMake names, or the files of a CBLAS with 32-bit integers")
set_property(CACHE HPL_CUDA PROPERTY STRINGS AUTO ON OFF)
set_property(CACHE HPL_HIP PROPERTY STRINGS AUTO ON OFF NVIDIA)
# Sources of a library that are compiled at once read their headers once: half of the time of a build.
option(CMAKE_UNITY_BUILD "Compile eight sources of a library at once" ON)
set(HPL_SANITIZE "" CACHE STRING "Sanitizers, e.g. address;undefined or thread")

# A compiler cache keeps objects that were made without them: it cannot see into a precompiled header, and asks for
# leniency before it caches what was made with one.
set(precompile ON)
if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache")
  set(precompile OFF)
endif()
option(HPL_PRECOMPILED_HEADERS "Precompile headers of libraries; off by default behind ccache or sccache" ${precompile})

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# Optimised builds keep assertions of the standard library out, but never IEEE semantics:
# pivot search and residual compare exactly. Debug information doubles the time of a build and makes programs five
# times as large: RelWithDebInfo asks for it.
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O3 -g -DNDEBUG")
# Sanitized builds optimise what computes: unoptimised, tests of devices take several times as long.
set(HPL_OPTIMISED "$<OR:$<CONFIG:Release,RelWithDebInfo>,$<BOOL:${HPL_SANITIZE}>>")

add_library(hpl_warnings INTERFACE)
target_compile_options(hpl_warnings INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall -Wextra -Wshadow -Wconversion -Wno-sign-conversion
  -Wno-missing-field-initializers>  # designated initialisers leave defaults out on purpose
  $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>  # g++ 12 misjudges string concatenation
  $<$<COMPILE_LANG_AND_ID:CXX,Clang>:-Wno-string-conversion -Wno-shadow>)  # HPL_ASSERT(!"why"); names of other sources of a unity build
if(HPL_WARNINGS_AS_ERRORS)
  target_compile_options(hpl_warnings INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Werror>)
endif()

# What everything is built with that belongs to the program or a test.
add_library(hpl_build_flags INTERFACE)
target_link_libraries(hpl_build_flags INTERFACE hpl_warnings)
if(HPL_SANITIZE)
  list(JOIN HPL_SANITIZE "," HPL_SANITIZE_FLAG)
  target_compile_options(hpl_build_flags INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fsanitize=${HPL_SANITIZE_FLAG} -fno-sanitize-recover=all -fno-omit-frame-pointer>)
  target_link_options(hpl_build_flags INTERFACE -fsanitize=${HPL_SANITIZE_FLAG})
  # Compilers do not agree on a macro.
  string(TOUPPER "${HPL_SANITIZE}" sanitizers)
  list(TRANSFORM sanitizers PREPEND "HPL_SANITIZE_")
  target_compile_definitions(hpl_build_flags INTERFACE ${sanitizers})
  # Debug information makes linking slow. What is released is linked by what its compiler prefers.
  include(CheckLinkerFlag)
  check_linker_flag(CXX -fuse-ld=mold HPL_HAS_MOLD)
  if(HPL_HAS_MOLD)
    target_link_options(hpl_build_flags INTERFACE -fuse-ld=mold)
  endif()
endif()

# What reads, writes and decides, but does not compute: optimising its templates takes longer than it ever runs.
add_library(hpl_words_flags INTERFACE)
set(level $<IF:$<BOOL:${HPL_SANITIZE}>,-O0,-Og>)
target_compile_options(hpl_words_flags INTERFACE $<$<AND:$<COMPILE_LANGUAGE:CXX>,${HPL_OPTIMISED}>:${level}>)
