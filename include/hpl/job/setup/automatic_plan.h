#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hpl/input/command_line/options.h"
#include "hpl/input/hpl_dat/hpl_dat.h"
#include "hpl/job/setup/machine.h"
#include "hpl/job/setup/run_settings.h"
#include "hpl/job/setup/time_estimate.h"
#include "hpl/lu/grid/node_tiles.h"

namespace hpl {

/// What the job knows about ranks, nodes and the tile that the ranks of a node form in the grid.
struct Layout {
  NodeMap nodes;
  std::optional<GridShape> tile;

  /// Number of a rank of the job among those of a run's grid; empty without a part in it.
  std::optional<int> number_in_grid(int rank, const RunSpec& spec) const;
};

/// The tile that -p and -q ask for, if any. Collective over world: it looks which ranks share a
/// node. Throws ConfigError, the same on every rank.
Layout find_layout(const mpi::Communicator& world, const Options& options);

/// Fills P and Q of all ranks where `dat` leaves them open, and the tile of the nodes where several
/// of them have GPUs. Says what it chose and why in dat.remarks. Throws ConfigError where tiles do
/// not fit any of the grids.
HplDat complete_grid(HplDat dat, Layout& layout, const Machine& machine);

/// The runs of a complete `dat`, as the options want them.
std::vector<RunSpec> planned_runs(const HplDat& dat, const Options& options);

/// Share of the memory that a run takes unless the user says otherwise.
inline constexpr double kDefaultMemoryFraction = 0.8;

/// What N is chosen by.
struct OrderWish {
  std::vector<RunSpec> runs;              ///< that are to have it; their own orders do not count
  std::vector<RunSettings> settings;      ///< of each
  std::int64_t block_size = 1;            ///< N is to be a multiple of it
  MemoryBounds memory;                    ///< of each rank
  std::optional<double> memory_fraction;  ///< as the user gave it; then the time does not count
  TimeEstimate estimate;                  ///< unknown: memory alone decides
  double seconds = 40;                    ///< wanted duration of the timed part
};

struct OrderChoice {
  std::int64_t order = 0;  ///< 0: not even one block fits
  std::string why;
};

/// The largest N with which all of the runs fit into the wanted share of the memory, by the same
/// account that judges them, unless a smaller one already takes the wanted time. Pure.
OrderChoice choose_order(const OrderWish& wish, const hpcx::Device& device);

/// Fills what `dat` leaves open (N, NB) with what suits the machine: NB
/// by the processor, N by memory and, unless --mem-fraction asks for more, by time. Collective over
/// `world`: it measures the DGEMM rate where no `rates` (may be null) are known. Says what it chose
/// and why in dat.remarks.
HplDat complete_plan(HplDat dat, const mpi::Communicator& world, const Machine& machine,
                     const Options& options, const Rates* rates);

}  // namespace hpl
