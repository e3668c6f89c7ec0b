#include "tune_options.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "hpl/base/error/error.h"
#include "hpl/base/text/duration.h"

namespace hpl {

void add_tune_flags(detail::FlagAdder& add, Options& options) {
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

void require_consistent_tuning(const Options& options) {
  if (!options.tune.dat_file) {
    if (options.tune.seconds || options.tune.method)
      throw ConfigError(fmt::format("{} says how --tune searches; give --tune FILE as well",
                                    options.tune.seconds ? "--tune-for" : "--tune-method"));
    return;
  }
  const std::array<std::pair<bool, const char*>, 15> contradicting{{
      {options.dat_file.has_value(), "--dat"},
      {options.automatic, "--auto"},
      {options.check, "--check"},
      {options.rates_file.has_value(), "--measure-rates"},
      {options.dry_run, "--dry-run"},
      {options.explain, "--explain"},
      {options.stop_after.has_value(), "--stop-after"},
      {options.repeat != 1, "--repeat"},
      {options.gates.any(), "a gate"},
      {options.verify_steps.value_or(false), "--verify-steps"},
      {options.reproducible, "--reproducible"},
      {options.dat_copy.has_value(), "--write-dat"},
      {options.csv_file.has_value(), "--csv"},
      {options.trace_file.has_value(), "--trace"},
      {!options.power_command.empty(), "--power-command"},
  }};
  for (const auto& [given, flag] : contradicting)
    if (given)
      throw ConfigError(
          fmt::format("--tune makes trials in place of runs and does not go with {}; give one of "
                      "them",
                      flag));
}

}  // namespace hpl
