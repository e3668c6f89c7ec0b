#include "hpl/report/result/run_result.h"

#include "hpl/base/record/text_forms.h"
#include "hpl/report/result/run_failures.h"

namespace hpl {

std::optional<double> efficiency_of_peak(const RunResult& run) {
  // Rpeak is that of FP64.
  if (run.stopped || run.spec.mixed || !run.peak || !(run.peak->gflops > 0)) return std::nullopt;
  return run.gflops / run.peak->gflops;
}

std::string hash_text(std::uint64_t hash) {
  return kHashForm.text(hash);
}

RunStatus run_status(const RunResult& result) {
  if (!run_failures(result).empty()) return RunStatus::Failed;
  if (result.stopped) return RunStatus::Stopped;
  return result.residual ? RunStatus::Passed : RunStatus::Unchecked;
}

bool lacks_check(const RunResult& result) {
  return result.spec.threshold > 0 && run_status(result) == RunStatus::Unchecked;
}

Tally counted(Tally tally, RunStatus status) {
  switch (status) {
    case RunStatus::Passed:
      ++tally.passed;
      break;
    case RunStatus::Failed:
      ++tally.failed;
      break;
    case RunStatus::Unchecked:
      ++tally.unchecked;
      break;
    case RunStatus::Stopped:
      ++tally.stopped;
      break;
  }
  return tally;
}

}  // namespace hpl
