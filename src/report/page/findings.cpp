#include "findings.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "format.h"
#include "hpl/base/error/error.h"
#include "hpl/base/number/statistics.h"
#include "hpl/report/result/device_telemetry.h"
#include "hpl/report/result/expectation.h"
#include "hpl/report/result/gates.h"
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

/// Nothing failed in a fleet, but not all of it was checked.
bool is_only_unchecked(const FleetReport& fleet) {
  const auto count = [&](FleetVerdict verdict) {
    return std::ranges::count(fleet.hosts, verdict, &FleetHost::verdict);
  };
  const auto unchecked = count(FleetVerdict::Unchecked);
  return unchecked > 0 && unchecked + count(FleetVerdict::Passed) == std::ssize(fleet.hosts);
}

}  // namespace

Verdict verdict_of(const RunFile& file) {
  const JobReport& job = file.job;
  if (job.error) return Verdict::Broken;
  if (!job.exit_code) return Verdict::Unfinished;
  if (*job.exit_code == ExitCode::Failed)
    return file.fleet && is_only_unchecked(*file.fleet) ? Verdict::Unchecked : Verdict::Failed;
  if (*job.exit_code != ExitCode::Passed) return Verdict::Broken;
  const auto has = [&](RunStatus status) {
    return std::ranges::any_of(job.runs,
                               [&](const auto& run) { return run_status(run) == status; });
  };
  if (has(RunStatus::Failed)) return Verdict::Failed;
  const bool no_runs = file.content != Content::Runs;
  return has(RunStatus::Passed) || no_runs ? Verdict::Passed : Verdict::Unchecked;
}

Verdict verdict_of(std::span<const RunFile> files) {
  // Of acceptances of a fleet over months the newest counts, others are its history.
  if (std::ranges::all_of(files, [](const RunFile& file) { return file.fleet.has_value(); })) {
    const auto newest = std::ranges::max_element(
        files, {}, [](const RunFile& file) { return file.fleet->started.seconds; });
    if (newest != files.end()) return verdict_of(*newest);
  }
  Verdict worst = Verdict::Passed;
  for (const RunFile& file : files)
    worst = std::max(worst, verdict_of(file));
  return worst;
}

const VerdictLook& look_of(Verdict verdict) {
  static constexpr std::array<VerdictLook, 5> kLooks{{{"PASSED", "good"},
                                                      {"NOT CHECKED", "open"},
                                                      {"ENDED EARLY", "bad broken"},
                                                      {"NOT FINISHED", "open unfinished"},
                                                      {"FAILED", "bad"}}};
  return kLooks.at(static_cast<std::size_t>(verdict));
}

std::vector<std::string> findings_of(const RunResult& run) {
  std::vector<std::string> findings = run_failures(run);
  append_slow_rank(findings, run);
  append_expectation(findings, run);
  for (const std::string& finding : device_findings(run.devices))
    findings.push_back("device " + finding);
  if (run.power && run.power->meter)
    for (const std::string& remark : run.power->meter->complaints)
      findings.push_back("power meter: " + remark);
  return findings;
}

}  // namespace hpl::page
