#include "hpl/machine/host/launch.h"

#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <initializer_list>
#include <utility>

#include <fmt/format.h>

#include "hpcx/thread.h"
#include "hpl/base/error/error.h"
#include "hpl/base/text/text_value.h"

namespace hpl {
namespace {

/// Fewer are too few for any MPI library: sockets, pipes and shared memory of all ranks of a node.
constexpr rlim_t kFewFiles = 256;
/// With fewer hardly any starts: some crash, others give the launcher an exit code of their own.
constexpr rlim_t kLeastFiles = 20;
/// It starts some of its own, and programs that help it.
constexpr std::int64_t kFewThreads = 16;

/// The first of the variables with a number, and that number.
std::pair<std::string_view, int> first_of(std::initializer_list<const char*> names,
                                          const EnvironmentLookup& lookup, int least) {
  for (const char* const name : names) {
    const auto value = parse_integer(lookup(name).value_or(""));
    if (value && *value >= least && *value < 1'000'000'000) return {name, static_cast<int>(*value)};
  }
  return {{}, least};
}

}  // namespace

Launch launch(const EnvironmentLookup& environment) {
  // The tasks of `srun --pty` are shells: a program that is started in one is none of them.
  const EnvironmentLookup lookup = [&](const char* name) {
    const bool of_a_shell =
        std::string_view(name).starts_with("SLURM_") && environment("SLURM_PTY_PORT");
    return of_a_shell ? std::nullopt : environment(name);
  };
  const auto [counted_by, ranks] =
      first_of({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}, lookup, 1);
  const auto [numbered_by, rank] =
      first_of({"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"}, lookup, 0);
  const int on_host = first_of({"SLURM_LOCALID", "OMPI_COMM_WORLD_LOCAL_RANK", "PMIX_LOCAL_RANK",
                                "MPI_LOCALRANKID", "PALS_LOCAL_RANKID"},
                               lookup, 0)
                          .second;
  return {.rank = rank,
          .ranks = ranks,
          .rank_on_host = on_host,
          .counted_by = counted_by,
          .numbered_by = numbered_by};
}

std::optional<std::string> foreign_launcher(const Launch& launch, int ranks_of_mpi,
                                            std::string_view mpi) {
  if (ranks_of_mpi > 1 || (launch.ranks == 1 && launch.rank == 0)) return std::nullopt;
  const std::string others =
      launch.ranks > 1 ? fmt::format("{} counts {} processes", launch.counted_by, launch.ranks)
                       : fmt::format("{} is {}", launch.numbered_by, launch.rank);
  return fmt::format(
      "{}, but {}, the MPI of this xhpl, makes a job of each process; take the launcher of that "
      "MPI (xhpl launch --launcher FILE), or srun with a fitting --mpi",
      others, mpi);
}

std::string machine_name() {
  std::array<char, 256> name{};
  if (gethostname(name.data(), name.size() - 1) != 0) return "this machine";
  return name.data();
}

void require_files_to_start() {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < kLeastFiles)
    throw RunError("MPI cannot start; only {} files may be open (ulimit -n)", files.rlim_cur);
}

std::vector<std::string> obstacles_to_start(const EnvironmentLookup& lookup) {
  std::vector<std::string> found;
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < kFewFiles)
    found.push_back(fmt::format("only {} files may be open (ulimit -n)", files.rlim_cur));
  if (!lookup("PATH")) found.emplace_back("PATH is empty");
  const hpcx::ThreadLimits threads = hpcx::thread_limits();
  if (const auto left = hpcx::threads_left(threads); left && *left < kFewThreads)
    found.push_back("few threads: " + hpcx::describe(threads));
  return found;
}

}  // namespace hpl
