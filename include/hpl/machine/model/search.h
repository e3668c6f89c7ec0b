#pragma once

#include <cstdint>
#include <vector>

#include "hpl/machine/model/prediction.h"

namespace hpl {

/// Settings that a search may vary. An empty list leaves the choice to the search.
struct SearchSpace {
  std::vector<std::int64_t> orders;       ///< empty: the largest that fits
  std::vector<std::int64_t> block_sizes;  ///< empty: those that suit the kind of processor
  std::vector<GridShape> grids;           ///< empty: the rule of best_configuration()
  int ranks = 1;
  double memory_fraction = 0.9;  ///< of a rank's memory, where N is free
  RunSpec spec;                  ///< everything else
};

/// The largest N, a multiple of NB, whose run fits into that share of a rank's memory; 0 where none
/// does. Throws ConfigError where the rates do not tell how much memory there is.
std::int64_t largest_order(const RunSpec& spec, const Rates& rates, double memory_fraction);

/// The grids of all ranks with P <= Q that are not flatter than 1 : 16, or the squarest that there
/// is.
std::vector<GridShape> possible_grids(int ranks);

/// The fastest settings by the sampled model, of those that are affordable. A grid that is left
/// open is that of choose_grid_of_most(), unless one of possible_grids() or the first twelve of
/// grids_of_fewer() is more than 1 % faster: the one rule of plan, --grid auto, predict and tune.
/// Throws ConfigError if no settings are affordable.
DecidedRun best_configuration(const SearchSpace& space, const Rates& rates);

/// N1/2: the order at which half of `gflops` is reached, to a block, by the sampled model.
std::int64_t half_rate_order(const DecidedRun& decided, const Rates& rates, double gflops);

/// The rate over N, equally spaced multiples of NB up to that of the decided, by the sampled
/// model; at most `points`.
std::vector<RatePoint> rate_over_order(const DecidedRun& decided, const Rates& rates, int points);

/// The largest N, a multiple of NB, that ends within so many seconds by the sampled model; at
/// least one block.
std::int64_t order_within(const DecidedRun& decided, const Rates& rates, double seconds);

/// Whether a model predicts this run within minutes.
bool affordable(ModelKind kind, const DecidedRun& decided);
/// Throws ConfigError where it is not.
void require_affordable(ModelKind kind, const DecidedRun& decided);

/// Simulated where that takes a few seconds at most, else sampled.
ModelKind affordable_model(const DecidedRun& decided);

/// Whether predicted_timelines() of all ranks are quick and take some 200 MB at most.
bool affordable_timelines(const DecidedRun& decided);

}  // namespace hpl
