#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "hpl/comm/mpi/communicator.h"
#include "hpl/input/hpl_dat/hpl_dat.h"

namespace hpl {

/// Returns when no rank has a complaint, else throws ConfigError with that of the lowest rank, the
/// same on every rank. Collective over world.
void refuse_together(const mpi::Communicator& world, const std::optional<std::string>& complaint);

/// Throws ConfigError, the same on every rank, when the ranks of a job were started with different
/// arguments: they would not run the same thing. Names the lowest rank that differs from rank 0,
/// and the first argument. Collective over world.
void require_same_arguments(const mpi::Communicator& world, int argc, const char* const* argv);

/// Rank 0 has read `dat` from `path`; other ranks that have such a file must find the same in it,
/// else somebody believes in another run than the one that is made. A rank without the file takes
/// rank 0's word. Throws ConfigError, the same on every rank, with rank, host, line and field.
/// Collective over world.
void require_same_file(const mpi::Communicator& world, const HplDat& dat,
                       const std::filesystem::path& path);

}  // namespace hpl
