#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hpcx/device.h"
#include "hpl/comm/mpi/communicator.h"
#include "hpl/job/setup/run_settings.h"
#include "hpl/lu/matrix/distributed_matrix.h"
#include "hpl/lu/pipeline/stage_streams.h"
#include "hpl/lu/schedule/work_division.h"

namespace hpl {

/// Measures products of a run by device and host, while columns of `matrix` that live in host
/// memory are copied both ways as in a run; empty where there are none on this rank. Leaves the
/// matrix as it is. Takes about a second, and device memory that the run's workspaces take later.
std::optional<HybridRates> measure_hybrid(hpcx::Device& device, hpcx::Device& host,
                                          const DistributedMatrix& matrix,
                                          const StageStreams& streams);

/// What a run does on a rank of this shape, if its host takes no part. Pure.
HybridLoad hybrid_load(const LocalShape& shape, const SchedulePolicy& schedule);

/// Fills in the host's share of the updates of a run in which it is to take part: the one asked
/// for, else by measured rates, the same on all ranks: the least of all. `load`: of this rank.
/// Where that is nothing the host takes no part, and `remarks` says so. With one process row the
/// share follows the run. Collective over `ranks`.
void settle_host_share(RunSettings& settings, const mpi::Communicator& ranks, int grid_rows,
                       const HybridLoad& load,
                       const std::function<std::optional<HybridRates>()>& measure,
                       std::vector<std::string>& remarks);

}  // namespace hpl
