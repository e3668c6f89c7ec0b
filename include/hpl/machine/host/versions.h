#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hpl/base/record/program_info.h"
#include "hpl/machine/host/environment.h"

namespace hpl {

/// Facts about the build that only other parts of the program know.
struct BuildParts {
  std::string mpi_library;  ///< MPI_Get_library_version, any number of lines
  std::vector<std::string>
      back_ends;  ///< device back ends of this executable, e.g. "cpu", "cuda 13.0"
  std::vector<std::string> not_built;  ///< the other back ends
};

/// Label and value, in the order in which --version prints them: xhpl, compiler, MPI, BLAS, back
/// ends. Opens with the program's own version.
std::vector<std::pair<std::string, std::string>> version_lines(const BuildParts& parts);

/// Label and value of the environment block of a report: host, processor, cores available to this
/// process, and memory. Tells about the calling process's host alone. Call it before threads are
/// bound.
std::vector<std::pair<std::string, std::string>> host_lines();

/// "0.1.0"
std::string program_version();

/// The program `name` of this build, started now, by `words` behind its name, for documents.
ProgramInfo program_info(const std::string& name, const std::vector<std::string>& words = {},
                         const NamedValues& labels = {});

/// The batch job that this process is part of, from the variables of Slurm, PBS, LSF, Flux, Grid
/// Engine and Cobalt.
std::optional<BatchJob> batch_job(const EnvironmentLookup& lookup = environment_value);

/// "GCC 12.2.0", "Clang 14.0.6"
std::string compiler_version();

/// The host's own name, or the shorter one by which Slurm knows it.
std::string host_name();

/// `own`, or where that is Slurm's name of the host with a domain behind it ("node01.cluster"), the
/// former: srun takes no other. A variable that came here from another host counts for nothing.
std::string name_for_scheduler(const std::string& own, const EnvironmentLookup& lookup);

/// The part of a library's version text that identifies it: "Open MPI v4.1.4, package: ..., 2022"
/// gives "Open MPI v4.1.4"; of several lines the first with a word in it.
std::string short_library_version(const std::string& text);

}  // namespace hpl
