#include <string_view>

#include <fmt/format.h>

#include "flags.h"
#include "hpl/base/error/error.h"
#include "hpl/base/text/duration.h"
#include "hpl/base/text/host_list.h"
#include "hpl/base/text/text_value.h"
#include "hpl/input/run_spec/field_rules.h"

namespace hpl {
namespace {

using detail::FlagAdder;

constexpr double kLargestMemFraction = 0.98;
constexpr double kLongestDeepCheck = 3600;  // seconds
constexpr double kMostSpreads = 1e6;
constexpr IntegerRange kVerifyRange{1, kLargestOrder};
constexpr double kHighestRate = 1e15;       // GFLOP/s
constexpr double kHighestEfficiency = 100;  // percent: no run gets beyond its attainable rate
constexpr double kWidestSpread = 1e6;       // percent

void add_tuning(FlagAdder& add, Options& options) {
  add.path({"--tune", "FILE",
            "search for the settings that are fastest here, write them to FILE as HPL.dat and what "
            "was measured beside it; goes on where a job before was stopped"},
           options.tune.dat_file);
  add.text({"--tune-for", "TIME", "time for all trials of --tune: 30s, 10m, 2h (default: 10m)"},
           [&options](std::string_view name, std::string_view value) {
             options.tune.seconds = require_duration(name, value);
           });
  add.choice({"--tune-method", "METHOD", "how --tune searches: {} (default: halving)"},
             kTuneMethods, ChoiceNumbers::None, options.tune.method);
}

}  // namespace

void add_input_flags(CommandLine& line, Options& options) {
  line.group("Input");
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

void add_fleet_flags(CommandLine& line, Options& options) {
  line.group("A fleet");
  FlagAdder add(line);
  add.text(Flag{.names = "--each",
                .value = "MEMBER",
                .help = "every device, node or pair of neighbouring nodes solves a system of its "
                        "own, all at the same time; the slow and the wrong ones are named",
                .words = choice_names(kFleetMemberKinds)},
           [&options](std::string_view name, std::string_view value) {
             options.fleet.each =
                 require_choice(name, value, kFleetMemberKinds, ChoiceNumbers::None);
           });
  add.text({"--for", "TIME", "with --each: repeat for so long: 90s, 30m, 1h30m, 1d"},
           [&options](std::string_view name, std::string_view value) {
             options.fleet.for_seconds = require_duration(name, value);
           });
  add.text({"--check-spreads", "COUNT",
            "with --each: an outlier is also worse than the median by so many robust spreads of "
            "the fleet (default: 3)"},
           [&options](std::string_view name, std::string_view value) {
             const auto count = parse_real(value);
             if (!count || *count < 0 || *count > kMostSpreads)
               throw ConfigError(fmt::format("{} must be from 0 to {:g}, found {}", name,
                                             kMostSpreads, quote_printable(value)));
             options.fleet.spreads = *count;
           });
  add.path({"--reference", "FILE",
            "with --each: compare with an earlier acceptance, its --json or --write-reference"},
           options.fleet.reference);
  add.path({"--write-reference", "FILE",
            "with --each: write the figures of this fleet for a later --reference"},
           options.fleet.reference_copy);
  add.path({"--pass-list", "FILE", "with --each: write the nodes that passed: node[01-03,07]"},
           options.fleet.pass_list);
  add.path({"--fail-list", "FILE", "with --each: write the nodes that failed, for srun --exclude"},
           options.fleet.fail_list);
  add.text({"--expect-hosts", "LIST",
            "with --each: these hosts, node[01-32], are the fleet; who is missing has failed"},
           [&options](std::string_view name, std::string_view value) {
             options.fleet.expected_hosts = require_hosts(name, value);
           });
}

void add_verdict_flags(CommandLine& line, Options& options) {
  line.group("Verdict");
  FlagAdder add(line);
  Gates& gates = options.gates;
  add.real({"--min-gflops", "RATE", "exit code 1 when a run stays below RATE GFLOP/s"}, 0,
           kHighestRate, gates.min_gflops);
  add.real({"--min-efficiency", "PERCENT",
            "exit code 1 when a run stays below this share of the DGEMM rate"},
           0, kHighestEfficiency, gates.min_efficiency);
  add.real({"--min-peak-efficiency", "PERCENT",
            "exit code 1 when a run stays below this share of Rpeak"},
           0, kHighestEfficiency, gates.min_peak_efficiency);
  add.real({"--rpeak", "RATE",
            "theoretical peak of a rank's device, or of its cores, in GFLOP/s (default: from clock "
            "and units)"},
           0, kHighestRate, options.machine.rpeak);
  add.real({"--max-spread", "PERCENT",
            "exit code 1 when repetitions or ranks differ by more, (max - min) / median"},
           0, kWidestSpread, gates.max_spread);
  add.toggle("--verify-steps",
             "carry checksums through the factorization (default: after a failure)",
             [&options] { options.wishes.verify_steps = true; });
  add.toggle("--no-verify-steps", "carry none, not even when a residual has failed",
             [&options] { options.wishes.verify_steps = false; });
  add.integer(
      {"--verify-interval", "STEPS", "compare checksums every STEPS steps (default: chosen)"},
      kVerifyRange, options.wishes.verify_interval);
  add.text({"--stop-after", "FRACTION",
            "stop after this fraction of the operations, 0 < FRACTION < 1, and project the result"},
           [&options](std::string_view name, std::string_view value) {
             const auto fraction = parse_real(value);
             if (!fraction || *fraction <= 0 || *fraction >= 1) {
               throw ConfigError(fmt::format("{} must be above 0 and below 1, found {}", name,
                                             quote_printable(value)));
             }
             options.wishes.stop_after = fraction;
           });
}

void add_output_flags(CommandLine& line, Options& options) {
  line.group("Output");
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

void add_information_flags(CommandLine& line, Options& options, bool& help) {
  line.group("Information");
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
  add_tuning(add, options);
  add.toggle("--list-devices", "show the devices of this machine and stop",
             [&options] { options.list_devices = true; });
}

}  // namespace hpl
