#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string_view>

#include "flags.h"
#include "hpl/base/error/error.h"
#include "hpl/base/text/quantity.h"
#include "hpl/base/text/text_value.h"
#include "hpl/input/run_spec/field_rules.h"

namespace hpl {
namespace {

constexpr const char* kInputGroup = "Input";
constexpr const char* kVerdictGroup = "Verdict";
constexpr const char* kOutputGroup = "Output";
constexpr double kLargestMemFraction = 0.98;
constexpr double kLongestDeepCheck = 3600;  // seconds
constexpr double kLargestTolerance = 1000;  // percent
constexpr double kMostSpreads = 1e6;
constexpr IntegerRange kVerifyRange{1, kLargestOrder};
constexpr IntegerRange kPlannedRanks{1, 1'000'000};
constexpr double kHighestRate = 1e15;       // GFLOP/s
constexpr double kHighestEfficiency = 100;  // percent: no run gets beyond its attainable rate
constexpr double kWidestSpread = 1e6;       // percent
constexpr double kLongestWatchdog = 1e9;    // seconds

constexpr std::array<Choice<std::optional<bool>>, 3> kWhen{{
    {std::nullopt, "auto"},
    {false, "never"},
    {true, "always"},
}};

/// 0.8 or 80%.
double require_fraction(std::string_view flag, std::string_view text) {
  const bool percent = text.ends_with('%');
  const auto number = parse_real(text.substr(0, text.size() - (percent ? 1 : 0)));
  const double fraction = number.value_or(0) / (percent ? 100 : 1);
  if (!(fraction > 0) || fraction > kLargestMemFraction)
    throw ConfigError("{} must be above 0 and at most {} or {:g}%, found {}", flag,
                      kLargestMemFraction, 100 * kLargestMemFraction, quote_printable(text));
  return fraction;
}

/// KEY=VALUE, a list. A key is a name in any program; a later one of the same key counts.
NamedValues require_labels(std::string_view flag, std::string_view text) {
  constexpr std::size_t kLongest = 200;
  NamedValues labels;
  for (const std::string_view item : detail::split_list(flag, text)) {
    const auto [key, value] = split_pair(item, '=');
    const bool is_name = !key.empty() && std::ranges::all_of(key, [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    }) && std::isdigit(static_cast<unsigned char>(key.front())) == 0;
    const bool is_text = !value.empty() && value.size() <= kLongest && one_line(value) == value;
    if (!is_name || !is_text)
      throw ConfigError(
          "{} must be a list of KEY=VALUE (KEY: letters, digits and _, no digit first; VALUE: 1 to "
          "{} characters in one line), found {}",
          flag, kLongest, quote_printable(item));
    std::erase_if(labels, [key = key](const auto& label) { return label.first == key; });
    labels.emplace_back(key, value);
  }
  return labels;
}

void take_verify(std::string_view flag, std::string_view text, Wishes& wishes) {
  wishes.verify_steps = std::nullopt;
  wishes.verify_interval = std::nullopt;
  if (same_word(text, "auto")) return;
  wishes.verify_steps = !same_word(text, "never");
  if (*wishes.verify_steps && !same_word(text, "always"))
    wishes.verify_interval =
        require_integer(flag, text, kVerifyRange, ", or auto, never or always");
}

/// The file for which the command is there.
void add_product(FlagAdder& add, const char* help, std::optional<std::filesystem::path>& file) {
  add.path({"-o,--output", "FILE", help}, file);
}

void add_time(FlagAdder& add, const char* help, std::optional<double>& seconds) {
  add.parsed({"--for", "TIME", help}, require_duration, seconds);
}

void begin_gates(FlagAdder& add, const Options& options) {
  add.group("Gates", options.command == Command::Fleet ||
                         options.command == Command::Mxp);  // whose help is long
}

}  // namespace

void add_input_flags(FlagAdder& add, Options& options) {
  add.group(kInputGroup);
  add.commands("run mxp check fleet rates plan");
  add.path({"--dat", "FILE", "read FILE, not ./HPL.dat; -: standard input"}, options.runs.dat_file,
           kStandardInput);
  add.toggle("--auto", "choose N, NB, P, Q for this machine; flags given stay as given",
             options.runs.automatic, true);
  add.commands(kAllJobs);
  add.parsed({"--mem-fraction", "F", "choose N to fill this fraction of the free memory: 0.8, 80%"},
             require_fraction, options.runs.mem_fraction);
  add.commands("run mxp fleet tune plan");
  add.path({"--rates", "FILE", "rates of this machine (xhpl rates): times are estimated by them"},
           options.rates.input);
}

void add_command_flags(FlagAdder& add, Options& options) {
  add.group("Check");
  add.commands("check");
  add.host_lists(options.fleet.lists);
  add.text(Flag{.names = "--deep",
                .value = "TIME",
                .help = "measure copies one by one and all at once, and starts, too, in about this "
                        "time (default: 10s)",
                .optional = true},
           [&options](std::string_view name, std::string_view value) {
             options.check.deep = true;
             if (value.empty()) return;
             options.check.deep_seconds = require_duration(name, value);
             if (options.check.deep_seconds > kLongestDeepCheck)
               throw ConfigError("{} must be at most 1h, found {}", name, quote_printable(value));
           });

  add.path({"--reference", "FILE", "compare with an earlier check: its --json"},
           options.check.reference);

  add.group("Fleet");
  add.commands("fleet");
  FleetOptions& fleet = options.fleet;
  add.toggle("--plan", "show the plan of the members, run nothing", fleet.plan, true);
  // As the first word it hands over to a program of its own.
  add.toggle("--by-job",
             "one job a node, so that a rank that dies ends no other: xhpl fleet --by-job --help",
             [] {
               throw ConfigError(
                   "--by-job must be the first word behind xhpl fleet; its own options and the "
                   "flags of the jobs follow it");
             });
  add_time(add, "repeat for so long: 90s, 30m, 1h30m, 1d", fleet.for_seconds);
  add.text({"--spreads", "COUNT",
            "an outlier is also worse than the median by so many robust spreads of the fleet "
            "(default: 3)"},
           [&fleet](std::string_view name, std::string_view value) {
             const auto count = parse_real(value);
             if (!count || *count < 0 || *count > kMostSpreads)
               throw ConfigError("{} must be from 0 to {:g}, found {}", name, kMostSpreads,
                                 quote_printable(value));
             fleet.spreads = *count;
           });
  add.path({"--reference", "FILE", "compare with an earlier fleet: its --json"}, fleet.reference);
  add.path({"--expect", "SHEET",
            "rates that a data sheet lets expect; who is below them is slow: auto (the sheet of "
            "the devices), or its file"},
           fleet.expectation);
  add.host_lists(fleet.lists);
  add.hosts({"--expect-hosts", "LIST",
             "these hosts, node[01-32], are the fleet; who is missing has failed"},
            fleet.expected_hosts);

  add.group("Search");
  add.commands("tune");
  add_product(add,
              "the HPL.dat to write; the trials stand in FILE.json, from where a search resumes",
              options.outputs.dat);
  add.parsed({"--for", "TIME", "time for all trials: 30s, 10m, 2h (default: 10m)"},
             require_duration, options.tune.seconds);
  add.path({"--json", "FILE", "keep the trials in FILE (default: beside the HPL.dat)"},
           options.outputs.json);
  add.choice({"--method", "METHOD", "{} (default: halving)"}, kTuneMethods, options.tune.method);

  add.group("Rates");
  add.commands("rates");
  add_product(add, "the rates to write, for xhpl predict and --rates", options.rates.output);

  add.group("Plan");
  add.commands("plan");
  add_product(add, "write an HPL.dat of these runs", options.outputs.dat);
  add.integer({"--ranks", "R", "plan for R ranks on nodes like this one, without mpirun"},
              kPlannedRanks, options.plan.ranks);
  add.integer(
      {"--ranks-per-node", "R",
       "ranks on each of these nodes (default: one per GPU, or per NUMA node without GPUs)"},
      kPlannedRanks, options.plan.ranks_per_node);
}

void add_verdict_flags(FlagAdder& add, Options& options) {
  begin_gates(add, options);
  add.commands("run mxp fleet");
  Gates& gates = options.gates;
  add.real({"--min-gflops", "RATE", "exit code 4 when a run stays below RATE GFLOP/s"}, 0,
           kHighestRate, gates.min_gflops);
  add.real({"--min-efficiency", "PERCENT",
            "exit code 4 when a run stays below this share of the attainable rate"},
           0, kHighestEfficiency, gates.min_efficiency);
  add.real({"--min-peak-efficiency", "PERCENT",
            "exit code 4 when a run stays below this share of Rpeak"},
           0, kHighestEfficiency, gates.min_peak_efficiency);
  add.real({"--rpeak", "RATE",
            "theoretical peak of a rank's device, or of its cores, in GFLOP/s (default: from clock "
            "and units)"},
           0, kHighestRate, options.machine.rpeak);
  add.real({"--max-spread", "PERCENT",
            "exit code 4 when repetitions or ranks differ by more, (max - min) / median"},
           0, kWidestSpread, gates.max_spread);

  add.group(kVerdictGroup);
  add.commands("run fleet plan");
  add.text({"--verify", "WHEN",
            "checksums through the factorization: auto (default: after a failure), never, always, "
            "or compared every so many steps: 8"},
           [&options](std::string_view name, std::string_view value) {
             take_verify(name, value, options.wishes);
           });
  add.commands("run mxp plan");
  add.text({"--stop-after", "FRACTION",
            "stop after this fraction of the operations, 0 < FRACTION < 1, and project the result"},
           [&options](std::string_view name, std::string_view value) {
             const auto fraction = parse_real(value);
             if (!fraction || *fraction <= 0 || *fraction >= 1) {
               throw ConfigError("{} must be above 0 and below 1, found {}", name,
                                 quote_printable(value));
             }
             options.wishes.stop_after = fraction;
           });
  add.commands("run mxp fleet tune plan");
  add.toggle("--no-attainable", "do not measure the attainable rate, that of matrix products",
             options.wishes.attainable_rate, false);
  add.commands("run mxp fleet");
  add.toggle("--no-check", "skip the short check of the machine before the runs",
             options.check.before_runs, false);

  begin_gates(add, options);
  add.commands("run mxp check fleet");
  add.real({"--tolerance", "PERCENT", "so much worse than the median is an outlier (default: 5)"},
           0, kLargestTolerance, options.check.tolerance);
  add.commands("check fleet");
  add.toggle("--strict", "exit code 4 also if a single figure is out, which is a warning otherwise",
             options.check.strict, true);
  add.toggle("--share-cores", "allow several ranks on one core; then nothing is compared",
             options.machine.share_cores, true);
}

void add_output_flags(FlagAdder& add, Options& options) {
  add.group(kOutputGroup);
  add.commands("run mxp check fleet");
  add_product(add, "write the report to FILE", options.outputs.report);
  add.path(
      {"--json", "FILE",
       "write everything as JSON to FILE; -: standard output, the report goes to standard error"},
      options.outputs.json, kStandardOutput);
  add.path({"--page", "FILE", "write a page to read: verdict, charts and tables in one file"},
           options.outputs.page);
  add.commands("run mxp fleet");
  add.path({"--csv", "FILE", "append to the table FILE: one row a run, of a fleet one a member"},
           options.outputs.csv);
  add.commands("run mxp");
  add.path({"--trace", "FILE", "write a timeline for Perfetto to FILE"}, options.outputs.trace);
  add.commands("run mxp check fleet tune rates");
  add.parsed({"--label", "LIST", "words for every document: site=north,image=2026-11"},
             require_labels, options.outputs.labels);

  add.group("Power");
  add.commands("run mxp");
  add.text(
      {"--power-command", "CMD",
       "a program that prints watts, a number a line; one that ends is started again every second"},
      [&options](std::string_view, std::string_view value) { options.power.command = value; });
  add.power_scope(options.power.scope);

  add.group("Every command");
  add.commands(kAllJobs);
  add.choice({"--progress", "WHEN", "show how far it is: {} (default: auto, on a terminal)"}, kWhen,
             options.outputs.progress);
  add.toggle("-q,--quiet", "show the verdict alone, with what is wrong; no progress",
             options.outputs.detail, Detail::Verdict);
  add.toggle("-v,--verbose", "show every detail, and every member of a list",
             options.outputs.detail, Detail::Everything);
  add.choice(
      {"--color", "WHEN", "color the verdicts and remarks: {} (default: auto, on a terminal)"},
      kWhen, options.outputs.color);
  add.text(
      {"--watchdog", "SECONDS", "abort when no step ends for SECONDS; 0: never (default: 600)"},
      [&options](std::string_view name, std::string_view value) {
        const auto seconds = parse_real(value);
        if (!seconds || *seconds < 0 || *seconds > kLongestWatchdog) {
          throw ConfigError("{} must be seconds from 0 to {:.0f}, found {}", name, kLongestWatchdog,
                            quote_printable(value));
        }
        options.watchdog_seconds = *seconds;
      });
}

}  // namespace hpl
