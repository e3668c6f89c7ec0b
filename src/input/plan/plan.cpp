#include "hpl/input/plan/plan.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "hpl/base/error/error.h"
#include "hpl/base/text/quantity.h"

namespace hpl {
namespace {

/// The position in every list, outermost first.
struct Position {
  std::size_t grid, order, block_size, depth, broadcast, recursive_variant, panel_variant,
      recursion_stop, recursion_divisor;
};

/// A list of the plan: its length, its name in messages, and where run `i` keeps its position in
/// it.
struct Axis {
  std::size_t length;
  std::string_view name;
  std::size_t Position::*position;
};

std::array<Axis, 9> axes_of(const HplDat& dat) {
  return {{{dat.grid_rows.size(), "P and Q", &Position::grid},
           {dat.orders.size(), "N", &Position::order},
           {dat.block_sizes.size(), "NB", &Position::block_size},
           {dat.depths.size(), "DEPTH", &Position::depth},
           {dat.broadcasts.size(), "BCAST", &Position::broadcast},
           {dat.recursive_variants.size(), "RFACT", &Position::recursive_variant},
           {dat.panel_variants.size(), "PFACT", &Position::panel_variant},
           {dat.recursion_stops.size(), "NBMIN", &Position::recursion_stop},
           {dat.recursion_divisors.size(), "NDIV", &Position::recursion_divisor}}};
}

std::int64_t count_runs(const std::array<Axis, 9>& axes) {
  std::int64_t runs = 1;
  for (const auto& axis : axes) {
    if (axis.length == 0) {
      throw ConfigError("no value for {}: give it on the command line or in HPL.dat, or use --auto",
                        axis.name);
    }
    // Divided, not multiplied: the product of nine long lists does not fit 64 bits.
    if (static_cast<std::int64_t>(axis.length) > kMostRuns / runs) {
      throw ConfigError(
          "the lists ask for too many runs (the values up to {} alone make more than {}); shorten "
          "them",
          axis.name, kMostRuns);
    }
    runs *= static_cast<std::int64_t>(axis.length);
  }
  return runs;
}

/// The digits of `run` in the mixed radix of the lists; the last list turns fastest.
Position position_of(std::int64_t run, const std::array<Axis, 9>& axes) {
  Position position{};
  auto rest = static_cast<std::size_t>(run);
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
    position.*(axis->position) = rest % axis->length;
    rest /= axis->length;
  }
  return position;
}

RunSpec spec_at(const HplDat& dat, const Position& at) {
  return RunSpec{
      .order = dat.orders[at.order],
      .block_size = dat.block_sizes[at.block_size],
      .grid_rows = dat.grid_rows[at.grid],
      .grid_columns = dat.grid_columns[at.grid],
      .rank_order = dat.rank_order,
      .depth = dat.depths[at.depth],
      .broadcast = dat.broadcasts[at.broadcast],
      .recursive_variant = dat.recursive_variants[at.recursive_variant],
      .recursion_divisor = dat.recursion_divisors[at.recursion_divisor],
      .panel_variant = dat.panel_variants[at.panel_variant],
      .recursion_stop = dat.recursion_stops[at.recursion_stop],
      .swap = dat.swap,
      .swap_threshold = dat.swap_threshold,
      .transposed_l1 = dat.transposed_l1,
      .transposed_u = dat.transposed_u,
      .equilibrate = dat.equilibrate,
      .alignment = dat.alignment,
      .threshold = dat.threshold,
  };
}

template <class Value>
void replace(std::vector<Value>& target, const std::vector<Value>& given) {
  if (!given.empty()) target = given;
}

template <class Value>
void replace(Value& target, const std::optional<Value>& given) {
  if (given) target = *given;
}

void replace_grids(HplDat& dat, const Options& options) {
  if (options.fields.grid_rows.empty() && options.fields.grid_columns.empty()) return;
  replace(dat.grid_rows, options.fields.grid_rows);
  replace(dat.grid_columns, options.fields.grid_columns);
  const auto rows = dat.grid_rows.size();
  const auto columns = dat.grid_columns.size();
  if (options.fields.grid_rows.empty()) {
    dat.grid_origin = fmt::format("P of {} with -Q", dat.grid_origin);
  } else if (options.fields.grid_columns.empty()) {
    dat.grid_origin = fmt::format("-P with Q of {}", dat.grid_origin);
  } else {
    dat.grid_origin = "-P and -Q";
  }
  if (rows == columns) return;
  if (rows == 1) {
    dat.grid_rows.assign(columns, dat.grid_rows.front());
  } else if (columns == 1) {
    dat.grid_columns.assign(rows, dat.grid_columns.front());
  } else if (rows != 0 && columns != 0) {
    throw ConfigError(
        "{}: P and Q must have the same number of values, or one of them a single value, found {} "
        "and {}",
        dat.grid_origin, rows, columns);
  }
}

/// If all ranks take part, one grid takes them all; otherwise each has enough of them.
bool suits(const HplDat& dat, const Options& options, int ranks) {
  const bool all_take_part = options.command == Command::Fleet || options.command == Command::Rates;
  if (all_take_part && dat.grid_rows.size() > 1) return false;
  for (std::size_t i = 0; i < dat.grid_rows.size(); ++i) {
    const auto processes = std::int64_t{dat.grid_rows[i]} * dat.grid_columns[i];
    if (processes > ranks || (all_take_part && processes < ranks)) return false;
  }
  return true;
}

}  // namespace

HplDat apply_overrides(HplDat dat, const Options& options) {
  replace(dat.orders, options.fields.orders);
  replace(dat.block_sizes, options.fields.block_sizes);
  replace_grids(dat, options);
  replace(dat.rank_order, options.fields.rank_order);
  replace(dat.threshold, options.fields.threshold);
  replace(dat.panel_variants, options.fields.panel_variants);
  replace(dat.recursive_variants, options.fields.recursive_variants);
  replace(dat.recursion_stops, options.fields.recursion_stops);
  replace(dat.recursion_divisors, options.fields.recursion_divisors);
  replace(dat.broadcasts, options.fields.broadcasts);
  replace(dat.depths, options.fields.depths);
  replace(dat.swap, options.fields.swap);
  replace(dat.swap_threshold, options.fields.swap_threshold);
  replace(dat.transposed_l1, options.fields.transposed_l1);
  replace(dat.transposed_u, options.fields.transposed_u);
  replace(dat.equilibrate, options.fields.equilibrate);
  replace(dat.alignment, options.fields.alignment);
  if (options.outputs.report) {
    dat.output_file = options.outputs.report->string();
    dat.output_origin = "--output";
    dat.output_device = OutputDevice::File;
  }
  if (options.outputs.prints_json() && dat.output_device == OutputDevice::Stdout)
    dat.output_device = OutputDevice::Stderr;
  return dat;
}

HplDat fit_to_ranks(HplDat dat, const Options& options, int ranks) {
  const bool asked_for = options.runs.dat_file || !options.fields.grid_rows.empty() ||
                         !options.fields.grid_columns.empty();
  const bool has_order = !options.fields.orders.empty() || options.runs.mem_fraction;
  if (asked_for || !(has_order || options.only_looks()) || suits(dat, options, ranks)) return dat;
  dat.remarks.push_back(warning("P x Q", "{}: P and Q do not suit {} and are chosen, since {}",
                                dat.grid_origin, count_text(ranks, "rank"),
                                has_order ? "N is given by a flag" : "nothing is run"));
  dat.grid_rows.clear();
  dat.grid_columns.clear();
  if (!has_order) dat.orders.clear();
  return dat;
}

void validate_grid(const HplDat& dat, int ranks) {
  HPL_ASSERT(dat.grid_rows.size() == dat.grid_columns.size());
  std::int64_t largest = 0;
  std::size_t worst = 0;
  for (std::size_t i = 0; i < dat.grid_rows.size(); ++i) {
    const auto processes = std::int64_t{dat.grid_rows[i]} * dat.grid_columns[i];
    if (processes > largest) {
      largest = processes;
      worst = i;
    }
  }
  if (largest <= ranks) return;
  throw ConfigError(
      "{}: P x Q must be at most the number of ranks, {}, found {} x {} = {}; start mpirun with "
      "more ranks, or give smaller grids (-P, -Q) or --grid auto",
      dat.grid_origin, ranks, dat.grid_rows[worst], dat.grid_columns[worst], largest);
}

HplDat without_pivoting(HplDat dat, const Options& options, bool from_file) {
  constexpr std::array<std::string_view, 12> kFlags{
      "--pfact", "--rfact", "--nbmin", "--ndiv",  "--swap",   "--swap-threshold",
      "--l1",    "--u",     "--equil", "--panel", "--pivots", "--solve-rows"};
  std::string names = from_file ? "PFACT, NBMIN, NDIV, RFACT, SWAP, L1, U, equilibration" : "";
  for (const GivenFlag& flag : options.given)
    if (std::ranges::find(kFlags, flag.name) != kFlags.end())
      names += (names.empty() ? "" : ", ") + flag.name;
  if (!names.empty())
    dat.remarks.push_back(
        warning("HPL-MxP", "without effect on HPL-MxP, whose panels have no pivots: {}", names));
  const HplDat usual = default_hpl_dat();
  dat.panel_variants = usual.panel_variants;
  dat.recursion_stops = usual.recursion_stops;
  dat.recursion_divisors = usual.recursion_divisors;
  dat.recursive_variants = usual.recursive_variants;
  return dat;
}

std::vector<RunSpec> plan_runs(const HplDat& dat) {
  const auto axes = axes_of(dat);
  const auto count = count_runs(axes);
  HPL_ASSERT(dat.grid_rows.size() == dat.grid_columns.size());
  std::vector<RunSpec> runs;
  runs.reserve(count);
  for (std::int64_t run = 0; run < count; ++run)
    runs.push_back(spec_at(dat, position_of(run, axes)));
  return runs;
}

RunSpec first_grid(const HplDat& dat) {
  RunSpec spec;
  spec.grid_rows = dat.grid_rows.front();
  spec.grid_columns = dat.grid_columns.front();
  spec.rank_order = dat.rank_order;
  return spec;
}

}  // namespace hpl
