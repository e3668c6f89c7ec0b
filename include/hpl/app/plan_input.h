#pragma once

#include <string>
#include <utility>

#include "hpl/base/error.h"
#include "hpl/config/hpl_dat.h"
#include "hpl/config/options.h"
#include "hpl/mpi/communicator.h"

namespace hpl {

/// Does on rank 0 what files are needed for: its ConfigError becomes the same on every rank.
/// Collective over world.
template <class Action>
auto on_rank_0(const mpi::Communicator& world, Action&& action) {
  decltype(action()) value{};
  std::string error;
  if (world.rank() == 0) {
    try {
      value = action();
    } catch (const ConfigError& e) {
      error = e.what();
    }
  }
  error = world.broadcast(error, 0);
  if (!error.empty()) throw ConfigError(error);
  return value;
}

/// The values that HPL.dat, or the file that --dat names, and the flags give, and the name of the
/// file; empty where the flags stand for it. Lists of N, P and Q that are to be chosen are empty.
/// Collective over world; throws ConfigError, the same on every rank.
std::pair<std::string, HplDat> read_plan_input(const mpi::Communicator& world,
                                               const Options& options);

}  // namespace hpl
