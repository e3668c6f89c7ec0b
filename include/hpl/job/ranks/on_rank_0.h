#pragma once

#include <string>

#include "hpl/base/error/error.h"
#include "hpl/comm/mpi/communicator.h"

namespace hpl {

/// Runs `action` on rank 0 and returns its value there, a default value elsewhere. A ConfigError of
/// rank 0 (files) becomes the same error on every rank. Collective over `world`.
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

}  // namespace hpl
