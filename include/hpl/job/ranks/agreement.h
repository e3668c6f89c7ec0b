#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <type_traits>
#include <variant>

#include "hpl/base/error/error.h"
#include "hpl/comm/mpi/communicator.h"
#include "hpl/input/hpl_dat/hpl_dat.h"

namespace hpl {

/// Runs `action` on rank 0 and returns its value there, if any, a default value elsewhere. A
/// ConfigError of rank 0 (files) becomes the same error on every rank. Collective over `world`.
template <class Action>
auto on_rank_0(const mpi::Communicator& world, Action&& action) {
  using Value = decltype(action());
  std::conditional_t<std::is_void_v<Value>, std::monostate, Value> value{};
  std::string error;
  if (world.rank() == 0) {
    try {
      if constexpr (std::is_void_v<Value>)
        action();
      else
        value = action();
    } catch (const ConfigError& e) {
      error = e.what();
    }
  }
  error = world.broadcast(error, 0);
  if (!error.empty()) throw ConfigError(error);
  if constexpr (!std::is_void_v<Value>) return value;
}

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
