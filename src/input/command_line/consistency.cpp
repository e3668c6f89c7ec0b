#include "consistency.h"

#include "fleet_options.h"
#include "hpl/base/error/error.h"
#include "modes.h"
#include "tune_options.h"

namespace hpl {

namespace {

/// The host computes in FP64, carries no checksums, and only on columns in its memory.
void require_host_can_take_part(const Options& options) {
  if (options.wishes.matrix == MatrixRequest::Device)
    throw ConfigError(
        "--host-share needs columns in host memory; give it with --matrix host or auto");
  if (options.wishes.emulated_moduli > 0)
    throw ConfigError(
        "--host-share and --arithmetic emulated contradict each other: the host's products are in "
        "FP64");
  if (options.wishes.verify_steps.value_or(false))
    throw ConfigError(
        "--host-share and --verify-steps contradict each other: checksums are compared on the "
        "device");
  if (options.wishes.reproducible && !options.wishes.host_share)
    throw ConfigError(
        "--host-share auto and --reproducible contradict each other: it follows what is measured; "
        "give a fraction");
}

}  // namespace

void require_consistent(const Options& options) {
  require_written_outputs(options);
  require_consistent_fleet(options);
  if (options.wishes.host_schedule == HostSchedule::ThreeStage && options.wishes.visit_steps) {
    throw ConfigError(
        "--host-schedule three-stage and --visit-steps contradict each other: its visits are of "
        "one step");
  }
  if (options.wishes.host_share != 0.0) require_host_can_take_part(options);
  if (!options.fields.orders.empty() && options.runs.mem_fraction) {
    throw ConfigError("-N and --mem-fraction both choose N; give one of them");
  }
  if (options.fields.grid == GridRequest::Auto &&
      (!options.fields.grid_rows.empty() || !options.fields.grid_columns.empty())) {
    throw ConfigError("--grid auto and -P or -Q both choose the grid; give one of them");
  }
  if (options.runs.automatic && options.runs.dat_file) {
    throw ConfigError("--auto and --dat both choose the runs; give one of them");
  }
  if (options.check.deep && !options.check.only)
    throw ConfigError("--deep says how --check looks at the machine; give both");
  if (options.check.deep_seconds && !options.check.deep)
    throw ConfigError("--deep-seconds says how long --check --deep measures; give all three");
  require_consistent_tuning(options);
  if (options.check.only && !options.check.before_runs) {
    throw ConfigError("--check and --no-check contradict each other; give one of them");
  }
  if (options.gates.min_efficiency && !options.check.attainable_rate) {
    throw ConfigError("--min-efficiency needs the DGEMM rate, which --no-ceiling leaves out");
  }
  if (options.wishes.reproducible && options.wishes.balance == BalanceRequest::Rates) {
    throw ConfigError(
        "--reproducible and --balance rates contradict each other: rates are measured anew in "
        "every "
        "job; give one of them");
  }
  if (options.wishes.verify_interval && !options.wishes.verify_steps.value_or(false)) {
    throw ConfigError("--verify-interval says how often --verify-steps compares; give both");
  }
  if (options.power.scope != PowerScope{} && options.power.command.empty()) {
    throw ConfigError(
        "--power-scope says what the meter of --power-command sees; give both, or give it to "
        "xhpl-report with --power-log");
  }
  if (options.gates.any() && options.wishes.stop_after) {
    throw ConfigError(
        "--min-gflops, --min-efficiency, --min-peak-efficiency and --max-spread judge whole runs; "
        "with --stop-after there are none");
  }
}

}  // namespace hpl
