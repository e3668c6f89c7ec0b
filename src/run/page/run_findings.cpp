#include "hpl/run/page/run_findings.h"

#include <algorithm>

#include <fmt/format.h>

#include "hpl/base/number/statistics.h"
#include "hpl/report/page/format.h"
#include "hpl/report/result/disturbance.h"
#include "hpl/report/result/expectation.h"
#include "hpl/report/result/gates.h"
#include "hpl/report/result/hardware_events.h"
#include "hpl/report/result/run_failures.h"

namespace hpl::page {

namespace {

/// Only products of matrices are spread evenly by design; other phases have owners.
void append_slow_rank(std::vector<std::string>& findings, const RunResult& run) {
  if (!(run.seconds >= kLeastSecondsToJudge) || run.rank_phases.size() < 2) return;
  std::vector<double> seconds;
  for (const PhaseTimes& times : run.rank_phases)
    seconds.push_back(times[Phase::Multiply]);
  const auto slowest = std::ranges::max_element(seconds);
  const double usual = median(seconds), more = *slowest - usual;
  if (more <= kSlowRankFraction * usual || more <= kSlowRankOfRun * run.seconds) return;
  findings.push_back(
      fmt::format("{} took {} longer for its matrix products than the median rank: {} against {}",
                  rank_name(run, static_cast<int>(slowest - seconds.begin())),
                  percent_text(more / usual), seconds_text(*slowest), seconds_text(usual)));
}

/// The first sentence, expected and got, is worth a look only where they differ.
void append_expectation(std::vector<std::string>& findings, const RunResult& run) {
  const auto comparison = compare_with_expectation(run);
  if (!comparison) return;
  const std::vector<std::string> all = expectation_findings(run);
  const bool expected = comparison->outcome == Outcome::AsExpected && !all.empty();
  findings.insert(findings.end(), all.begin() + (expected ? 1 : 0), all.end());
}

}  // namespace

std::vector<std::string> findings_of(const RunResult& run) {
  std::vector<std::string> findings = run_failures(run);
  append_slow_rank(findings, run);
  append_expectation(findings, run);
  for (const std::string& reason : disturbances(run))
    findings.push_back("no measure of this machine: " + reason);
  for (const std::string& finding : device_findings(run))
    findings.push_back("device " + finding);
  if (run.power && run.power->meter)
    for (const std::string& remark : run.power->meter->complaints)
      findings.push_back("power meter: " + remark);
  return findings;
}

}  // namespace hpl::page
