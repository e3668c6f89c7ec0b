#pragma once

#include "hpl/comm/mpi/communicator.h"
#include "hpl/tune/search/tune_search.h"

namespace hpl {

/// A trial that rank 0 has chosen, for all ranks.
struct TuneCommand {
  bool end = false;
  TuneRequest request;
};

/// That of rank 0, on every rank. Collective.
TuneCommand broadcast(const mpi::Communicator& world, TuneCommand command);

}  // namespace hpl
