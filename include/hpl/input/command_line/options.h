#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "hpcx/backend.h"
#include "hpl/base/choice/fleet_unit_kind.h"
#include "hpl/base/choice/matrix_request.h"
#include "hpl/base/choice/transport_kind.h"
#include "hpl/base/choice/tune_method.h"
#include "hpl/base/power/power_level.h"
#include "hpl/input/command_line/command_line.h"
#include "hpl/input/command_line/requests.h"
#include "hpl/input/run_spec/gates.h"
#include "hpl/input/run_spec/run_spec.h"

namespace hpl {

/// How blocks of the matrix are distributed: by measured rates, evenly, or round-robin;
/// Auto: by rates on GPUs, else evenly.
enum class BalanceRequest { Auto, Rates, Even, Off };
/// What the devices of a process column agree on pivots through: each other's memory where they
/// reach it, or their hosts alone.
enum class PivotPath { Auto, Host };
/// What is done with columns in host memory: visits of several steps, or the three-stage pipeline
/// of Fatica (GPGPU-2, 2009): in every step the whole tail is loaded, updated and stored.
enum class HostSchedule { Visits, ThreeStage };
/// Where P and Q come from: HPL.dat or -P and -Q, or the ranks and nodes at hand.
enum class GridRequest { Given, Auto };

/// --tune: search for the best settings, write an HPL.dat of them, and stop.
struct TuneOptions {
  std::optional<std::filesystem::path> dat_file;  ///< the HPL.dat to be written; empty: no search
  std::optional<double> seconds;                  ///< for all trials together; empty: ten minutes
  std::optional<TuneMethod> method;               ///< empty: halving

  friend bool operator==(const TuneOptions&, const TuneOptions&) = default;
};

/// The command line as values. An empty optional or list means "not given": HPL.dat or the default
/// counts.
struct Options {
  std::vector<std::string> words;  ///< of the command line
  std::vector<GivenFlag> given;    ///< its flags
  std::string help_text;           ///< set by --help: print it and stop
  bool check = false;              ///< --check: look at the machine, report, and stop
  bool deep = false;               ///< --deep: the check also finds what bounds it
  /// --deep-seconds: that this may take, about; empty: 60.
  std::optional<double> deep_seconds;
  /// --measure-rates: measure what the performance model needs, write it here, and stop.
  std::optional<std::filesystem::path> rates_file;
  std::optional<std::filesystem::path> machine_rates;  ///< --rates: such a file, to estimate by
  TuneOptions tune;                                    ///< --tune and what belongs to it
  bool show_version = false;                           ///< print the version and stop
  bool list_devices = false;                           ///< print the devices and stop

  std::optional<std::filesystem::path> dat_file;
  bool automatic = false;              ///< --auto: sizes and grid from the machine
  std::optional<double> mem_fraction;  ///< of the memory, to choose N; in (0, 0.98]

  // In place of fields of HPL.dat, same ranges (apply_overrides in plan.h).
  std::vector<std::int64_t> orders;
  std::vector<std::int64_t> block_sizes;
  std::vector<int> grid_rows;
  std::vector<int> grid_columns;
  GridRequest grid = GridRequest::Given;
  int node_rows = 0;     ///< -p: rows of the processes of a node in the grid; 0: not given
  int node_columns = 0;  ///< -q: columns of them
  std::optional<RankOrder> rank_order;
  std::optional<double> threshold;
  std::vector<PanelVariant> panel_variants;
  std::vector<PanelVariant> recursive_variants;
  std::vector<int> recursion_stops;
  std::vector<int> recursion_divisors;
  std::vector<BroadcastVariant> broadcasts;
  std::vector<int> depths;
  std::optional<SwapVariant> swap;
  std::optional<std::int64_t> swap_threshold;  ///< columns
  std::optional<bool> transposed_l1;
  std::optional<bool> transposed_u;
  std::optional<bool> equilibrate;
  std::optional<std::int64_t> alignment;  ///< doubles
  std::optional<std::filesystem::path> output_file;

  // How to run.
  int repeat = 1;
  std::optional<hpcx::Backend> device;  ///< empty: a GPU where there is one
  bool share_device = false;            ///< several ranks may use one device
  int emulated_moduli = 0;              ///< --arithmetic; 0: FP64
  PanelRequest panel = PanelRequest::Auto;
  PipelineRequest pipeline = PipelineRequest::Auto;
  std::optional<TransportKind> transport;  ///< empty: the fastest
  PivotPath pivots = PivotPath::Auto;
  BalanceRequest balance = BalanceRequest::Auto;
  MatrixRequest matrix = MatrixRequest::Device;
  HostSchedule host_schedule = HostSchedule::Visits;
  std::optional<std::int64_t> visit_steps;    ///< empty: chosen
  std::optional<std::int64_t> visit_columns;  ///< empty: chosen
  /// Of the tail update, that the host's cores take, 0 to 1; empty: as rates say.
  std::optional<double> host_share = 0.0;
  std::optional<std::int64_t> device_memory;  ///< bytes to use of each device; empty: what is free
  std::optional<std::int64_t> pinned_memory;  ///< bytes of a matrix in host memory; empty: all
  bool reproducible =
      false;        ///< nothing that the bits of a solution depend on follows a measurement
  int threads = 0;  ///< compute threads per rank; 0: the cores of the rank
  std::optional<std::int64_t> chunk;       ///< columns of the tail matrix per chunk; empty: chosen
  std::optional<std::int64_t> solve_rows;  ///< see PipelineSettings; empty: chosen
  std::optional<int> panel_units;          ///< multiprocessors of the device panel; empty: chosen
  bool dry_run = false;                    ///< print the plan and stop
  bool explain = false;                    ///< print every choice with its reason and stop
  bool measure_attainable = true;          ///< measure the DGEMM rate before the runs
  bool preflight = true;                   ///< the short check before the runs
  double check_tolerance = 5;              ///< percent of the median
  bool bind = true;                        ///< bind ranks and threads to cores
  double watchdog_seconds = 600;           ///< without a finished step; 0: no watchdog

  // A fleet, see docs/fleet.md.
  std::optional<FleetUnitKind> each;  ///< every one solves its own system; empty: all ranks one
  std::optional<double> for_seconds;  ///< --for: repeat until so much time is over
  double check_spreads = 3;           ///< robust spreads of the fleet that make an outlier
  std::optional<std::filesystem::path> reference_file, reference_copy;
  std::optional<std::filesystem::path> pass_list_file, fail_list_file;
  std::vector<std::string> expected_hosts;  ///< empty: whoever is there

  // What the job must reach.
  std::optional<double> rpeak;  ///< of one rank, GFLOP/s; empty: from clock and units
  Gates gates;
  std::optional<double> stop_after;  ///< share of the operations, in (0, 1); empty: run to the end

  /// Checksums carried through the factorization; empty: when a residual has failed.
  std::optional<bool> verify_steps;
  std::optional<std::int64_t> verify_interval;  ///< steps; empty: chosen

  /// The job looks at the machine and runs nothing.
  bool only_looks() const { return check || rates_file.has_value(); }

  // What to write.
  std::optional<std::filesystem::path> dat_copy;  ///< an HPL.dat that makes the same runs
  std::optional<std::filesystem::path> json_file;
  std::optional<std::filesystem::path> csv_file;
  std::optional<std::filesystem::path> trace_file;
  /// Where --tune keeps what it has measured: --json, or beside its HPL.dat.
  std::filesystem::path evidence_file() const;
  std::optional<bool> progress;  ///< empty: when standard output is a terminal

  // The machine's own power meter.
  std::string power_command;  ///< prints watts; empty: none
  PowerScope power_scope;     ///< what the meter sees

  friend bool operator==(const Options&, const Options&) = default;
};

/// Reads the command line; argv[0] is the program's name. Of a flag given twice the last one
/// counts.
/// --help wins over everything but a bad value of another flag.
/// Throws ConfigError with the flag, the text found and what is allowed.
Options parse_command_line(int argc, const char* const* argv);

/// The flags of `options` that say how to run, with their values: an HPL.dat of the same runs
/// leaves them out.
std::string flags_of_runs(const Options& options);

/// The flags of `options` that stand for fields of HPL.dat or say how to run, without those that
/// ask for the default or decide no rate. A new flag is one of them.
std::vector<GivenFlag> flags_that_decide(const Options& options);

/// The flags that parse_command_line() knows, in the order of --help.
std::vector<Flag> command_line_flags();

}  // namespace hpl
