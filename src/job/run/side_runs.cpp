#include "side_runs.h"

#include <algorithm>

#include "hpl/job/setup/attainable_rate.h"
#include "hpl/report/result/run_failures.h"

namespace hpl {

void WarmUp::before(const PlannedRun& run) {
  RunSpec spec = run.spec();
  if (spec.order < kLeastWorthMeasuring ||
      !done_.insert({run.ranks.size(), spec.block_size}).second)
    return;
  spec.order = std::min(spec.order, 6 * spec.block_size);
  spec.threshold = 0;
  RunSettings settings = run.settings();
  settings.stages.narrow_panel_columns = 3 * spec.block_size;  // both kinds of panel
  settings.stages.schedule.step_limit = 0;
  settings.stages.schedule.host_takes_part = false;
  run_benchmark(spec, run.ranks, run.request(settings, "the warm-up before " + run.label(0)));
}

bool ChecksumDiagnosis::after(const PlannedRun& run, RunResult& result) {
  const bool shown = result.checksums && result.checksums->comparisons > 0;
  const bool wanted = run.job.options.wishes.verify_steps.value_or(true) && !shown &&
                      result.residual && !residual_passed(*result.residual);
  RunSpec spec = run.spec();
  spec.checksums = true;
  RunSettings settings = run.settings();
  settings.checksum_interval = 1;
  settings.stages.schedule.host_takes_part = false;
  const bool fits = run.fits_in_memory(spec, settings);
  if (!run.ranks.broadcast_value(wanted && fits && !done_, 0)) return false;
  done_ = true;
  spec.threshold = 0;
  const RunRequest request =
      run.request(settings, "the repetition with checksums of " + run.label(0));
  result.checksums = run_benchmark(spec, run.ranks, request).checksums;
  result.checksums->repeated = true;
  return true;
}

}  // namespace hpl
