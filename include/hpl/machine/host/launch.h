#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hpl/machine/host/environment.h"

namespace hpl {

/// The launcher's knowledge of this process, before MPI starts.
struct Launch {
  int rank = 0;
  int ranks = 1;
  int rank_on_host = 0;            ///< among the ranks of its host; 0 if no variable has it
  std::string_view counted_by{};   ///< the variable that holds `ranks`; empty: none
  std::string_view numbered_by{};  ///< the variable that holds `rank`; empty: none
};
/// From the variables of Open MPI, PMIx, PMI and Slurm; a process that was started alone has none.
Launch launch(const EnvironmentLookup& lookup = environment_value);

/// The message for a launcher of another MPI, under which each of several processes is a job of one
/// rank; empty if MPI counts several ranks, or the launcher one. A rank above 0 has a rank 0 beside
/// it, even if no variable counts them (prterun). `mpi`: name of the MPI of this program.
std::optional<std::string> foreign_launcher(const Launch& launch, int ranks_of_mpi,
                                            std::string_view mpi);

/// Name of this machine.
std::string machine_name();

/// Throws RunError where so few files may be open that no MPI library starts: called before one
/// tries, since a library may crash instead of saying so.
void require_files_to_start();

/// Frequent reasons for which an MPI library does not start, as far as they hold here: "only 16
/// files may be open (ulimit -n)".
std::vector<std::string> obstacles_to_start(const EnvironmentLookup& lookup = environment_value);

}  // namespace hpl
