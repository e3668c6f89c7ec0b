#include "hpl/report/result/fleet_merge.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "fleet_hosts.h"
#include "hpl/base/error/error.h"
#include "hpl/base/text/host_list.h"
#include "hpl/report/result/fleet_verdict.h"

namespace hpl {
namespace {

constexpr std::string_view kFailedBefore = "failed in its own job";

void require_same_run(const FleetReport& one, const FleetReport& other) {
  const auto each = [](const FleetReport& report) {
    return fmt::format("--each {}", name_of(kFleetUnitKinds, report.each));
  };
  auto difference = run_difference(one.spec, other.spec);
  if (one.each != other.each) difference = {each(one), each(other)};
  if (difference)
    throw ConfigError(
        fmt::format("fleets of one merged report must have made the same run, found {} and {}",
                    difference->one, difference->other));
}

/// Where the one of that name is in a list that only grows.
class Places {
 public:
  /// Empty for a new one, which gets the next place.
  std::optional<std::size_t> known(const std::string& name) {
    const auto [place, is_new] = places_.try_emplace(name, places_.size());
    return is_new ? std::nullopt : std::optional(place->second);
  }

 private:
  std::map<std::string, std::size_t> places_;
};

/// Adds the rounds that the unit has not yet. Returns how many it had: a report that was given
/// twice, or a part of a merged one.
std::size_t add_rounds(FleetUnit& unit, std::vector<FleetRound> rounds) {
  const auto identity = [](const FleetRound& round) {
    return std::tuple(round.started.seconds, round.seconds, round.gflops);
  };
  std::set<std::tuple<double, double, double>> known;
  for (const FleetRound& round : unit.rounds)
    known.insert(identity(round));
  std::size_t twice = 0;
  for (FleetRound& round : rounds) {
    if (known.contains(identity(round))) {
      ++twice;
      continue;
    }
    round.round = static_cast<int>(unit.rounds.size());
    unit.rounds.push_back(std::move(round));
  }
  return twice;
}

bool came_to_its_end(const FleetReport& job) {
  return !job.error && (job.exit_code == ExitCode::Passed || job.exit_code == ExitCode::Failed);
}

/// Verdicts of hosts in their own jobs, which merging does not improve: their limits, their peers
/// and their reference were others.
class FormerVerdicts {
 public:
  void add(const FleetReport& job) {
    for (const FleetHost& host : job.hosts)
      if (host.verdict == FleetVerdict::Failed)
        add_one(host.name, host.verdict, failed_text(host));
      else if (host.verdict == FleetVerdict::Unchecked)
        add_one(host.name, host.verdict, "not checked in its own job");
  }

  /// A job of one host that was killed, or ran out of time, has its host to blame. Of several hosts
  /// nobody knows which: none of them is known to be sound.
  void add_early_end(FleetReport& job, std::vector<std::string>& remarks) {
    const std::string what = job.error ? fmt::format("its job ended early: {}",
                                                     job.error->substr(0, job.error->find('\n')))
                                       : "its job did not come to its end";
    std::vector<std::string> names;
    for (const FleetHost& host : job.hosts)
      if (host.ranks > 0) names.push_back(host.name);
    if (names.size() != 1) {
      remarks.push_back(fmt::format("{}: {}", host_list(names), what));
      for (const std::string& name : names)
        add_one(name, FleetVerdict::Unchecked, what);
      return;
    }
    for (FleetHost& host : job.hosts)
      if (host.ranks > 0 && host.why_out.empty()) host.why_out = what;
  }

  /// Lowers verdicts of a fleet that has been judged.
  void apply(FleetReport& fleet) const {
    for (FleetHost& host : fleet.hosts) {
      const auto former = verdicts_.find(host.name);
      if (former == verdicts_.end()) continue;
      const auto& [verdict, text] = former->second;
      const bool better = host.verdict == FleetVerdict::Passed ||
                          (host.verdict == FleetVerdict::Unchecked && verdict != host.verdict);
      if (!better) continue;
      host.findings.push_back({.severity = verdict == FleetVerdict::Failed ? FleetSeverity::Fault
                                                                           : FleetSeverity::Remark,
                               .basis = FleetBasis::Job,
                               .text = text});
      host.verdict = verdict;
    }
    list_hosts(fleet);
  }

 private:
  static std::string failed_text(const FleetHost& host) {
    const auto fault =
        std::ranges::find(host.findings, FleetSeverity::Fault, &FleetFinding::severity);
    if (fault == host.findings.end()) return std::string(kFailedBefore);
    if (fault->basis == FleetBasis::Job) return fault->text;  // the job was a merged one
    return fmt::format("{}: {}", kFailedBefore, fault->text);
  }

  void add_one(const std::string& host, FleetVerdict verdict, std::string text) {
    const auto [former, is_new] = verdicts_.try_emplace(host, verdict, std::move(text));
    if (!is_new && verdict == FleetVerdict::Failed && former->second.first != verdict)
      former->second = {verdict, std::move(text)};
  }

  std::map<std::string, std::pair<FleetVerdict, std::string>> verdicts_;
};

/// The stricter of two limits that have to be reached; of one that is given alone that one.
std::optional<double> higher(const std::optional<double>& one, const std::optional<double>& other) {
  return std::max(one, other);
}
std::optional<double> lower(const std::optional<double>& one, const std::optional<double>& other) {
  return one && other ? std::min(one, other) : std::max(one, other);
}

FleetThresholds strictest(const FleetThresholds& one, const FleetThresholds& other) {
  const Gates &a = one.gates, &b = other.gates;
  return {.tolerance = std::min(one.tolerance, other.tolerance),
          .spreads = std::min(one.spreads, other.spreads),
          .gates = {.min_gflops = higher(a.min_gflops, b.min_gflops),
                    .min_efficiency = higher(a.min_efficiency, b.min_efficiency),
                    .min_peak_efficiency = higher(a.min_peak_efficiency, b.min_peak_efficiency),
                    .max_spread = lower(a.max_spread, b.max_spread)}};
}

bool same_reference(const FleetReference& one, const FleetReference& other) {
  return one.source == other.source && one.written == other.written;
}

/// Limits and reference of all jobs.
void merge_limits(FleetReport& all, const std::vector<FleetReport>& reports) {
  bool other_limits = false, other_references = false;
  for (const FleetReport& report : reports) {
    if (!(report.thresholds == all.thresholds)) other_limits = true;
    all.thresholds = strictest(all.thresholds, report.thresholds);
    if (!report.reference) continue;
    if (!all.reference) all.reference = report.reference;
    if (!same_reference(*all.reference, *report.reference)) other_references = true;
  }
  if (other_limits)
    all.header.remarks.emplace_back(
        "the jobs had different limits: the strictest of each counts for all hosts");
  if (other_references)
    all.header.remarks.push_back(
        fmt::format("the jobs had different references: all hosts are compared with {}, and those "
                    "that failed by another have failed",
                    all.reference->source));
}

/// Ranks of one job stand after those of the jobs before.
void shift_ranks(FleetUnit& unit, int by) {
  for (int& rank : unit.ranks)
    rank += by;
  for (FleetDevice& device : unit.devices)
    device.rank += by;
  for (FleetRound& round : unit.rounds) {
    for (DeviceRound& device : round.devices)
      device.rank += by;
    if (!round.checksums) continue;
    for (ChecksumFault& fault : round.checksums->faults)
      fault.rank += by;
  }
}

void add_host(FleetReport& all, Places& places, FleetHost host) {
  const auto place = places.known(host.name);
  if (!place) {
    all.hosts.push_back(std::move(host));
    return;
  }
  FleetHost& before = all.hosts[*place];
  if (before.ranks == 0) {
    before = std::move(host);
    return;
  }
  if (before.why_out.empty()) before.why_out = host.why_out;
  if (host.ranks > 0) before.devices = std::min(before.devices, host.devices);
}

}  // namespace

void expect_hosts(FleetReport& fleet, const std::vector<std::string>& expected) {
  std::set<std::string> known;
  for (const FleetHost& host : fleet.hosts) {
    known.insert(host.name);
    known.insert(host.name.substr(0, host.name.find('.')));
  }
  for (const std::string& name : expected)
    if (known.insert(name).second) fleet.hosts.push_back({.name = name});
}

FleetReport merge_fleets(std::vector<FleetReport> reports,
                         const std::vector<std::string>& expected) {
  HPL_ASSERT(!reports.empty());
  std::ranges::stable_sort(reports, {},
                           [](const FleetReport& report) { return report.started.seconds; });
  FleetReport all = reports.front();
  all.hosts.clear();
  all.units.clear();
  all.error.reset();
  all.power.reset();
  merge_limits(all, reports);
  FormerVerdicts former;
  Places hosts, units;
  std::int64_t ranks = 0;
  std::size_t twice = 0;
  bool all_ended = true;
  for (FleetReport& report : reports) {
    require_same_run(all, report);
    if (!came_to_its_end(report)) {
      all_ended = false;
      former.add_early_end(report, all.header.remarks);
    }
    former.add(report);
    if (report.ended.seconds > all.ended.seconds) all.ended = report.ended;
    const int shift = static_cast<int>(ranks);
    for (const FleetHost& host : report.hosts)
      ranks += host.ranks;
    if (ranks > kMostFleetRanks)
      throw ConfigError(fmt::format("fleets of one merged report may have {} ranks, found {}",
                                    kMostFleetRanks, ranks));
    for (FleetHost& host : report.hosts)
      add_host(all, hosts, std::move(host));
    for (FleetUnit& unit : report.units) {
      shift_ranks(unit, shift);
      if (const auto place = units.known(unit.name))
        twice += add_rounds(all.units[*place], std::move(unit.rounds));
      else
        all.units.push_back(std::move(unit));
    }
  }
  if (twice > 0)
    all.header.remarks.push_back(
        fmt::format("{} round(s) stand in more than one of the reports, and count once", twice));
  expect_hosts(all, expected);
  judge_fleet(all);
  former.apply(all);
  all.exit_code = all_ended ? exit_code_of(all) : ExitCode::Failed;
  return all;
}

}  // namespace hpl
