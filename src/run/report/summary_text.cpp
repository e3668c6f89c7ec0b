#include "summary_text.h"

#include <algorithm>
#include <ranges>

#include <fmt/format.h>

#include "hpl/base/text/quantity.h"
#include "hpl/base/text/text_value.h"
#include "hpl/report/result/run_failures.h"

namespace hpl {
namespace {

constexpr std::size_t kWidth = 80;

/// A line that takes what fits into its width.
class Line {
 public:
  explicit Line(std::string text) : text_(std::move(text)) {}

  void add(const std::string& part) {
    if (text_.size() + part.size() <= kWidth) text_ += part;
  }
  /// As much of a sentence as there is room for.
  void add_cut(const std::string& sentence) {
    constexpr std::string_view kCut = "...";
    text_ += sentence;
    if (text_.size() > kWidth) text_ = text_.substr(0, kWidth - kCut.size()).append(kCut);
  }
  std::string text() const { return text_ + "\n"; }

 private:
  std::string text_;
};

int total(const Tally& tally) {
  return tally.passed + tally.failed + tally.unchecked + tally.stopped;
}

std::string of_all(int count, const Tally& tally) {
  return fmt::format("{} of {}", count, count_text(total(tally), "run"));
}

/// The first run that failed, and why.
std::string failure_text(const JobReport& job) {
  const auto failed = std::ranges::find_if(
      job.runs, [](const RunResult& run) { return run_verdict(run) == Verdict::Failed; });
  if (failed == job.runs.end()) return {};
  const std::vector<std::string> reasons = run_failures(*failed);
  return fmt::format("; run {}: {}", failed->run_index + 1,
                     reasons.empty() ? "" : one_line(reasons.front()));
}

void add_best(Line& line, const JobReport& job) {
  const RunResult* best = nullptr;
  for (const RunResult& run : job.runs)
    if (!run.stopped && run_verdict(run) != Verdict::Failed &&
        (best == nullptr || run.gflops > best->gflops))
      best = &run;
  if (best == nullptr) return;
  line.add(fmt::format(", best {}{}", rate_text(best->gflops),
                       best->spec.mixed                 ? " of HPL-MxP"
                       : best->spec.emulated_moduli > 0 ? " by emulated FP64"
                                                        : ""));
  if (best->attainable_gflops.value_or(0) > 0)
    line.add(
        fmt::format(" ({} of attainable)", percent_text(best->gflops / *best->attainable_gflops)));
  line.add(fmt::format(", N = {}", best->spec.order));
}

void add_projection(Line& line, const JobReport& job) {
  const auto stopped =
      std::ranges::find_if(job.runs, [](const RunResult& run) { return run.stopped.has_value(); });
  if (stopped == job.runs.end()) return;
  line.add(fmt::format(", projected {}, N = {}", rate_text(stopped->stopped->projected_gflops),
                       stopped->spec.order));
}

}  // namespace

std::string summary_line(const JobReport& job) {
  const Tally& tally = job.tally;
  if (total(tally) == 0) return "# no run was made\n";
  if (tally.failed > 0) {
    Line line("# failed: " + of_all(tally.failed, tally));
    line.add_cut(failure_text(job));
    return line.text();
  }
  const auto missed = std::ranges::find(job.gates, false, &GateResult::held);
  const bool stopped = tally.stopped == total(tally);
  Line line(missed != job.gates.end()
                ? fmt::format("# slow: gate {} {:g} missed", missed->gate, missed->limit)
            : stopped           ? "# stopped early: " + of_all(tally.stopped, tally)
            : tally.passed == 0 ? "# not checked: " + of_all(tally.unchecked, tally)
                                : "# passed: " + of_all(tally.passed, tally));
  if (tally.passed > 0 && tally.unchecked > 0)
    line.add(fmt::format(", {} not checked", tally.unchecked));
  if (!stopped && tally.stopped > 0) line.add(fmt::format(", {} stopped early", tally.stopped));
  add_best(line, job);
  if (stopped) add_projection(line, job);
  return line.text();
}

std::string next_lines(std::span<const NextStep> steps) {
  std::string text;
  for (const NextStep& step : steps)
    text += fmt::format("# next: {}  # {}\n", one_line(step.what), one_line(step.reason));
  return text;
}

}  // namespace hpl
