#pragma once

#include <string>
#include <utility>

#include "hpl/comm/mpi/communicator.h"
#include "hpl/input/command_line/options.h"
#include "hpl/input/hpl_dat/hpl_dat.h"

namespace hpl {

/// The values that HPL.dat, or the file that --dat names, and the flags give, and the name of the
/// file; empty where the flags stand for it. Lists of N, P and Q that are to be chosen are empty.
/// Collective over world; throws ConfigError, the same on every rank.
std::pair<std::string, HplDat> read_plan_input(const mpi::Communicator& world,
                                               const Options& options);

}  // namespace hpl
