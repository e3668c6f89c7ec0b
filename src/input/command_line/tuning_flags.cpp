#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "flags.h"
#include "hpcx/emulation.h"
#include "hpl/base/error/error.h"
#include "hpl/base/text/text_value.h"
#include "hpl/input/run_spec/field_rules.h"

namespace hpl {
namespace {

constexpr IntegerRange kRepeatRange{1, 1'000'000};
constexpr IntegerRange kThreadRange{0, 4096};
constexpr IntegerRange kChunkRange{1, kLargestOrder};
constexpr IntegerRange kSolveRange{0, kLargestOrder};
constexpr IntegerRange kVisitRange{1, 64};

constexpr auto kDeviceRequests = with_auto(hpcx::kBackends);
constexpr auto kTransportRequests = with_auto(kTransports);
constexpr std::array<Choice<BalanceRequest>, 4> kBalanceRequests{{
    {BalanceRequest::Auto, "auto"},
    {BalanceRequest::Rates, "rates"},
    {BalanceRequest::Even, "even"},
    {BalanceRequest::Off, "off"},
}};
constexpr std::array<Choice<PivotPath>, 2> kPivotPaths{{
    {PivotPath::Auto, "auto"},
    {PivotPath::Host, "host"},
}};

constexpr std::array<Choice<HostSchedule>, 2> kHostSchedules{{
    {HostSchedule::Visits, "visits"},
    {HostSchedule::ThreeStage, "three-stage"},
}};

/// The number of moduli that "fp64", "emulated" or "emulated:14" asks for; 0: native FP64.
int require_arithmetic(std::string_view name, std::string_view value) {
  constexpr std::string_view kEmulated = "emulated";
  if (value == "fp64") return 0;
  if (value == kEmulated) return hpcx::kDefaultModuli;
  if (value.starts_with(kEmulated) && value.substr(kEmulated.size()).starts_with(':')) {
    const auto moduli = parse_integer(value.substr(kEmulated.size() + 1));
    if (moduli && *moduli >= hpcx::kFewestModuli && *moduli <= hpcx::kMostModuli)
      return static_cast<int>(*moduli);
  }
  throw ConfigError("{} must be fp64, emulated or emulated:MODULI with {} to {} moduli, found {}",
                    name, hpcx::kFewestModuli, hpcx::kMostModuli, quote_printable(value));
}

/// A fraction, or nothing for "auto".
std::optional<double> require_share(std::string_view name, std::string_view value) {
  if (value == "auto") return std::nullopt;
  const auto share = parse_real(value);
  if (!share || !(*share >= 0) || *share > 1)
    throw ConfigError("{} must be auto or a fraction from 0 to 1, found {}", name,
                      quote_printable(value));
  return share;
}

/// "steps=4" of --matrix.
void take_matrix_setting(std::string_view flag, std::string_view setting, Wishes& wishes) {
  const auto [key, value] = split_pair(setting, '=');
  const std::string name = fmt::format("{}: {}", flag, key);
  if (key == "schedule")
    wishes.host_schedule = require_choice(name, value, kHostSchedules);
  else if (key == "steps")
    wishes.visit_steps = require_integer(name, value, kVisitRange);
  else if (key == "columns")
    wishes.visit_columns = require_integer(name, value, kChunkRange);
  else if (key == "share")
    wishes.host_share = require_share(name, value);
  else
    throw ConfigError(
        "{}: settings of host memory are schedule=, steps=, columns= and share=, found {}", flag,
        quote_printable(setting));
}

/// "host:schedule=visits,steps=4".
void take_matrix(std::string_view flag, std::string_view text, Wishes& wishes) {
  const std::size_t colon = std::min(text.find(':'), text.size());
  const Wishes none;
  wishes.matrix = require_choice(flag, text.substr(0, colon), kMatrixRequests);
  wishes.host_schedule = none.host_schedule;
  wishes.visit_steps = wishes.visit_columns = std::nullopt;
  wishes.host_share = none.host_share;
  if (colon == text.size()) return;
  if (wishes.matrix == MatrixRequest::Device)
    throw ConfigError("{}: settings belong to host and auto, found {}", flag,
                      quote_printable(text));
  for (const std::string_view setting : detail::split_list(flag, text.substr(colon + 1)))
    take_matrix_setting(flag, setting, wishes);
  if (wishes.host_schedule == HostSchedule::ThreeStage && wishes.visit_steps)
    throw ConfigError(
        "{}: schedule=three-stage and steps= do not go together: its visits are of one step; leave "
        "one of them out",
        flag);
}

/// The flags for the ways of panels, pivots and copies.
void add_means(FlagAdder& add, Wishes& wishes) {
  add.parsed(
      {"--arithmetic", "KIND",
       "products of the update: fp64 (default), emulated[:MODULI] by 12 to 16 INT8 products each"},
      require_arithmetic, wishes.emulated_moduli);
  add.choice({"--panel", "PLACE", "where panels are factorized: {} (default: auto)"},
             kPanelRequests, wishes.panel);
  add.choice(
      {"--pipeline", "KIND",
       "auto (default), fine (four workers), coarse (one thread, panels beside updates) or serial"},
      kPipelineRequests, wishes.pipeline);
  add.choice({"--transport", "KIND", "how device memory travels between ranks: {} (default: auto)"},
             kTransportRequests, wishes.transport);
  add.choice(
      {"--pivots", "PATH", "how devices exchange pivots: auto (peer memory, else hosts), host"},
      kPivotPaths, wishes.pivots);
  add.choice({"--balance", "CHOICE",
              "distribution of blocks: rates (by DGEMM rates), even, off (block-cyclic); auto "
              "(default): rates on GPUs, else even"},
             kBalanceRequests, wishes.balance);
}

void add_memory(FlagAdder& add, Options& options) {
  Wishes& wishes = options.wishes;
  add.text(Flag{.names = "--matrix",
                .value = "MEMORY",
                .help = "device (default); host: what does not fit the device lies in host memory; "
                        "auto: host if needed. Behind it settings, as host:steps=4,share=auto: "
                        "schedule=visits or three-stage, steps=S and columns=C of a visit, share= "
                        "of the update for the host's cores, auto or 0 to 1",
                .words = choice_names(kMatrixRequests)},
           [&wishes](std::string_view name, std::string_view value) {
             take_matrix(name, value, wishes);
           });
  add.parsed({"--device-memory", "SIZE", "use so much of each device's memory at most: 40G, 512M"},
             require_bytes, options.machine.device_memory);
  add.text({"--pinned-memory", "SIZE",
            "pin so much of a matrix in host memory at most (default: all of it)"},
           [&wishes](std::string_view name, std::string_view value) {
             wishes.pinned_memory = value == "0" ? 0 : require_bytes(name, value);
           });
}

/// Threads and pieces of work.
void add_sizes_of_work(FlagAdder& add, Options& options) {
  add.integer({"--threads", "T", "compute threads per rank; 0: the cores of the rank (default)"},
              kThreadRange, options.machine.threads);
  add.toggle("--no-bind", "do not bind ranks and threads", options.machine.bind, false);
  add.integer({"--chunk", "COLUMNS", "width of a chunk of the tail matrix (default: chosen)"},
              kChunkRange, options.wishes.chunk);
  add.integer(
      {"--solve-rows", "ROWS",
       "rows of U per product with the inverse of L11; 0: triangular solve (default: chosen)"},
      kSolveRange, options.wishes.solve_rows);
  add.integer(
      {"--panel-units", "UNITS",
       "multiprocessors for the device panel while the tail is large; 0: all (default: chosen)"},
      kThreadRange, options.wishes.panel_units);
}

constexpr auto kPrecisionRequests = with_auto(kPrecisions);
constexpr std::array<Choice<std::optional<int>>, 3> kStorageRequests{{
    {std::nullopt, "auto"},
    {16, "16"},
    {32, "32"},
}};
constexpr double kLargestDiagonal = 1e6;

}  // namespace

void add_run_flags(FlagAdder& add, Options& options) {
  add.group(kMixedGroup, options.command != Command::Mxp);
  add.commands("run mxp fleet tune rates plan");
  MixedWishes& mixed = options.wishes.mixed;
  if (options.command != Command::Mxp)
    add.toggle("--mxp", "the runs are of HPL-MxP, as those of xhpl mxp are", mixed.wanted, true);
  add.choice(
      {"--mxp-matrix", "MATRIX", "{} (default: conforming; dominant ones are for testing only)"},
      kMixedEntries, mixed.entries);
  add.real({"--mxp-diagonal", "C",
            "add C sqrt(N) to the diagonal of the conforming matrix (default: 1)"},
           0, kLargestDiagonal, mixed.diagonal);
  add.choice({"--precision", "FORMAT",
              "operands of products: {} (default: auto, fp16 on a GPU, fp32 on a CPU)"},
             kPrecisionRequests, mixed.operands);
  add.choice(
      {"--storage", "BITS", "of a number of the matrix: {} (default: auto, those of the operands)"},
      kStorageRequests, mixed.storage_bits);
  add.choice({"--solver", "KIND", "of the refinement in FP64: {} (default: gmres)"}, kMixedSolvers,
             mixed.solver);

  add.group(kRunGroup);
  add.commands(kAllJobs);
  add.choice({"--device", "KIND", "{} (default: auto)"}, kDeviceRequests, options.machine.device);
  add.commands("run mxp fleet plan");
  add.integer({"--repeat", "R", "make every run R times (default: 1)"}, kRepeatRange,
              options.runs.repeat);
}

void add_tuning_flags(FlagAdder& add, Options& options) {
  add.group(kTuningGroup, true);
  add.commands(kAllJobs);
  add_means(add, options.wishes);
  add_memory(add, options);
  add_sizes_of_work(add, options);
  add.toggle("--share-device", "allow several ranks on one device", options.machine.share_device,
             true);
  add.commands("run mxp check fleet rates plan");
  add.toggle("--reproducible",
             "the same solution to the last bit in every job of this input, grid and machine",
             options.wishes.reproducible, true);
}

}  // namespace hpl
