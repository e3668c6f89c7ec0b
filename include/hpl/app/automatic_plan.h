#pragma once

#include "hpl/app/machine.h"
#include "hpl/config/hpl_dat.h"
#include "hpl/config/options.h"

namespace hpl {

/// Fills what `dat` leaves open (N, NB, P, Q) with what suits the machine: P x Q of all ranks, NB
/// by the processor, N by memory and, unless --mem-fraction asks for more, by time. Collective over
/// `world`: it measures the DGEMM rate. Says what it chose and why in dat.remarks.
HplDat complete_plan(HplDat dat, const mpi::Communicator& world, const Machine& machine,
                     const Options& options);

}  // namespace hpl
