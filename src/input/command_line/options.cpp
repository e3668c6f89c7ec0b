#include "hpl/input/command_line/options.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "consistency.h"
#include "field_options.h"
#include "fleet_options.h"
#include "hpcx/emulation.h"
#include "hpl/base/error/error.h"
#include "hpl/base/text/text_value.h"
#include "hpl/input/command_line/command_line.h"
#include "hpl/input/command_line/flag_adder.h"
#include "hpl/input/run_spec/field_rules.h"
#include "tune_options.h"
#include "verdict_options.h"

namespace hpl {
namespace {

using detail::FlagAdder;

constexpr IntegerRange kRepeatRange{1, 1'000'000};
constexpr IntegerRange kThreadRange{0, 4096};
constexpr IntegerRange kChunkRange{1, kLargestOrder};
constexpr IntegerRange kSolveRange{0, kLargestOrder};
constexpr IntegerRange kVisitRange{1, 64};
constexpr double kLargestMemFraction = 0.98;
constexpr double kLongestWatchdog = 1e9;
constexpr double kLargestCheckTolerance = 1000;
constexpr double kLongestDeepCheck = 3600;  // seconds

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

constexpr const char* kExamples =
    "Examples:\n"
    "  mpirun -np 4 xhpl                               the runs of ./HPL.dat\n"
    "  mpirun -np 4 xhpl --auto                        sizes and grid chosen for this machine\n"
    "  mpirun -np 4 xhpl -N 20000 --NB 192 -P 2 -Q 2   one run without HPL.dat\n"
    "  mpirun -np 4 xhpl --mem-fraction 0.8 -P 2 -Q 2  N from the free memory\n"
    "  mpirun -np 4 xhpl --dat site.dat --NB 128,256 --dry-run\n"
    "  xhpl -N 5000 --json result.json --repeat 3\n"
    "  mpirun -np 4 xhpl --check --json check.json     is this machine fit for a run?\n"
    "  mpirun -np 32 xhpl --each device --auto --fail-list bad.txt  which nodes are not?\n"
    "\n"
    "Lists are written with commas. Every field of HPL.dat is described in docs/input.md.\n"
    "Exit code: 0 all passed, 1 a run or a gate failed, 2 bad input, 3 the run could not go on.";

/// Help groups, in the order in which --help shows them.
constexpr const char* kInputGroup = "Input";
constexpr const char* kFieldGroup = "In place of fields of HPL.dat";
constexpr const char* kRunGroup = "How to run";
constexpr const char* kVerdictGroup = "Verdict";
constexpr const char* kOutputGroup = "Output";
constexpr const char* kInfoGroup = "Information";

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

void add_input(CommandLine& line, Options& options) {
  line.group(kInputGroup);
  FlagAdder add(line);
  add.path({"--dat", "FILE", "read this file (default: HPL.dat of the working directory)"},
           options.runs.dat_file);
  add.toggle("--auto", "choose N, NB, P, Q for this machine; flags given stay as given",
             [&options] { options.runs.automatic = true; });
  add.real(
      {"--mem-fraction", "F", "choose N to fill this fraction of the free memory, 0 < F <= 0.98"},
      0, kLargestMemFraction, options.runs.mem_fraction);
  add.path({"--rates", "FILE",
            "rates of this machine (--measure-rates): times are estimated by the model"},
           options.rates.input);
}

void add_run(CommandLine& line, Options& options) {
  line.group(kRunGroup);
  FlagAdder add(line);
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
  add.toggle("--dry-run", "print plan, memory and estimated time, run nothing",
             [&options] { options.dry_run = true; });
  add.toggle("--explain", "print every choice with its reason, run nothing",
             [&options] { options.explain = true; });
  add.toggle("--no-ceiling", "do not measure the DGEMM rate",
             [&options] { options.check.attainable_rate = false; });
  add.toggle("--no-check", "skip the short check of the machine before the runs",
             [&options] { options.check.before_runs = false; });
  add.text({"--check-tolerance", "PERCENT",
            "how much worse than the median makes an outlier (default: 5)"},
           [&options](std::string_view name, std::string_view value) {
             const auto percent = parse_real(value);
             if (!percent || *percent <= 0 || *percent > kLargestCheckTolerance) {
               throw ConfigError(fmt::format("{} must be above 0 and at most {:g}, found {}", name,
                                             kLargestCheckTolerance, quote_printable(value)));
             }
             options.check.tolerance = *percent;
           });
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

void add_output(CommandLine& line, Options& options) {
  line.group(kOutputGroup);
  FlagAdder add(line);
  add.path({"--output", "FILE", "write the report to FILE"}, options.outputs.report);
  add.path({"--write-dat", "FILE", "write an HPL.dat that makes the same runs to FILE"},
           options.outputs.dat);
  add.path({"--json", "FILE", "write everything as JSON to FILE"}, options.outputs.json);
  add.path({"--csv", "FILE", "append one row a run to the table FILE"}, options.outputs.csv);
  add.path({"--trace", "FILE", "write a timeline for Perfetto to FILE"}, options.outputs.trace);
  add.text({"--power-command", "CMD",
            "a program that prints watts, a number a line; one that ends is started again every "
            "second"},
           [&options](std::string_view, std::string_view value) { options.power.command = value; });
  add.text({"--power-scope", "LIST",
            "what that meter sees: fraction=1/8 (of the machine), subsystems=compute, estimated or "
            "all, place=upstream, modeled, downstream or component"},
           [&options](std::string_view name, std::string_view value) {
             options.power.scope = parse_power_scope(name, value);
           });
  add.toggle("--progress", "show progress lines (default: on a terminal)",
             [&options] { options.outputs.progress = true; });
  add.toggle("--no-progress", "show no progress lines",
             [&options] { options.outputs.progress = false; });
}

void add_information(CommandLine& line, Options& options, bool& help) {
  line.group(kInfoGroup);
  FlagAdder add(line);
  add.toggle("-h,--help", "show this text and stop", [&help] { help = true; });
  add.toggle("--version", "show version, compiler, MPI, BLAS and back ends and stop",
             [&options] { options.show_version = true; });
  add.toggle("--check",
             "check all ranks, devices and links, name what is wrong or slow, run nothing",
             [&options] { options.check.only = true; });
  add.toggle("--deep",
             "with --check: what bounds processors, memories and copies, by products of every kind",
             [&options] { options.check.deep = true; });
  add.real({"--deep-seconds", "SECONDS", "that --deep may take, about (default: 60)"}, 0,
           kLongestDeepCheck, options.check.deep_seconds);
  add.path({"--measure-rates", "FILE",
            "measure what xhpl-predict needs to know of this machine, on all ranks, run nothing"},
           options.rates.output);
  add_tune_flags(add, options);
  add.toggle("--list-devices", "show the devices of this machine and stop",
             [&options] { options.list_devices = true; });
}

/// The flags, which write to the other two.
CommandLine command_line(Options& options, bool& help) {
  CommandLine line("xhpl",
                   "xhpl: the High-Performance Linpack benchmark. Solves A x = b on a P x Q grid "
                   "of MPI\nprocesses, one device each, and reports the rate.",
                   kExamples);
  add_input(line, options);
  line.group(kFieldGroup);
  FlagAdder fields(line);
  add_field_flags(fields, options);
  add_run(line, options);
  add_fleet_flags(line, options);
  line.group(kVerdictGroup);
  FlagAdder verdict(line);
  add_verdict_flags(verdict, options);
  add_output(line, options);
  add_information(line, options, help);
  return line;
}

/// The flag alone leaves the options as they are.
bool asks_for_the_default(const GivenFlag& flag) {
  Options options;
  bool help = false;
  const std::array<const char*, 3> words{"xhpl", flag.name.c_str(), flag.value.c_str()};
  command_line(options, help).parse(flag.value.empty() ? 2 : 3, words.data());
  return options == Options();
}

}  // namespace

std::filesystem::path Options::evidence_file() const {
  return outputs.json.value_or(tune.dat_file.value_or("") += ".json");
}

std::string flags_of_runs(const Options& options) {
  std::string text;
  for (const GivenFlag& flag : options.given) {
    if (flag.group != kRunGroup) continue;
    text += fmt::format("{}{}{}{}", text.empty() ? "" : " ", flag.name,
                        flag.value.empty() ? "" : " ", flag.value);
  }
  return text;
}

std::vector<GivenFlag> flags_that_decide(const Options& options) {
  constexpr std::array<std::string_view, 4> kWithoutEffect{"--no-ceiling", "--no-check",
                                                           "--check-tolerance", "--watchdog"};
  std::vector<GivenFlag> flags;
  for (const GivenFlag& flag : options.given) {
    if (flag.group != kFieldGroup && flag.group != kRunGroup) continue;
    if (std::ranges::find(kWithoutEffect, flag.name) != kWithoutEffect.end()) continue;
    if (!asks_for_the_default(flag)) flags.push_back(flag);
  }
  return flags;
}

std::vector<Flag> command_line_flags() {
  Options options;
  bool help = false;
  return command_line(options, help).flags();
}

Options parse_command_line(int argc, const char* const* argv) {
  Options options;
  bool help = false;
  CommandLine line = command_line(options, help);
  line.parse(argc, argv);
  options.words.assign(argv + std::min(argc, 1), argv + argc);
  options.given = line.given();
  if (help) {
    options.help_text = line.help();
    return options;
  }
  line.refuse_unknown("lists are written with commas (-N 1000,2000), ");
  require_consistent(options);
  return options;
}

}  // namespace hpl
