#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "hpcx/blas_library.h"
#include "hpl/machine/host/memory.h"
#include "hpl/machine/host/processor.h"

namespace hpl {

using hpcx::host::blas_info;
using hpcx::host::BlasInfo;

/// OpenBLAS asks the system for the buffer of a thread until it gets one: under a limit that is too
/// low it waits for ever. Where this process has a limit (`left`), takes the buffers of `threads`
/// threads for good. Throws RunError when they do not fit. Called before any thread uses the BLAS.
void claim_blas_buffers(int threads, const std::optional<MemoryBound>& left);

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
/// asked for it, or the library cannot do better. Empty when all is well. Of libraries other than
/// OpenBLAS, a kernel without AVX2 where the machine has it is below.
std::optional<std::string> kernel_warning(const BlasInfo& info, const KernelChoice& choice,
                                          const CpuFeatures& features);

/// A look: the processor time of the other threads of the process, as a share of that of this one.
using ShareOfOthers = std::function<double()>;
/// Other threads work for a call: in each look they take half of its time, and more than without
/// calls, since MPI and drivers may have a busy thread. Helpers, and threads of a library that was
/// loaded just now, spin for a while: if the first look shows any, the others follow a pause.
bool has_helpers(const ShareOfOthers& without_call, const ShareOfOthers& during_call,
                 const std::function<void()>& pause);

/// A warning when a product of one call is made by several threads, in spite of the library's
/// switch. Empty when all is well. Takes 30 ms; no other thread may be computing.
std::optional<std::string> threads_warning(const BlasInfo& info);

}  // namespace hpl
