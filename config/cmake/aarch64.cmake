# Cross-compiles for 64-bit Arm with Debian's compiler, against the libraries that scripts/test --arch aarch64 unpacks, and
# runs tests in QEMU's emulator.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_CXX_FLAGS_INIT -Wno-psabi)  # notes about compilers before GCC 10
cmake_path(SET CMAKE_SYSROOT NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../../build/aarch64-sysroot")
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

# Alternatives, which packages choose when they are installed, are named here.
set(libraries "${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu")
set(ENV{PKG_CONFIG_SYSROOT_DIR} "${CMAKE_SYSROOT}")
set(ENV{PKG_CONFIG_LIBDIR} "${libraries}/pkgconfig:${libraries}/openblas-pthread/pkgconfig")
set(MPI_CXX_COMPILER "${CMAKE_SYSROOT}/mpicxx")
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static -L "${CMAKE_SYSROOT}"
  -E "LD_LIBRARY_PATH=${libraries}:${libraries}/openblas-pthread:${CMAKE_SYSROOT}/lib/aarch64-linux-gnu")
