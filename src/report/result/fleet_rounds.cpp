#include "fleet_rounds.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "hpl/report/result/gates.h"
#include "hpl/report/result/run_failures.h"

namespace hpl {
namespace {

bool has_rate(const FleetRound& round) {
  return round.gflops > 0 && std::isfinite(round.gflops);
}

/// A round as the run that it was, as far as gates and failures look at it.
RunResult as_run(const FleetUnit& unit, const FleetRound& round, const RunSpec& spec) {
  RunResult run{.spec = spec};
  run.repeat_index = round.round;
  run.gflops = round.gflops;
  run.zero_pivot_column = round.zero_pivot_column;
  if (spec.threshold > 0 && !round.zero_pivot_column) {
    // A residual that is not finite is null in documents.
    const double scaled = round.scaled_residual.value_or(std::numeric_limits<double>::quiet_NaN());
    run.residual = Residual{.scaled = scaled, .passed = scaled < spec.threshold};
  }
  run.checksums = round.checksums;
  run.attainable_gflops = round.attainable_gflops;
  if (round.peak_gflops) run.peak = PeakRate{.gflops = *round.peak_gflops, .source = {}};
  run.rank_gflops = round.rank_gflops;
  for (const FleetDevice& device : unit.devices)
    run.devices.push_back({.rank = device.rank,
                           .host = device.host,
                           .backend = device.backend,
                           .device_index = device.index,
                           .sensors = {}});
  return run;
}

/// Why a round is wrong. Documents of earlier versions do not say it in words.
std::vector<std::string> failures_of(const FleetUnit& unit, const FleetRound& round,
                                     const RunSpec& spec) {
  if (!round.failures.empty()) return round.failures;
  std::vector<std::string> failures = run_failures(as_run(unit, round, spec));
  if (failures.empty()) failures.emplace_back("failed, by its document");
  return failures;
}

void judge_solutions(FleetReport& report) {
  std::size_t unchecked = 0, rounds = 0;
  for (FleetUnit& unit : report.units)
    for (const FleetRound& round : unit.rounds) {
      ++rounds;
      const RunStatus status = status_of(round, report.spec);
      if (status == RunStatus::Unchecked) ++unchecked;
      if (status != RunStatus::Failed) continue;
      for (const std::string& why : failures_of(unit, round, report.spec))
        unit.findings.push_back({.basis = FleetBasis::Residual,
                                 .value = round.scaled_residual,
                                 .threshold = report.spec.threshold,
                                 .text = fmt::format("round {}: {}", round.round + 1, why)});
    }
  if (unchecked > 0)
    report.remarks.push_back(fmt::format("{} of {} solutions were not checked", unchecked, rounds));
}

/// Checksums that agree are told once for all; those of a second factorization of their round.
void tell_of_checksums(FleetReport& report) {
  std::int64_t carried = 0, empty = 0, comparisons = 0;
  for (FleetUnit& unit : report.units)
    for (const FleetRound& round : unit.rounds) {
      if (!round.checksums) continue;
      if (round.checksums->repeated) {
        if (!round.checksums->faults.empty()) continue;  // among what failed
        for (const std::string& line : checksum_lines(as_run(unit, round, report.spec)))
          unit.findings.push_back(
              {.severity = FleetSeverity::Remark,
               .basis = FleetBasis::Residual,
               .text = fmt::format("round {}: checksums: {}", round.round + 1, line)});
        continue;
      }
      ++carried;
      comparisons += round.checksums->comparisons;
      if (round.checksums->comparisons == 0) ++empty;
    }
  if (carried == 0) return;
  report.remarks.push_back(
      fmt::format("checksums: compared {} time(s) in {} round(s)", comparisons, carried));
  if (empty > 0)
    report.remarks.push_back(fmt::format(
        "checksums: compared 0 times in {} of these rounds, so they show nothing there", empty));
}

/// A unit without a rate would be left out of every comparison.
void judge_missing_rates(FleetReport& report) {
  if (report.spec.order == 0) return;
  for (FleetUnit& unit : report.units)
    for (const FleetRound& round : unit.rounds)
      if (!has_rate(round))
        unit.findings.push_back(
            {.figure = FleetFigure::Gflops,
             .text = fmt::format("round {}: no rate was measured", round.round + 1)});
}

void judge_gates(FleetReport& report) {
  if (!report.thresholds.gates.any()) return;
  for (FleetUnit& unit : report.units) {
    if (unit.rounds.empty()) continue;
    std::vector<RunResult> runs;
    for (const FleetRound& round : unit.rounds) {
      runs.push_back(as_run(unit, round, report.spec));
      for (std::size_t rank = 0; rank < unit.devices.size(); ++rank)
        runs.back().devices[rank].rank = static_cast<int>(rank);  // as its rates are counted
    }
    for (const GateResult& gate : judge(report.thresholds.gates, runs))
      if (!gate.held)
        unit.findings.push_back(
            {.basis = FleetBasis::Gate,
             .value = gate.worst,
             .threshold = gate.limit,
             .text = fmt::format("{} {:g} missed: {}", gate.gate, gate.limit, gate.reason)});
  }
}

}  // namespace

RunStatus status_of(const FleetRound& round, const RunSpec& spec) {
  const bool checked = spec.threshold > 0 && round.scaled_residual.has_value();
  if (round.status == RunStatus::Failed || !round.failures.empty() || round.zero_pivot_column ||
      (round.checksums && !round.checksums->faults.empty()) ||
      (checked && !(*round.scaled_residual < spec.threshold)))
    return RunStatus::Failed;
  return checked && round.status == RunStatus::Passed ? RunStatus::Passed : RunStatus::Unchecked;
}

void judge_rounds(FleetReport& report) {
  judge_solutions(report);
  tell_of_checksums(report);
  judge_missing_rates(report);
  judge_gates(report);
}

}  // namespace hpl
