#include "hpl/machine/host/versions.h"

#include <unistd.h>

#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "hpl/base/error/error.h"
#include "hpl/base/text/text_value.h"
#include "hpl/machine/host/blas.h"
#include "hpl/machine/host/build_commit.h"
#include "hpl/machine/host/cgroup.h"
#include "hpl/machine/host/memory.h"
#include "hpl/machine/host/topology.h"

namespace hpl {
namespace {

std::string memory_text() {
  try {
    const auto memory = available_memory();
    constexpr double kGibi = 1024.0 * 1024.0 * 1024.0;
    return fmt::format("{:.1f} GiB available ({})", static_cast<double>(memory.node.bytes) / kGibi,
                       memory.node.source);
  } catch (const RunError&) {
    return "unknown";
  }
}

std::string cores_text() {
  const auto available = available_cores().size();
  auto text = fmt::format("{} available to this process, {} of the host allowed", available,
                          allowed_core_count());
  if (const auto quota = cpu_quota()) {
    text += fmt::format(", control group allows {:.1f}", *quota);
  }
  return text;
}

}  // namespace

std::string program_version() {
  return HPL_VERSION;
}

ProgramInfo program_info(const std::string& name, const std::vector<std::string>& words,
                         const NamedValues& labels) {
  const std::string commit = build_commit == nullptr ? "" : build_commit();
  std::vector<std::string> all{name};
  all.insert(all.end(), words.begin(), words.end());
  return {.name = name,
          .version = program_version(),
          .commit = commit.empty() ? std::nullopt : std::optional(commit),
          .command = command_text(all),
          .labels = labels,
          .job = batch_job(),
          .started = zoned_now()};
}

std::optional<BatchJob> batch_job(const EnvironmentLookup& lookup) {
  constexpr std::array<std::pair<const char*, const char*>, 6> kSystems{
      {{"SLURM_JOB_ID", "Slurm"},
       {"PBS_JOBID", "PBS"},
       {"LSB_JOBID", "LSF"},
       {"FLUX_JOB_ID", "Flux"},
       {"COBALT_JOBID", "Cobalt"},
       {"JOB_ID", "Grid Engine"}}};
  for (const auto& [variable, system] : kSystems)
    if (const auto number = lookup(variable)) return BatchJob{system, *number};
  return std::nullopt;
}

std::string compiler_version() {
#if defined(__clang__)
  return fmt::format("Clang {}.{}.{}", __clang_major__, __clang_minor__, __clang_patchlevel__);
#elif defined(__GNUC__)
  return fmt::format("GCC {}.{}.{}", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#else
  return "unknown";
#endif
}

std::string host_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "unknown";
  return name_for_scheduler(name.data(), environment_value);
}

std::string name_for_scheduler(const std::string& own, const EnvironmentLookup& lookup) {
  const std::string slurm = lookup("SLURMD_NODENAME").value_or("");
  return !slurm.empty() && own.starts_with(slurm + ".") ? slurm : own;
}

std::string short_library_version(const std::string& text) {
  for (const auto line : split_lines(text)) {
    const auto first = trimmed(line.substr(0, line.find(',')));
    if (!first.empty()) return std::string(first);
  }
  return "unknown";
}

std::vector<std::pair<std::string, std::string>> version_lines(const BuildParts& parts) {
  const std::string not_built =
      parts.not_built.empty() ? ""
                              : fmt::format(" (not built: {})", fmt::join(parts.not_built, ", "));
  const ProgramInfo program = program_info("xhpl");
  return {{program.name,
           fmt::format("{}, commit {}", program.version, program.commit.value_or("unknown"))},
          {"compiler", compiler_version()},
          {"MPI", short_library_version(parts.mpi_library)},
          {"BLAS", describe_blas(blas_info(), kernel_choice())},
          {"back ends", fmt::format("{}{}", fmt::join(parts.back_ends, ", "), not_built)}};
}

std::vector<std::pair<std::string, std::string>> host_lines() {
  return {{"host", host_name()},
          {"processor", cpu_model()},
          {"cores", cores_text()},
          {"memory", memory_text()}};
}

}  // namespace hpl
