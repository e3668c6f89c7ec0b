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
    if (run.stopped || run_verdict(run) == Verdict::Failed) continue;
    if (found == nullptr ||
        std::pair(run.spec.order, run.gflops) > std::pair(found->spec.order, found->gflops))
      found = &run;
  }
  return found;
}

/// A command with the ranks of this job.
std::string again(const JobReport& job, const std::string& command) {
  const auto& resources = job.header.resources;
  return launch_text(resources ? resources->ranks : 1, command);
}

std::optional<NextStep> after_failure(const JobReport& job) {
  if (job.tally.failed == 0) return std::nullopt;
  return NextStep{again(job, "fleet"), "finds the device that computes wrongly"};
}

std::string benchmark_command(const RunResult& run) {
  return run.spec.mixed ? "mxp" : "run";
}

std::optional<NextStep> idle_gpus(const RunResult& run, const NextFacts& facts) {
  if (facts.node_ranks == 0 || facts.node_gpus <= facts.node_ranks) return std::nullopt;
  return NextStep{launch_text(facts.node_gpus, benchmark_command(run)),
                  fmt::format("{} of {} of this node took part", facts.node_ranks,
                              count_text(facts.node_gpus, "GPU"))};
}

std::optional<NextStep> small_order(const JobReport& job, const RunResult& run,
                                    const NextFacts& facts) {
  constexpr double kSmallShare = 0.5, kWorthIt = 1.1;
  if (facts.memory_share >= kSmallShare ||
      static_cast<double>(facts.larger_order) < kWorthIt * static_cast<double>(run.spec.order))
    return std::nullopt;
  return NextStep{again(job, benchmark_command(run) + " --auto"),
                  fmt::format("N = {} fits, about {}", facts.larger_order,
                              estimate_text(facts.larger_seconds))};
}

std::optional<NextStep> slow_products(const JobReport& job, const RunResult& run) {
  constexpr double kSlow = 0.85;
  double alone = 0, in_run = 0;
  for (const auto& [source, gflops] : run.attainable_rates) {
    if (source.alone()) alone = std::max(alone, gflops);
    if (source.moment == RateSource::Moment::InRun) in_run = gflops;
  }
  if (!(in_run > 0) || in_run >= kSlow * alone) return std::nullopt;
  return NextStep{again(job, "check"),
                  fmt::format("products: {:.0f} % of their rate alone", 100 * in_run / alone)};
}

std::optional<NextStep> bare_panels(const JobReport& job, const RunResult& run) {
  constexpr double kMuch = 0.1, kLeastSeconds = 1;  // shorter runs are all panels
  const double share = run.spec.mixed ? 0 : exposed_panel_share(run);
  if (share < kMuch || run.seconds < kLeastSeconds) return std::nullopt;
  return NextStep{again(job, "tune -o tuned.dat"),
                  fmt::format("panels alone: {:.0f} % of the time", 100 * share)};
}

std::optional<NextStep> page(const NextFacts& facts) {
  if (facts.document.empty()) return std::nullopt;
  return NextStep{fmt::format("xhpl report {} -o run.html", facts.document),
                  "charts of these runs on one page"};
}

}  // namespace

std::string launch_text(int ranks, const std::string& command) {
  return ranks > 1 ? fmt::format("xhpl launch -n {} {}", ranks, command) : "xhpl " + command;
}

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
    add(small_order(job, *run, facts));
    add(slow_products(job, *run));
    add(bare_panels(job, *run));
  }
  add(page(facts));
  return steps;
}

}  // namespace hpl
