#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hpl/base/number/processor_kind.h"
#include "hpl/input/command_line/options.h"
#include "hpl/lu/grid/grid_shape.h"
#include "hpl/lu/pipeline/factorization.h"
#include "hpl/machine/tune/tune_search.h"

namespace hpl {

/// What a run here would be made with if nobody tuned, and what there is to choose from.
struct UntunedRun {
  ProcessorKind kind = ProcessorKind::Cpu;
  std::int64_t order = 0;  ///< of the trials
  std::int64_t block_size = 192;
  std::int64_t chunk_columns = 4096;
  std::int64_t solve_rows = 96;
  int panel_units = 0;
  bool device_panel = false;
  PipelineKind pipeline = PipelineKind::Fine;
  bool every_pipeline = true;    ///< all can be had
  GridShape grid;                ///< of those below
  std::vector<GridShape> grids;  ///< of all ranks
};

/// What --tune varies: a value that a flag gives stays, of a list that a flag gives each value is
/// tried. Settings with one value are among them. Pure.
std::vector<TuneSetting> tuned_settings(const Options& options, const UntunedRun& untuned);

/// The flags that decide the rate of every trial alike: N and what `settings` varies are not among
/// them. Pure.
std::vector<GivenFlag> fixed_flags(const Options& options,
                                   const std::vector<TuneSetting>& settings);

/// `options` with the values of `point`. Pure.
Options with_point(Options options, const std::vector<TuneSetting>& settings,
                   const TunePoint& point);

/// The flags of a point for what HPL.dat cannot say, where they are not as nobody would tune them:
/// "--chunk 2048 --panel host".
std::string flags_beside_hpl_dat(const std::vector<TuneSetting>& settings, const TunePoint& point);

/// "--NB 192 --depth 2", of the settings that are not as nobody would tune them; else "as untuned".
std::string point_text(const std::vector<TuneSetting>& settings, const TunePoint& point);

}  // namespace hpl
