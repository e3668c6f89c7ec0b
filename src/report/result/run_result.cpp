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

Verdict run_verdict(const RunResult& result) {
  if (!run_failures(result).empty()) return Verdict::Failed;
  if (result.stopped) return Verdict::Stopped;
  return result.residual ? Verdict::Passed : Verdict::Unchecked;
}

bool lacks_check(const RunResult& result) {
  return result.spec.threshold > 0 && run_verdict(result) == Verdict::Unchecked;
}

Tally counted(Tally tally, Verdict verdict) {
  ++(verdict == Verdict::Passed    ? tally.passed
     : verdict == Verdict::Failed  ? tally.failed
     : verdict == Verdict::Stopped ? tally.stopped
                                   : tally.unchecked);
  return tally;
}

}  // namespace hpl
