#include "hpl/report/result/expectation.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "hpl/base/text/quantity.h"
#include "hpl/report/result/gates.h"

namespace hpl {

namespace {

/// Phases other than products are known less well, and what hides them hides that too.
constexpr double kPhaseErrorShare = 0.25;

/// A worker's time in agreeing on pivots is part of the factorization; a phase that waits behind
/// products lasts as long as these.
bool is_compared(Phase phase, const ExpectedRun& model) {
  return phase != Phase::PanelExchange &&
         std::ranges::find(model.hidden, phase) == model.hidden.end();
}

bool is_beyond(Phase phase, double expected, double seconds, double error_seconds) {
  const double own_error = phase == Phase::Multiply ? 0 : kPhaseErrorShare * expected;
  return seconds - expected > std::max(error_seconds, own_error);
}

PhaseComparison compare(Phase phase, const RunResult& run) {
  const ExpectedRun& model = *run.expected;
  PhaseComparison worst{.phase = phase};
  for (std::size_t rank = 0; rank < run.rank_working.size(); ++rank) {
    const std::size_t known = model.rank_phases.size() == 1 ? 0 : rank;
    const double expected = model.rank_phases[known][phase];
    const double seconds = run.rank_working[rank][phase];
    if (is_beyond(phase, expected, seconds, model.error_seconds))
      worst.ranks_beyond.push_back(static_cast<int>(rank));
    if (rank > 0 && seconds - expected <= worst.excess()) continue;
    worst.rank = static_cast<int>(rank);
    worst.expected_seconds = expected;
    worst.seconds = seconds;
  }
  return worst;
}

/// By which of the rates of the machine a phase was expected to be as long.
std::string_view limit_of(Phase phase, const RunSpec& spec) {
  switch (phase) {
    case Phase::PanelFactorization:
    case Phase::PanelExchange:
      return "panels alone allow";
    case Phase::PanelBroadcast:
      return "its links allow";
    case Phase::PanelTransfer:
      return "copies of panels alone allow";
    case Phase::RowSwap:
      return spec.grid_rows > 1 ? "its links and copies allow" : "copies of rows alone allow";
    case Phase::Solve:
      return "solves alone allow";
    case Phase::Multiply:
      return "matrix products alone allow";
    case Phase::BackSubstitution:
    case Phase::Refinement:
      return "its memory and links allow";
    case Phase::MatrixLoad:
    case Phase::MatrixStore:
      return "copies from and to host memory allow";
    case Phase::HostUpdate:
      return "products of the host alone allow";
  }
  return "";
}

/// "three times" is read faster than "200 % more".
std::string times_as_long(const PhaseComparison& phase) {
  if (!(phase.expected_seconds > 0)) return "more than";
  const double ratio = phase.seconds / phase.expected_seconds;
  return ratio >= 1.5 ? fmt::format("{:.1f} times", ratio)
                      : fmt::format("{:.1f} % more than", 100 * (ratio - 1));
}

std::string sentence(const PhaseComparison& phase, const RunResult& run) {
  const std::size_t beyond = phase.ranks_beyond.size(), all = run.rank_working.size();
  std::string ranks = rank_name(run, phase.rank);
  if (beyond > 1)
    ranks = fmt::format(
        "{} ranks, most on {}",
        beyond == all ? fmt::format("all {}", all) : fmt::format("{} of {}", beyond, all), ranks);
  return fmt::format("{} on {}: {:.4g} s, {} the {:.4g} s that {}", to_string(phase.phase), ranks,
                     phase.seconds, times_as_long(phase), phase.expected_seconds,
                     limit_of(phase.phase, run.spec));
}

/// By a data sheet, as a rate.
std::string sheet_verdict(const ExpectationComparison& comparison, const RunResult& run) {
  const ExpectedRun& expected = *run.expected;
  std::string text =
      fmt::format("expected {}, got {}: ", interval_text(expected), rate_text(run.gflops));
  switch (comparison.outcome) {
    case Outcome::AsExpected:
      return text + "as expected";
    case Outcome::Slower:
      return text +
             fmt::format("slow, {:.1f} % below", 100 * (1 - run.gflops / expected.least_gflops()));
    case Outcome::Faster:
      return text + fmt::format("{:.1f} % above", 100 * (run.gflops / expected.most_gflops() - 1));
  }
  return text;
}

std::string verdict(const ExpectationComparison& comparison, const RunResult& run) {
  const ExpectedRun& expected = *run.expected;
  if (!expected.sheet.empty()) return sheet_verdict(comparison, run);
  const double percent =
      expected.seconds > 0 ? 100 * comparison.difference_seconds / expected.seconds : 0;
  std::string text = fmt::format("expected {:.4g} s by the {} model, got {:.4g} s: {:.1f} % {}, ",
                                 expected.seconds, expected.model, run.seconds, std::abs(percent),
                                 percent < 0 ? "shorter" : "longer");
  text += fmt::format("{} the model's error of {:.2g} s",
                      comparison.outcome == Outcome::AsExpected ? "within" : "beyond",
                      expected.error_seconds);
  if (comparison.outcome == Outcome::Faster)
    text += "; rates that were measured beside other work are too low, measure them anew";
  return text;
}

}  // namespace

std::string interval_text(const ExpectedRun& expected) {
  const RateUnit unit = rate_unit(expected.gflops);
  return fmt::format("{} to {} {} by the data sheet of {}",
                     significant(expected.least_gflops() / unit.gflops),
                     significant(expected.most_gflops() / unit.gflops), unit.name, expected.sheet);
}

std::optional<ExpectationComparison> compare_with_expectation(const RunResult& run) {
  if (!run.expected || run.zero_pivot_column || run.spec.checksums) return std::nullopt;
  const ExpectedRun& expected = *run.expected;
  ExpectationComparison comparison{.difference_seconds = run.seconds - expected.seconds};
  if (std::abs(comparison.difference_seconds) > expected.error_seconds)
    comparison.outcome = comparison.difference_seconds > 0 ? Outcome::Slower : Outcome::Faster;
  const std::size_t ranks = run.rank_working.size();
  if (expected.rank_phases.size() != 1 && expected.rank_phases.size() != ranks) return comparison;
  for (int i = 0; i < kPhaseCount; ++i) {
    const Phase phase = static_cast<Phase>(i);
    if (ranks == 0 || !is_compared(phase, expected)) continue;
    PhaseComparison compared = compare(phase, run);
    if (compared.seconds > 0 || compared.expected_seconds > 0)
      comparison.phases.push_back(std::move(compared));
  }
  return comparison;
}

std::vector<std::string> expectation_findings(const RunResult& run) {
  const std::optional<ExpectationComparison> comparison = compare_with_expectation(run);
  if (!comparison) return {};
  std::vector<std::string> findings{verdict(*comparison, run)};
  std::vector<PhaseComparison> beyond = comparison->phases;
  std::erase_if(beyond, [](const PhaseComparison& phase) { return phase.ranks_beyond.empty(); });
  std::ranges::stable_sort(beyond, std::ranges::greater{}, &PhaseComparison::excess);
  for (const PhaseComparison& phase : beyond)
    findings.push_back(sentence(phase, run));
  if (comparison->outcome != Outcome::Slower || !beyond.empty() || comparison->phases.empty())
    return findings;
  const PhaseComparison& most =
      *std::ranges::max_element(comparison->phases, {}, &PhaseComparison::excess);
  findings.push_back(fmt::format(
      "no phase alone is beyond that error; the furthest is {} on {}: {:.4g} s, expected {:.4g} s",
      to_string(most.phase), rank_name(run, most.rank), most.seconds, most.expected_seconds));
  return findings;
}

}  // namespace hpl
