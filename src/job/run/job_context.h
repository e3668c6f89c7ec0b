#pragma once

#include "hpl/comm/mpi/communicator.h"
#include "hpl/input/command_line/options.h"
#include "hpl/job/failure/watchdog.h"
#include "hpl/job/setup/machine.h"
#include "hpl/machine/model/rates.h"

namespace hpl {

/// What every part of a job works with.
struct JobContext {
  const mpi::Communicator& world;
  const Machine& machine;
  const Options& options;
  Watchdog& watchdog;
  const Rates* rates = nullptr;  ///< of this machine; null: unknown

  bool root() const { return world.rank() == 0; }
  bool gpu() const { return machine.kind() == ProcessorKind::Gpu; }
};

}  // namespace hpl
