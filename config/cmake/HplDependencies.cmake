# Libraries the program stands on. All are packages of Debian 12 and Ubuntu 24.04 (scripts/setup).
find_package(Threads REQUIRED)
set(MPI_CXX_SKIP_MPICXX ON)  # the C++ bindings, long gone from the standard
find_package(MPI REQUIRED COMPONENTS CXX)
find_package(fmt REQUIRED)
find_package(CLI11 REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(HWLOC REQUIRED IMPORTED_TARGET hwloc)

# OpenBLAS by preference: the program looks after its choice of kernel.
add_library(hpl_cblas INTERFACE)
set(OPENBLAS_FOUND OFF)  # in front of an earlier choice in the cache
if(HPL_BLAS MATCHES "^(AUTO|OpenBLAS|)$")
  pkg_check_modules(OPENBLAS IMPORTED_TARGET openblas)
endif()
if(OPENBLAS_FOUND)
  target_link_libraries(hpl_cblas INTERFACE PkgConfig::OPENBLAS)
  target_compile_definitions(hpl_cblas INTERFACE HPCX_HAVE_OPENBLAS)
else()
  include(HplBlas)
endif()

if(HPL_BUILD_TESTS)
  find_package(GTest REQUIRED)
endif()
