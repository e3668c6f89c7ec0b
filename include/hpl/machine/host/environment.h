#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hpcx/device.h"
#include "hpl/machine/host/blas.h"

namespace hpl {

/// Set (to 1) in the environment of a program that has started itself again, so that it does so at
/// most once. Users set it to forbid the restart.
inline constexpr const char* kRestartVariable = "HPL_REEXEC";

/// Holds the kernel that OpenBLAS had picked when the program chose another.
inline constexpr const char* kPickedKernelVariable = "HPL_BLAS_PICKED";

/// Value of an environment variable; empty when it is unset or the empty string.
std::optional<std::string> environment_value(const char* name);

/// Gives the value of an environment variable, see environment_value().
using EnvironmentLookup = std::function<std::optional<std::string>(const char* name)>;

/// Variables to set before the libraries load: one thread per BLAS call (the program's threads are
/// the parallelism), the kernel that fits the machine, and what devices want. A variable that the
/// user has set is never in it. Empty when nothing is to be done or the program has been restarted
/// already.
std::vector<std::pair<std::string, std::string>> missing_environment(
    const EnvironmentLookup& lookup, const BlasInfo& blas, const CpuFeatures& features,
    const std::vector<hpcx::EnvironmentVariable>& devices = {});

/// First statement of main(), before MPI_Init and before any thread: sets what
/// missing_environment() says and starts the program again in the same process (execv), because
/// BLAS and OpenMP read these variables when they load. Returns in the process that is to go on: at
/// once when nothing is missing, or when the restart is impossible, which leaves a slower run, not
/// a wrong one. Process number, standard streams and the launcher's variables survive.
void ensure_environment(int argc, char** argv);

}  // namespace hpl
