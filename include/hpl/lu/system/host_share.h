#pragma once

#include <functional>
#include <optional>
#include <string>

#include "hpl/lu/schedule/work_division.h"
#include "hpl/lu/system/linear_system.h"

namespace hpl {

/// Measures products of a run by device and host, while columns of the matrix that live in host
/// memory are copied both ways as in a run; empty where there are none on this rank. Leaves the
/// matrix as it is. Takes about a second, and device memory that the run's workspaces take later.
std::optional<HybridRates> measure_hybrid(hpcx::Device& device, hpcx::Device& host,
                                          const DistributedMatrix& matrix,
                                          const StageStreams& streams);

/// The load of a run on a rank of this shape whose host takes no part. Pure.
HybridLoad hybrid_load(const LocalShape& shape, const SchedulePolicy& schedule);

/// The host's share of a run follows from these.
struct HostShareBasis {
  std::optional<double> wanted;  ///< the share asked for; empty: by rates
  int grid_rows = 1;
  HybridLoad load;  ///< of this rank
  std::function<std::optional<HybridRates>()> measure;
};

struct SettledHostShare {
  HostShare share;
  std::string remark;  ///< on a share of nothing, with which the host takes no part
};

/// The host's share of the updates of a run in which it is to take part: the one asked for, else by
/// measured rates, the same on all ranks: the least of all. With one process row the share follows
/// the run. Collective over `ranks`.
SettledHostShare settle_host_share(const mpi::Communicator& ranks, const HostShareBasis& basis);

}  // namespace hpl
