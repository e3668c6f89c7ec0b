#pragma once

#include <string>
#include <vector>

#include "hpl/input/command_line/options.h"
#include "hpl/machine/decide/decide.h"
#include "hpl/tune/search/tune_search.h"

namespace hpl {

/// A run with the default settings, and what there is to choose from.
struct UsualRun {
  RunSpec spec;
  RunSettings settings;  ///< of decide()
  Facts facts;
  std::vector<GridShape> grids;  ///< of all ranks, that of `spec` among them
};

/// The settings that `xhpl tune` varies: a value that a flag gives stays, of a list that a flag
/// gives each value is tried. Settings with one value are among them. Pure.
std::vector<TuneSetting> tuned_settings(const Options& options, const UsualRun& usual);

/// The flags that decide the rate of every trial alike: N and what `settings` varies are not among
/// them. Pure.
std::vector<GivenFlag> fixed_flags(const Options& options,
                                   const std::vector<TuneSetting>& settings);

/// `options` with the values of `point`. Pure.
Options with_point(Options options, const std::vector<TuneSetting>& settings,
                   const TunePoint& point);

/// The flags of a point for what HPL.dat cannot say, where they differ from their defaults:
/// "--chunk 2048 --panel host".
std::string flags_beside_hpl_dat(const std::vector<TuneSetting>& settings, const TunePoint& point);

/// "--NB 192 --depth 2", of the settings that differ from their defaults; else "the defaults".
std::string point_text(const std::vector<TuneSetting>& settings, const TunePoint& point);

}  // namespace hpl
