#include "verdict_options.h"

#include <fmt/format.h>

#include "hpl/base/error/error.h"
#include "hpl/base/text/text_value.h"
#include "hpl/input/run_spec/field_rules.h"

namespace hpl {
namespace {

constexpr IntegerRange kVerifyRange{1, kLargestOrder};
constexpr double kHighestRate = 1e15;       // GFLOP/s
constexpr double kHighestEfficiency = 100;  // percent: no run gets beyond its attainable rate
constexpr double kWidestSpread = 1e6;       // percent

}  // namespace

void add_verdict_flags(detail::FlagAdder& add, Options& options) {
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

}  // namespace hpl
