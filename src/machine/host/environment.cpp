#include "hpl/machine/host/environment.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

namespace hpl {

std::optional<std::string> environment_value(const char* name) {
  const char* const value = std::getenv(name);
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

std::vector<std::pair<std::string, std::string>> missing_environment(
    const EnvironmentLookup& lookup, const BlasInfo& blas, const CpuFeatures& features,
    const std::vector<hpcx::EnvironmentVariable>& devices) {
  std::vector<std::pair<std::string, std::string>> missing;
  if (lookup(kRestartVariable)) return missing;
  for (const auto* name :
       {"OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"}) {
    if (!lookup(name)) missing.emplace_back(name, "1");
  }
  if (blas.selects_at_start && !lookup("OPENBLAS_CORETYPE")) {
    if (const auto better = better_core_type(blas.kernel, features)) {
      missing.emplace_back("OPENBLAS_CORETYPE", *better);
      missing.emplace_back(kPickedKernelVariable, blas.kernel);
    }
  }
  for (const auto& [name, value] : devices) {
    if (!lookup(name.c_str())) missing.emplace_back(name, value);
  }
  if (!missing.empty()) missing.emplace_back(kRestartVariable, "1");
  return missing;
}

void ensure_environment(int argc, char** argv) {
  const auto missing = missing_environment(environment_value, blas_info(), cpu_features(),
                                           hpcx::wanted_environment());
  if (missing.empty() || argc < 1) return;
  for (const auto& [name, value] : missing)
    ::setenv(name.c_str(), value.c_str(), 1);
  // By its own name, so that process lists do not show "exe".
  std::error_code unknown;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", unknown);
  if (!unknown) ::execv(program.c_str(), argv);
  // Only a failure comes back. What this process has not used is not to be reported as chosen.
  ::unsetenv("OPENBLAS_CORETYPE");
  ::unsetenv(kPickedKernelVariable);
}

}  // namespace hpl
