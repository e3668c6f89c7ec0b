#include "findings.h"

#include <algorithm>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "expectation_part.h"
#include "format.h"
#include "hpl/base/error/error.h"
#include "hpl/base/number/statistics.h"
#include "hpl/report/result/device_telemetry.h"

namespace hpl::page {

namespace {

/// Only products of matrices are spread evenly by design; other phases have owners.
constexpr std::string_view kEvenPhase = "matrix multiply";

void append_slow_ranks(std::vector<std::string>& findings, const Run& run) {
  if (run.seconds.value_or(0) < kLeastSecondsToJudge) return;
  for (const PhaseTime& phase : run.phases) {
    if (phase.name != kEvenPhase || phase.rank_seconds.size() < 2) continue;
    const double usual = median(phase.rank_seconds);
    const auto slowest = std::max_element(phase.rank_seconds.begin(), phase.rank_seconds.end());
    const double more = *slowest - usual;
    if (more <= kSlowRankFraction * usual || more <= kSlowRankOfRun * run.seconds.value_or(0))
      continue;
    findings.push_back(
        fmt::format("{} took {} longer for its matrix products than the median rank: {} against {}",
                    rank_name(run, slowest - phase.rank_seconds.begin()),
                    percent_text(more / usual), seconds_text(*slowest), seconds_text(usual)));
  }
}

/// Documents of earlier versions name a power cap that all devices have, as chips at full load do.
bool is_normal(const Run& run, std::string_view finding) {
  if (!finding.starts_with(fmt::format("throttled, {}:", kPowerCap))) return false;
  const std::vector<const Device*> devices = distinct_devices(run);
  return std::ranges::all_of(devices, [](const Device* device) {
    return std::ranges::any_of(device->throttle_reasons,
                               [](const auto& reason) { return reason.first == kPowerCap; });
  });
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
  if (file.error) return Verdict::Broken;
  if (!file.exit_code) return Verdict::Unfinished;
  if (*file.exit_code == static_cast<int>(ExitCode::Failed))
    return file.fleet && is_only_unchecked(*file.fleet) ? Verdict::Unchecked : Verdict::Failed;
  if (*file.exit_code != static_cast<int>(ExitCode::Passed)) return Verdict::Broken;
  const auto has = [&](std::string_view status) {
    return std::any_of(file.runs.begin(), file.runs.end(),
                       [&](const Run& run) { return run.status == status; });
  };
  if (has("failed")) return Verdict::Failed;
  const bool check_only =
      file.runs.empty() &&
      (file.fleet || file.preflight || !file.products.empty() || file.tuning || file.predictions);
  return has("passed") || check_only ? Verdict::Passed : Verdict::Unchecked;
}

Verdict verdict_of(std::span<const RunFile> files) {
  // Of acceptances of a fleet over months the newest counts, others are its history.
  if (std::ranges::all_of(files, [](const RunFile& file) { return file.fleet.has_value(); })) {
    const auto newest = std::ranges::max_element(
        files, {}, [](const RunFile& file) { return file.fleet->started.seconds; });
    if (newest != files.end()) return verdict_of(*newest);
  }
  Verdict worst = Verdict::Passed;
  for (const RunFile& file : files) {
    const Verdict verdict = verdict_of(file);
    // A failed run says more than one that was cut off or could not go on.
    const auto weight = [](Verdict one) {
      return one == Verdict::Failed ? 10 : static_cast<int>(one);
    };
    if (weight(verdict) > weight(worst)) worst = verdict;
  }
  return worst;
}

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::Passed:
      return "PASSED";
    case Verdict::Unchecked:
      return "NOT CHECKED";
    case Verdict::Failed:
      return "FAILED";
    case Verdict::Broken:
      return "ENDED EARLY";
    case Verdict::Unfinished:
      return "NOT FINISHED";
  }
  return "";
}

std::string rank_name(const Run& run, std::int64_t rank) {
  for (const Device& device : run.devices)
    if (device.rank == rank) return fmt::format("rank {} on {}", rank, device.host);
  return fmt::format("rank {}", rank);
}

std::vector<std::string> findings_of(const Run& run) {
  std::vector<std::string> findings = run.failures;
  append_slow_ranks(findings, run);
  for (const std::string& finding : expectation_findings(run))
    findings.push_back(finding);
  for (const std::string& finding : run.device_findings)
    if (!is_normal(run, finding)) findings.push_back("device " + finding);
  if (run.power && run.power->meter)
    for (const std::string& remark : run.power->meter->complaints)
      findings.push_back("power meter: " + remark);
  return findings;
}

std::vector<const Device*> distinct_devices(const Run& run) {
  std::set<std::tuple<std::string, std::string, std::int64_t>> known;
  std::vector<const Device*> devices;
  for (const Device& device : run.devices)
    if (known.emplace(device.host, device.backend, device.index).second) devices.push_back(&device);
  return devices;
}

}  // namespace hpl::page
