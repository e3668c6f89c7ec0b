#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "hpcx/backend.h"
#include "hpl/base/choice/choices.h"
#include "hpl/base/file/host_list_files.h"
#include "hpl/base/power/power_level.h"
#include "hpl/base/record/program_info.h"
#include "hpl/base/text/text_style.h"
#include "hpl/input/command_line/command.h"
#include "hpl/input/command_line/command_line.h"
#include "hpl/input/command_line/wishes.h"
#include "hpl/input/run_spec/gates.h"
#include "hpl/input/run_spec/run_spec.h"

namespace hpl {

/// The source of P and Q: HPL.dat or -P and -Q, or the ranks and nodes at hand.
enum class GridRequest { Given, Auto };

/// The runs.
struct RunListOptions {
  std::optional<std::filesystem::path> dat_file;
  bool automatic = false;              ///< --auto: sizes and grid from the machine
  std::optional<double> mem_fraction;  ///< of the memory, to choose N; in (0, 0.98]
  int repeat = 1;

  friend bool operator==(const RunListOptions&, const RunListOptions&) = default;
};

/// In place of fields of HPL.dat, same ranges (apply_overrides in plan.h).
struct FieldOptions {
  std::vector<std::int64_t> orders;
  std::vector<std::int64_t> block_sizes;
  std::vector<int> grid_rows;
  std::vector<int> grid_columns;
  GridRequest grid = GridRequest::Given;
  int node_rows = 0;     ///< rows of the processes of a node in the grid; 0: not given
  int node_columns = 0;  ///< columns of them
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

  friend bool operator==(const FieldOptions&, const FieldOptions&) = default;
};

/// A plan for ranks that are not at hand, on nodes like this one.
struct PlanOptions {
  int ranks = 0;           ///< 0: those of the launcher
  int ranks_per_node = 0;  ///< 0: one for each GPU, or for each NUMA node without GPUs

  /// The ranks of the plan; `at_hand` are those of the launcher.
  int ranks_or(int at_hand) const { return ranks > 0 ? ranks : at_hand; }

  friend bool operator==(const PlanOptions&, const PlanOptions&) = default;
};

/// The part of the machine that the job uses.
struct MachineOptions {
  std::optional<hpcx::Backend> device;  ///< empty: a GPU where there is one
  bool share_device = false;            ///< several ranks may use one device
  bool share_cores = false;             ///< several ranks may use one core
  int threads = 0;                      ///< compute threads per rank; 0: the cores of the rank
  bool bind = true;                     ///< bind ranks and threads to cores
  std::optional<std::int64_t> device_memory;  ///< bytes to use of each device; empty: what is free
  std::optional<double> rpeak;                ///< of one rank, GFLOP/s; empty: from clock and units

  friend bool operator==(const MachineOptions&, const MachineOptions&) = default;
};

/// A check of the machine, by itself or before the runs.
struct CheckOptions {
  bool deep = false;                               ///< measure copies at once and starts, too
  double deep_seconds = 10;                        ///< that this may take, about
  bool before_runs = true;                         ///< the short check
  double tolerance = 5;                            ///< percent of the median
  bool strict = false;                             ///< one figure that is out makes the exit code 4
  std::optional<std::filesystem::path> reference;  ///< an earlier check

  friend bool operator==(const CheckOptions&, const CheckOptions&) = default;
};

/// Rates of the performance model.
struct RateOptions {
  std::optional<std::filesystem::path> output;  ///< of `xhpl rates`
  std::optional<std::filesystem::path> input;   ///< such a file, to estimate by

  friend bool operator==(const RateOptions&, const RateOptions&) = default;
};

/// A search for the best settings, written as HPL.dat.
struct TuneOptions {
  double seconds = 600;  ///< for all trials together
  TuneMethod method = TuneMethod::Halving;

  friend bool operator==(const TuneOptions&, const TuneOptions&) = default;
};

/// --expect by the data sheets that the program has.
inline constexpr const char* kKnownSheet = "auto";

/// A fleet, see docs/accepting.md.
struct FleetOptions {
  FleetMemberKind member = FleetMemberKind::Device;  ///< what solves a system of its own
  bool plan = false;                                 ///< show the plan of the members, run nothing
  std::optional<double> for_seconds;                 ///< repeat until so much time is over
  double spreads = 3;  ///< robust spreads of the fleet that make an outlier
  std::optional<std::filesystem::path> reference;
  /// The data sheet to expect rates by; kKnownSheet: the one that names the devices; empty: none.
  std::optional<std::filesystem::path> expectation;
  HostListPaths lists{};
  std::vector<std::string> expected_hosts;  ///< empty: whoever is there

  friend bool operator==(const FleetOptions&, const FleetOptions&) = default;
};

/// Files that "-" stands for.
inline constexpr const char* kStandardInput = "/dev/stdin";
inline constexpr const char* kStandardOutput = "/dev/stdout";

/// Files to write, and what is shown meanwhile.
struct OutputOptions {
  std::optional<std::filesystem::path> report;  ///< empty: as HPL.dat says
  std::optional<std::filesystem::path> dat;     ///< of `xhpl plan` and `xhpl tune`
  std::optional<std::filesystem::path> json;
  std::optional<std::filesystem::path> page;
  std::optional<std::filesystem::path> csv;
  std::optional<std::filesystem::path> trace;
  std::optional<bool> progress;   ///< empty: when standard error is a terminal
  Detail detail = Detail::Usual;  ///< of the report
  std::optional<bool> color;      ///< empty: on a terminal, unless NO_COLOR is set
  NamedValues labels{};           ///< for every document

  /// A document of the job is made, in one form or another.
  bool any_document() const { return json || page; }
  /// Standard output is for the JSON alone.
  bool prints_json() const { return json == kStandardOutput; }

  friend bool operator==(const OutputOptions&, const OutputOptions&) = default;
};

/// The machine's own power meter.
struct PowerOptions {
  std::string command;  ///< prints watts; empty: none
  PowerScope scope;     ///< what the meter sees

  friend bool operator==(const PowerOptions&, const PowerOptions&) = default;
};

/// The command line as values. An empty optional or list means "not given": HPL.dat or the default
/// counts.
struct Options {
  Command command = Command::Run;
  std::vector<std::string> words;  ///< of the command line
  std::vector<GivenFlag> given;    ///< its flags
  std::string help_text;           ///< set by --help: print it and stop
  bool show_version = false;       ///< print the version and stop

  RunListOptions runs;
  FieldOptions fields;
  PlanOptions plan;
  MachineOptions machine;
  Wishes wishes;
  CheckOptions check;
  RateOptions rates;
  TuneOptions tune;
  FleetOptions fleet;
  Gates gates;
  OutputOptions outputs;
  PowerOptions power;
  double watchdog_seconds = 600;  ///< without a finished step; 0: no watchdog

  /// The job looks at the machine and runs nothing.
  bool only_looks() const { return command == Command::Check || command == Command::Rates; }
  /// The job compares ranks that compute at the same time.
  bool compares_ranks() const { return command == Command::Check || command == Command::Fleet; }
  /// The job shows what it would run.
  bool only_plans() const { return command == Command::Plan || fleet.plan; }
  /// The file with the trials of `xhpl tune`: --json, or beside its HPL.dat.
  std::filesystem::path evidence_file() const;

  friend bool operator==(const Options&, const Options&) = default;
};

/// Reads the command line of a command that xhpl carries out itself; argv[0] is the program's name.
/// The last one counts of a flag given twice. --help wins over everything but a bad value of
/// another flag. Throws ConfigError with the flag, the text found and what is allowed.
Options parse_command_line(int argc, const char* const* argv);

/// `options` as if the command line went on with these words. Throws ConfigError.
Options with_words(Options options, const std::vector<std::string>& words);

/// The flags of `options` that say how to run, with their values: an HPL.dat of the same runs
/// leaves them out.
std::string flags_of_runs(const Options& options);

/// The flags of `options` that stand for fields of HPL.dat or say how to run, without those that
/// ask for the default or decide no rate. A new flag is one of them.
std::vector<GivenFlag> flags_that_decide(const Options& options);

/// The flags of a command, in the order of its help; of one that is handed over: none.
std::vector<Flag> command_flags(Command command);

}  // namespace hpl
