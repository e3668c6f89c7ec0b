#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "hpcx/device.h"
#include "hpl/check/findings/check_report.h"
#include "hpl/check/findings/node_links.h"
#include "hpl/comm/mpi/communicator.h"
#include "hpl/comm/mpi/environment.h"
#include "hpl/comm/transport/transport_choice.h"
#include "hpl/input/run_spec/run_spec.h"
#include "hpl/job/live/disturbed.h"
#include "hpl/lu/grid/grid_shape.h"
#include "hpl/machine/host/topology.h"

namespace hpl {

/// The means of a check.
struct PreflightSetup {
  CheckForm form = CheckForm::Full;
  /// The reference is there on all ranks or none, and has its content on world rank 0 alone.
  CheckRules rules{};
  double deep_seconds = 10;  ///< that the deep form may take beyond the full one, about
  hpcx::Device& device;
  hpcx::Device& host;  ///< the device itself where that is the CPU
  mpi::ThreadLevel thread_level = mpi::ThreadLevel::Single;
  int ranks_on_device = 1;  ///< if that is no CPU
  const RankCores& cores;   ///< of this rank
  bool bound = false;       ///< the compute threads are bound to them
  GridShape grid;           ///< its rows and columns are measured; at most all ranks
  RankOrder rank_order = RankOrder::RowMajor;
  std::vector<int> grid_ranks;                  ///< world ranks by their number in the grid
  std::optional<TransportKind> transport = {};  ///< that runs were asked for; empty: the fastest
  std::int64_t needed_bytes = 0;  ///< by the largest run on a rank; 0: no run is planned
  /// Called first, with what is expected of the full form.
  std::function<void(const CheckSize& size)> on_size;
  /// Called before each probe with its name, a literal.
  std::function<void(const char* probe)> on_probe;
  LoadReadings load = LoadReadings::of_this_host();
};

/// Measures all ranks at the same time and judges what they found. Complete on world rank 0.
/// Collective over `world`.
CheckReport run_preflight(const mpi::Communicator& world, const PreflightSetup& setup);

}  // namespace hpl
