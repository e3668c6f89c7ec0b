#pragma once

#include <string>
#include <vector>

#include "hpl/machine/host/environment.h"

namespace hpl {

/// What the launcher says about this process before MPI can.
struct Launch {
  int rank = 0;
  int ranks = 1;
};
/// From the variables of Open MPI, PMIx, PMI and Slurm; a process that was started alone has none.
Launch launch(const EnvironmentLookup& lookup = environment_value);

/// Name of this machine.
std::string machine_name();

/// Throws RunError where so few files may be open that no MPI library starts: called before one
/// tries, since a library may crash instead of saying so.
void require_files_to_start();

/// What often keeps an MPI library from starting, as far as it holds here: "only 16 files may be
/// open (ulimit -n)". Empty where nothing of it does.
std::vector<std::string> obstacles_to_start(const EnvironmentLookup& lookup = environment_value);

}  // namespace hpl
