#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "hpcx/device.h"
#include "hpl/comm/mpi/communicator.h"
#include "hpl/input/run_spec/run_spec.h"
#include "hpl/lu/grid/grid_shape.h"
#include "hpl/machine/model/rates.h"

namespace hpl {

/// The means by which rates are measured.
struct RateSetup {
  hpcx::Device& device;
  hpcx::Device& host;                   ///< the device itself where that is the CPU
  std::optional<MixedSpec> mixed = {};  ///< the rates are those of HPL-MxP's operations
  GridShape grid;                       ///< of all ranks: whose rows and columns exchange messages
  RankOrder rank_order = RankOrder::RowMajor;
  std::int64_t solve_rows = 96;           ///< see PipelineSettings
  int panel_compute_units = 0;            ///< of a device panel beside products
  bool pivots_by_host = false;            ///< devices agree on pivots through their hosts alone
  std::int64_t narrow_panel_columns = 0;  ///< see PipelineSettings
  std::int64_t memory_bytes = 0;          ///< that a rank may take
  /// Called before each probe with its name, a literal.
  std::function<void(const char* probe)> on_probe;
};

/// Measures what the performance model needs, on all ranks at the same time, in one or two minutes.
/// Medians of the ranks; complete on every rank. Collective over `world`, which has exactly the
/// ranks of the grid.
Rates measure_rates(const mpi::Communicator& world, const RateSetup& setup);

}  // namespace hpl
