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
  if (options.fields.threshold && *options.fields.threshold <= 0)
    throw ConfigError(fmt::format(
        "--tune takes a trial only with a residual below the threshold, so --threshold must be "
        "above 0, found {:g}",
        *options.fields.threshold));
  const std::array<std::pair<bool, const char*>, 7> contradicting{{
      {options.runs.dat_file.has_value(), "--dat"},
      {options.runs.automatic, "--auto"},
      {options.wishes.stop_after.has_value(), "--stop-after"},
      {options.runs.repeat != 1, "--repeat"},
      {options.gates.any(), "a gate"},
      {options.wishes.verify_steps.value_or(false), "--verify-steps"},
      {options.wishes.reproducible, "--reproducible"},
  }};
  for (const auto& [given, flag] : contradicting)
    if (given)
      throw ConfigError(
          fmt::format("--tune makes trials in place of runs and does not go with {}; give one of "
                      "them",
                      flag));
}

}  // namespace hpl
