#include "fleet_judge.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "hpl/base/text/quantity.h"
#include "hpl/fleet/judge/fleet_verdict.h"
#include "hpl/report/result/disturbance.h"
#include "hpl/report/result/gates.h"
#include "hpl/report/result/run_failures.h"

namespace hpl {
namespace {

std::string in_run(const RunResult& run, std::string_view what) {
  return fmt::format("run {}: {}", run.repeat_index + 1, what);
}

void judge_solutions(FleetReport& report) {
  std::size_t unchecked = 0, runs = 0;
  for (FleetMember& member : report.members)
    for (const RunResult& run : member.runs) {
      ++runs;
      const Verdict verdict = run_verdict(run);
      if (verdict != Verdict::Passed && verdict != Verdict::Failed) ++unchecked;
      for (const std::string& why : run_failures(run))
        member.findings.push_back(
            {.basis = Basis::Residual,
             .value = run.residual ? std::optional(run.residual->scaled) : std::nullopt,
             .threshold = report.spec.threshold,
             .text = in_run(run, why)});
    }
  if (unchecked > 0)
    report.remarks.push_back(
        warning("solutions", "{} of {} solutions were not checked", unchecked, runs));
}

/// Checksums that agree are reported once for all, those of a second factorization by their run.
void tell_of_checksums(FleetReport& report) {
  int carried = 0, empty = 0;
  double comparisons = 0;
  for (FleetMember& member : report.members)
    for (const RunResult& run : member.runs) {
      if (!run.checksums) continue;
      if (run.checksums->repeated) {
        if (run.checksums->faults.empty())  // others are among what failed
          for (const std::string& line : checksum_lines(run))
            member.findings.push_back({.severity = Severity::Remark,
                                       .basis = Basis::Residual,
                                       .text = in_run(run, "checksums: " + line)});
        continue;
      }
      ++carried;
      comparisons += static_cast<double>(run.checksums->comparisons);
      if (run.checksums->comparisons == 0) ++empty;
    }
  if (carried == 0) return;
  report.remarks.push_back(note("checksums", "checksums: compared {} in {}",
                                count_text(std::llround(comparisons), "time"),
                                count_text(carried, "run")));
  if (empty > 0)
    report.remarks.push_back(warning(
        "checksums", "checksums: compared 0 times in {} of these runs, so they show nothing there",
        empty));
}

/// A disturbed member is neither sound nor slow until it has been measured again.
void judge_disturbances(FleetReport& report) {
  for (FleetMember& member : report.members)
    if (const std::string text = disturbance_text(member.runs); !text.empty())
      member.findings.push_back({.severity = Severity::Warning,
                                 .basis = Basis::Disturbed,
                                 .text = "disturbed, measure again: " + text});
  if (const std::string text = disturbance_of(report); !text.empty())
    report.remarks.push_back(warning(std::string(kDisturbed), text));
}

void judge_silence(FleetReport& report) {
  for (FleetMember& member : report.members)
    if (member.state == MemberState::Silent)
      member.findings.push_back(
          {.basis = Basis::Count, .text = "gave no answer in the end: dead, stopped or cut off"});
}

/// A member without a rate would be left out of every comparison.
void judge_missing_rates(FleetReport& report) {
  if (report.spec.order == 0) return;
  for (FleetMember& member : report.members)
    for (const RunResult& run : member.runs)
      if (!has_rate(run))
        member.findings.push_back(
            {.figure = Figure::Gflops, .text = in_run(run, "no rate was measured")});
}

void judge_gates(FleetReport& report) {
  if (report.thresholds.gates == Gates{}) return;
  for (FleetMember& member : report.members) {
    std::vector<RunResult> runs;
    std::ranges::remove_copy_if(member.runs, std::back_inserter(runs), is_disturbed);
    if (runs.empty()) continue;
    for (const GateResult& gate : judge(report.thresholds.gates, runs))
      if (!gate.held)
        member.findings.push_back(
            {.severity = Severity::Slow,
             .basis = Basis::Gate,
             .value = gate.worst,
             .threshold = gate.limit,
             .text = fmt::format("{} {:g} missed: {}", gate.gate, gate.limit, gate.reason)});
  }
}

}  // namespace

void judge_runs(FleetReport& report) {
  judge_silence(report);
  judge_solutions(report);
  tell_of_checksums(report);
  judge_disturbances(report);
  judge_missing_rates(report);
  judge_gates(report);
}

}  // namespace hpl
