#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "hpl/machine/host/memory.h"
#include "hpl/machine/host/processor.h"

namespace hpl {

/// The BLAS that calls of this process reach.
struct BlasInfo {
  std::string name = "CBLAS";  ///< "OpenBLAS", "MKL", "BLIS"; "CBLAS" for any that gives no name
  std::string version;         ///< "0.3.21"; may be empty
  std::string kernel;  ///< core type in use, e.g. "SkylakeX"; empty where the library does not tell
  std::string threading;          ///< "sequential", "pthread", "OpenMP"; may be empty
  std::string library;            ///< file that defines cblas_dgemm; may be empty
  bool selects_at_start = false;  ///< picks its kernel when loaded; heeds OPENBLAS_CORETYPE
};

/// Asks the library that cblas_dgemm belongs to through whatever symbols it has, so that any CBLAS
/// may be linked, or brought in by LD_PRELOAD.
BlasInfo blas_info();

/// OpenBLAS asks the system for the buffer of a thread until it gets one: under a limit that is too
/// low it waits for ever. Where this process has a limit (`left`), takes the buffers of `threads`
/// threads for good. Throws RunError when they do not fit. Called before any thread uses the BLAS.
void claim_blas_buffers(int threads, const std::optional<MemoryBound>& left);

/// Fills name, version and selects_at_start from openblas_get_config(), e.g.
/// "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH NO_AFFINITY SkylakeX MAX_THREADS=64".
void parse_openblas_config(std::string_view config, BlasInfo& info);

/// The core type to ask OpenBLAS for when kernel, its own choice, uses narrower vectors than the
/// machine offers: older versions do not know newer processors and fall back to SSE ("Prescott"), a
/// sixth of an AVX-512 machine. Empty when the choice is good, or not ours to judge (unknown names,
/// other architectures, AMD's own kernels).
std::optional<std::string> better_core_type(std::string_view kernel, const CpuFeatures& features);

/// The reason for the kernel in use.
struct KernelChoice {
  std::string requested;          ///< OPENBLAS_CORETYPE; empty when unset
  bool by_program = false;        ///< requested was set by ensure_environment()
  std::string picked_by_library;  ///< when by_program: what the library had picked by itself
};
KernelChoice kernel_choice();

/// E.g. "OpenBLAS 0.3.21, kernel SkylakeX (chosen by xhpl; the library had picked Prescott),
/// pthread"; "CBLAS of /usr/lib/libblas.so.3" of one that gives no name.
std::string describe_blas(const BlasInfo& info, const KernelChoice& choice);

/// A warning for the report when the kernel in use is below the machine all the same: the user
/// asked for it, or the library cannot do better. Empty when all is well.
std::optional<std::string> kernel_warning(const BlasInfo& info, const KernelChoice& choice,
                                          const CpuFeatures& features);

}  // namespace hpl
