#pragma once

#include <string>
#include <string_view>

namespace hpcx::host {

/// The BLAS that calls of this process reach.
struct BlasInfo {
  std::string name = "CBLAS";  ///< "OpenBLAS", "MKL", "BLIS"; "CBLAS" for any that gives no name
  std::string version;         ///< "0.3.21"; may be empty
  std::string kernel;          ///< "SkylakeX", "skx", "AVX-512"; may be empty
  std::string threading;  ///< "sequential", "pthread", "OpenMP", "threads unknown"; may be empty
  std::string library;    ///< file that defines cblas_dgemm; may be empty
  bool selects_at_start = false;  ///< picks its kernel when loaded; heeds OPENBLAS_CORETYPE
};

/// Asks the library that cblas_dgemm belongs to through whatever symbols it has, so that any CBLAS
/// may be linked, or brought in by LD_PRELOAD.
BlasInfo blas_info();

/// The function of that name in the library that cblas_dgemm belongs to; null if it has none.
void* blas_function(const char* name);

/// Calls of this thread use one thread each from now on, if their library can be asked for that.
/// The number of threads belongs to the process in some libraries and to the calling thread in
/// others.
void use_one_blas_thread();

/// Fills name, version and selects_at_start from openblas_get_config(), e.g.
/// "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH NO_AFFINITY SkylakeX MAX_THREADS=64".
void parse_openblas_config(std::string_view config, BlasInfo& info);

}  // namespace hpcx::host
