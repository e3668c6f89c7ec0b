#include "hpl/run/report/next_steps.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "hpl/base/text/quantity.h"
#include "hpl/report/result/time_account.h"

namespace hpl {

namespace {

constexpr std::size_t kMostSteps = 3;

/// The fastest run of the largest order: it shows most of the machine.
const RunResult* telling_run(const JobReport& job) {
  const RunResult* found = nullptr;
  for (const RunResult& run : job.runs) {
    if (run.stopped || run_status(run) == RunStatus::Failed) continue;
    if (found == nullptr ||
        std::pair(run.spec.order, run.gflops) > std::pair(found->spec.order, found->gflops))
      found = &run;
  }
  return found;
}

std::optional<NextStep> after_failure(const JobReport& job) {
  if (job.tally.failed == 0) return std::nullopt;
  return NextStep{"xhpl check --deep", "finds the device or link that computes or sends wrongly"};
}

std::optional<NextStep> idle_gpus(const RunResult& run, const NextFacts& facts) {
  if (facts.node_ranks == 0 || facts.node_gpus <= facts.node_ranks) return std::nullopt;
  return NextStep{
      fmt::format("mpirun -np {} xhpl{}", facts.node_gpus, run.spec.mixed ? " mxp" : ""),
      fmt::format("{} of {} of this node took part", facts.node_ranks,
                  count_text(facts.node_gpus, "GPU"))};
}

std::optional<NextStep> small_order(const RunResult& run, const NextFacts& facts) {
  constexpr double kSmallShare = 0.5, kWorthIt = 1.1;
  if (facts.memory_share >= kSmallShare ||
      static_cast<double>(facts.larger_order) < kWorthIt * static_cast<double>(run.spec.order))
    return std::nullopt;
  return NextStep{run.spec.mixed ? "xhpl mxp --auto" : "xhpl --auto",
                  fmt::format("N = {} takes {:.2g} % of the memory; --auto takes N = {}, about {}",
                              run.spec.order, 100 * facts.memory_share, facts.larger_order,
                              estimate_text(facts.larger_seconds))};
}

std::optional<NextStep> slow_products(const RunResult& run) {
  constexpr double kSlow = 0.85;
  double alone = 0, in_run = 0;
  for (const auto& [source, gflops] : run.attainable_rates) {
    if (source.alone()) alone = std::max(alone, gflops);
    if (source.moment == RateSource::Moment::InRun) in_run = gflops;
  }
  if (!(in_run > 0) || in_run >= kSlow * alone) return std::nullopt;
  return NextStep{"xhpl check --deep", fmt::format("products ran at {:.0f} % of their rate alone",
                                                   100 * in_run / alone)};
}

std::optional<NextStep> bare_panels(const RunResult& run) {
  constexpr double kMuch = 0.1, kLeastSeconds = 1;  // shorter runs are all panels
  const double share = run.spec.mixed ? 0 : exposed_panel_share(run);
  if (share < kMuch || run.seconds < kLeastSeconds) return std::nullopt;
  return NextStep{
      "xhpl tune -o tuned.dat",
      fmt::format("panels took {:.0f} % of the time with no product beside them", 100 * share)};
}

std::optional<NextStep> page(const NextFacts& facts) {
  if (facts.document.empty()) return std::nullopt;
  return NextStep{fmt::format("xhpl report {} -o run.html", facts.document),
                  "charts of these runs on one page"};
}

}  // namespace

std::vector<NextStep> next_steps(const JobReport& job, const NextFacts& facts) {
  std::vector<NextStep> steps;
  const auto add = [&](std::optional<NextStep> step) {
    const auto same = [&](const NextStep& other) { return other.what == step->what; };
    if (step && steps.size() < kMostSteps && std::ranges::none_of(steps, same))
      steps.push_back(*std::move(step));
  };
  add(after_failure(job));
  if (const RunResult* const run = telling_run(job); run != nullptr && steps.empty()) {
    add(idle_gpus(*run, facts));
    add(small_order(*run, facts));
    add(slow_products(*run));
    add(bare_panels(*run));
  }
  add(page(facts));
  return steps;
}

}  // namespace hpl
