#include <array>
#include <string_view>

#include <fmt/format.h>

#include "flags.h"
#include "hpcx/emulation.h"
#include "hpl/base/error/error.h"
#include "hpl/base/text/text_value.h"
#include "hpl/input/run_spec/field_rules.h"

namespace hpl {
namespace {

using detail::FlagAdder;

constexpr IntegerRange kRepeatRange{1, 1'000'000};
constexpr IntegerRange kThreadRange{0, 4096};
constexpr IntegerRange kChunkRange{1, kLargestOrder};
constexpr IntegerRange kSolveRange{0, kLargestOrder};
constexpr IntegerRange kVisitRange{1, 64};
constexpr double kLongestWatchdog = 1e9;
constexpr double kLargestCheckTolerance = 1000;

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
  throw ConfigError(
      fmt::format("{} must be fp64, emulated or emulated:MODULI with {} to {} moduli, found {}",
                  name, hpcx::kFewestModuli, hpcx::kMostModuli, quote_printable(value)));
}

/// A fraction, or nothing for "auto".
std::optional<double> require_host_share(std::string_view name, std::string_view value) {
  if (value == "auto") return std::nullopt;
  const auto share = parse_real(value);
  if (!share || !(*share >= 0) || *share > 1)
    throw ConfigError(fmt::format("{} must be auto or a fraction from 0 to 1, found {}", name,
                                  quote_printable(value)));
  return share;
}

/// Devices, places and ways.
void add_means(FlagAdder& add, Options& options) {
  add.integer({"--repeat", "R", "make every run R times (default: 1)"}, kRepeatRange,
              options.runs.repeat);
  add.choice({"--device", "KIND", "{} (default: auto)"}, kDeviceRequests, ChoiceNumbers::None,
             options.machine.device);
  add.toggle("--share-device", "allow several ranks on one device",
             [&options] { options.machine.share_device = true; });
  add.text({"--arithmetic", "KIND",
            "products of the tail update: fp64 (default), emulated[:MODULI] by 12 to 16 INT8 "
            "products each"},
           [&options](std::string_view name, std::string_view value) {
             options.wishes.emulated_moduli = require_arithmetic(name, value);
           });
  add.choice({"--panel", "PLACE", "where panels are factorized: {} (default: auto)"},
             kPanelRequests, ChoiceNumbers::None, options.wishes.panel);
  add.choice({"--pipeline", "KIND",
              "auto, fine (four workers), coarse (one thread, panels beside updates) or serial "
              "(default: auto)"},
             kPipelineRequests, ChoiceNumbers::None, options.wishes.pipeline);
  add.choice({"--transport", "KIND",
              "how device memory travels between ranks: {} (default: auto, the fastest)"},
             kTransportRequests, ChoiceNumbers::None, options.wishes.transport);
  add.choice(
      {"--pivots", "PATH", "how devices exchange pivots: auto (peer memory, else hosts), host"},
      kPivotPaths, ChoiceNumbers::None, options.wishes.pivots);
  add.choice({"--balance", "CHOICE",
              "distribution of blocks: rates (by DGEMM rates), even, off (block-cyclic); "
              "auto (default): rates on GPUs, else even"},
             kBalanceRequests, ChoiceNumbers::None, options.wishes.balance);
}

/// A matrix in host memory.
void add_host_memory(FlagAdder& add, Options& options) {
  add.choice(
      {"--matrix", "MEMORY",
       "the matrix lives in: device (default), host as far as the device is too small, auto: "
       "host where N does not fit the device"},
      kMatrixRequests, ChoiceNumbers::None, options.wishes.matrix);
  add.choice(
      {"--host-schedule", "KIND",
       "columns in host memory visit the device for several steps: visits (default); for each "
       "step: three-stage"},
      kHostSchedules, ChoiceNumbers::None, options.wishes.host_schedule);
  add.integer({"--visit-steps", "STEPS", "steps of a visit (default: chosen)"}, kVisitRange,
              options.wishes.visit_steps);
  add.integer(
      {"--visit-columns", "COLUMNS", "columns of a visit, a divisor of NB (default: chosen)"},
      kChunkRange, options.wishes.visit_columns);
  add.text({"--host-share", "SHARE",
            "of the tail update that the host's cores take, on columns in its memory: auto (by "
            "rates), a fraction, 0 (default)"},
           [&options](std::string_view name, std::string_view value) {
             options.wishes.host_share = require_host_share(name, value);
           });
  add.text({"--device-memory", "SIZE", "use so much of each device's memory at most: 40G, 512M"},
           [&options](std::string_view name, std::string_view value) {
             options.machine.device_memory = require_bytes(name, value);
           });
  add.text({"--pinned-memory", "SIZE",
            "pin so much of a matrix in host memory at most (default: all of it)"},
           [&options](std::string_view name, std::string_view value) {
             options.wishes.pinned_memory = value == "0" ? 0 : require_bytes(name, value);
           });
}

/// Threads and pieces of work.
void add_sizes_of_work(FlagAdder& add, Options& options) {
  add.toggle("--reproducible",
             "the same solution to the last bit in every job of this input, grid and machine",
             [&options] { options.wishes.reproducible = true; });
  add.integer({"--threads", "T", "compute threads per rank; 0: the cores of the rank (default)"},
              kThreadRange, options.machine.threads);
  add.integer({"--chunk", "COLUMNS", "width of a chunk of the tail matrix (default: chosen)"},
              kChunkRange, options.wishes.chunk);
  add.integer({"--solve-rows", "ROWS",
               "rows of U per product with the inverse of L11; 0: triangular solve "
               "(default: chosen)"},
              kSolveRange, options.wishes.solve_rows);
  add.integer(
      {"--panel-units", "UNITS",
       "multiprocessors for the device panel while the tail is large; 0: all (default: chosen)"},
      kThreadRange, options.wishes.panel_units);
}

/// The time before the runs, and the watch over them.
void add_preparation(FlagAdder& add, Options& options) {
  add.toggle("--dry-run", "print plan, memory and estimated time, run nothing",
             [&options] { options.dry_run = true; });
  add.toggle("--explain", "print every choice with its reason, run nothing",
             [&options] { options.explain = true; });
  add.toggle("--no-ceiling", "do not measure the DGEMM rate",
             [&options] { options.wishes.attainable_rate = false; });
  add.toggle("--no-check", "skip the short check of the machine before the runs",
             [&options] { options.check.before_runs = false; });
  add.real({"--check-tolerance", "PERCENT",
            "how much worse than the median makes an outlier (default: 5)"},
           0, kLargestCheckTolerance, options.check.tolerance);
  add.toggle("--no-bind", "do not bind ranks and threads",
             [&options] { options.machine.bind = false; });
  add.text(
      {"--watchdog", "SECONDS", "abort when no step ends for SECONDS; 0: never (default: 600)"},
      [&options](std::string_view name, std::string_view value) {
        const auto seconds = parse_real(value);
        if (!seconds || *seconds < 0 || *seconds > kLongestWatchdog) {
          throw ConfigError(fmt::format("{} must be seconds from 0 to {:.0f}, found {}", name,
                                        kLongestWatchdog, quote_printable(value)));
        }
        options.watchdog_seconds = *seconds;
      });
}

}  // namespace

void add_run_flags(CommandLine& line, Options& options) {
  line.group(kRunGroup);
  FlagAdder add(line);
  add_means(add, options);
  add_host_memory(add, options);
  add_sizes_of_work(add, options);
  add_preparation(add, options);
}

}  // namespace hpl
