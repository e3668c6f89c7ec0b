#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "hpl/input/command_line/options.h"
#include "hpl/input/hpl_dat/hpl_dat.h"
#include "hpl/job/ranks/machine.h"
#include "hpl/lu/grid/node_tiles.h"
#include "hpl/machine/decide/decide.h"
#include "hpl/plan/time_estimate.h"

namespace hpl {

/// The job's ranks, nodes and the tile that the ranks of a node form in the grid.
struct RankLayout {
  NodeMap nodes;
  std::optional<GridShape> tile;

  /// Number of a rank of the job among those of a run's grid; empty without a part in it.
  std::optional<int> number_in_grid(int rank, const RunSpec& spec) const;
  /// The ranks of the job that have a part in a run's grid, by their number there.
  std::vector<int> ranks_of(const RunSpec& spec) const;
};

/// The tile that --node-rows and --node-columns ask for, if any. Collective over world: it looks
/// which ranks share a node. Planned ranks fill one node after the other. Throws ConfigError, the
/// same on every rank.
RankLayout find_layout(const mpi::Communicator& world, const JobResources& resources,
                       const Options& options);

/// The layout of ranks on the grid of a run that `xhpl tune` makes or proposes, or of `xhpl rates`:
/// by the tile that was asked for, or that suits the nodes. Throws ConfigError if the grid has no
/// room for it.
RankLayout lay_out(RankLayout found, const RunSpec& spec, ProcessorKind kind);

/// Whether ranks may stay without a part in a chosen grid.
enum class IdleRanks { None, WhereFaster };

/// A grid that the performance model chose.
struct ModelGrid {
  GridShape grid;
  std::string rates;  ///< "the rates of --rates", "the data sheet of NVIDIA H200"
};

/// The choice of a grid that `dat` leaves open.
struct GridChoice {
  IdleRanks idle = IdleRanks::None;
  std::optional<ModelGrid> by_model{};  ///< empty: no rates are known
};

/// Fills P and Q where `dat` leaves them open, by the model, else by choose_grid_of_most() or
/// choose_grid(), and the tile of the nodes where several of them have GPUs. Says what it chose and
/// why in dat.chosen. Throws ConfigError where tiles do not fit any of the grids.
HplDat complete_grid(HplDat dat, RankLayout& layout, ProcessorKind kind, const GridChoice& choice);

/// The runs of a complete `dat`, as the options want them on such a device.
std::vector<RunSpec> planned_runs(const HplDat& dat, const Options& options, ProcessorKind kind);

/// Share of the memory that a run takes unless the user says otherwise.
inline constexpr double kDefaultMemoryFraction = 0.8;

/// The duration of the timed part, seconds, for which N is chosen. Pure.
double wanted_seconds(const Options& options);

/// The input of the choice of N.
struct OrderWish {
  std::vector<RunSpec> runs;  ///< that are to have it; their own orders do not count
  Facts facts;
  Wishes wishes;
  std::int64_t block_size = 1;            ///< N is to be a multiple of it
  std::optional<double> memory_fraction;  ///< as the user gave it; then the time does not count
  TimeEstimate estimate{};                ///< unknown: memory alone decides
  double seconds = 40;                    ///< see wanted_seconds()
};

struct OrderChoice {
  std::int64_t order = 0;  ///< 0: not even one block fits
  std::string why;
};

/// The largest N with which all of the runs fit into the wanted share of the memory, by the same
/// account that judges them, unless a smaller one already takes the wanted time. Pure.
OrderChoice choose_order(const OrderWish& wish);

/// Makes the links between the devices of a run's grid, which the run then uses. Returns the device
/// memory that they have taken, the most of a rank; empty: the device has none of its own.
/// Collective over the world. Throws the ConfigError of a transport on all ranks.
using LinkMaker = std::function<std::optional<std::int64_t>(
    const RankLayout& layout, const RunSpec& spec, const RunSettings& settings)>;

/// The input of a plan.
struct PlanContext {
  const mpi::Communicator& world;
  const Machine& machine;
  const Options& options;
  const Rates* rates = nullptr;  ///< of the machine; null: unknown
};

/// A plan whose N was chosen.
struct CompletedPlan {
  HplDat dat;
  TimeEstimate estimate;                     ///< of its time
  std::optional<std::int64_t> link_bytes{};  ///< see Facts; empty: not measured
};

/// The grid of runs like those of `dat` on ranks with this layout: that of best_configuration(), by
/// the rates of the context or by the data sheet that names the device of rank 0. N is the largest
/// of `dat`, else the one that fills the memory or ends in the wanted time. Empty if P and Q or a
/// tile are given, if ranks share devices, or if no rates of such runs are known. Collective over
/// the world.
std::optional<ModelGrid> grid_by_model(const PlanContext& context, const RankLayout& layout,
                                       const HplDat& dat);

/// The time of runs like this one: by the rates, or by the rate of products measured now.
/// Collective over the world.
TimeEstimate estimate_for(const PlanContext& context, const RunSpec& spec,
                          const RunSettings& settings);

/// Fills in N, and NB where no flag gives it: NB by the processor, N by memory and, unless
/// --mem-fraction asks for more, by time. Says what it chose and why in dat.chosen. Returns the
/// estimate of that time with it. `make_links`: the runs follow, and N leaves room for what their
/// links take; null: for an estimate. Collective over the world.
CompletedPlan complete_plan(HplDat dat, const PlanContext& context, const RankLayout& layout,
                            const LinkMaker& make_links);

}  // namespace hpl
