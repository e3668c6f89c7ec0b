#include "hpl/fleet/judge/fleet_merge.h"

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
#include <fmt/ranges.h>

#include "fleet_judge.h"
#include "hpl/base/error/error.h"
#include "hpl/base/text/host_list.h"
#include "hpl/base/text/quantity.h"
#include "hpl/fleet/judge/fleet_json.h"
#include "hpl/fleet/judge/fleet_verdict.h"

namespace hpl {
namespace {

std::string before(Verdict verdict) {
  return fmt::format("{} in its own job", to_string(verdict));
}

void require_same_run(const FleetReport& one, const FleetReport& other) {
  const auto each = [](const FleetReport& report) {
    return fmt::format("fleet {}", name_of(kFleetMemberKinds, report.each));
  };
  auto difference = run_difference(one.spec, other.spec);
  if (one.each != other.each) difference = {each(one), each(other)};
  if (difference)
    throw ConfigError("fleets of one merged report must have made the same run, found {} and {}",
                      difference->one, difference->other);
}

/// The positions of names in a list that only grows.
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

/// Adds the runs that the member has not yet. Returns how many it had: a report that was given
/// twice, or a part of a merged one.
std::size_t add_runs(FleetMember& member, std::vector<RunResult> runs) {
  const auto identity = [](const RunResult& run) {
    return std::tuple(begin_of(run), run.seconds, run.gflops);
  };
  std::set<std::tuple<double, double, double>> known;
  for (const RunResult& run : member.runs)
    known.insert(identity(run));
  std::size_t twice = 0;
  for (RunResult& run : runs) {
    if (known.contains(identity(run))) {
      ++twice;
      continue;
    }
    run.repeat_index = static_cast<int>(member.runs.size());
    member.runs.push_back(std::move(run));
  }
  return twice;
}

/// The verdict of its own job on a host that failed or was warned.
OwnVerdict own_verdict(const FleetHost& host) {
  OwnVerdict own{.verdict = host.verdict, .text = before(host.verdict)};
  if (const Finding* const finding = worst(host.findings)) {
    own.severity = finding->severity;
    // The job was a merged one, or it says why.
    own.text = finding->basis == Basis::Job ? finding->text
                                            : fmt::format("{}: {}", own.text, finding->text);
  }
  return own;
}

/// Gives each host of a job what the job made of it. A job of one host that was killed, or ran out
/// of time, has its host to blame. Of several hosts nobody knows which: none is known to be sound,
/// and a remark names them.
void keep_own_verdicts(FleetReport& job, std::vector<Remark>& remarks) {
  const std::string end = early_end(job.error, job.exit_code);
  std::vector<std::string> names;
  for (const FleetHost& host : job.hosts)
    if (host.ranks > 0) names.push_back(host.name);
  const bool alone = names.size() == 1;
  for (FleetHost& host : job.hosts) {
    host.own.reset();
    if (host.verdict == Verdict::Failed)
      host.own = own_verdict(host);
    else if (host.ranks > 0 && !end.empty())
      host.own = alone ? OwnVerdict{Verdict::Failed, Severity::Fault, end}
                       : OwnVerdict{Verdict::Unchecked, Severity::Remark, end};
    else if (host.verdict == Verdict::Unchecked)
      host.own = {host.verdict, Severity::Remark, before(host.verdict)};
    else if (host.verdict == Verdict::Warned)
      host.own = own_verdict(host);
  }
  if (!end.empty() && !alone) remarks.push_back(warning("end", "{}: {}", host_list(names), end));
}

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
                    .max_spread = lower(a.max_spread, b.max_spread)},
          .strict = one.strict || other.strict};
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
    all.shared_cores = all.shared_cores || report.shared_cores;
    for (const FleetExpectation& expectation : report.expectations)
      if (std::ranges::find(all.expectations, expectation.kind, &FleetExpectation::kind) ==
          all.expectations.end())
        all.expectations.push_back(expectation);
    if (!report.reference) continue;
    if (!all.reference) all.reference = report.reference;
    if (!same_reference(*all.reference, *report.reference)) other_references = true;
  }
  if (other_limits)
    all.header.remarks.push_back(warning(
        "limits", "the jobs had different limits: the strictest of each counts for all hosts"));
  if (other_references)
    all.header.remarks.push_back(
        warning("reference",
                "the jobs had different references: all hosts are compared with {}, and those that "
                "failed by another have failed",
                all.reference->source));
}

/// The name that follows from hosts and device of a member.
std::string member_name(const FleetMember& member, FleetMemberKind each) {
  if (each != FleetMemberKind::Device) return fmt::format("{}", fmt::join(member.hosts, " "));
  const JobDevice& device = member.devices.front();
  return fmt::format("{} {} {}", device.host, device.backend, device.index);
}

/// Gives each host one name: reports may call it with its domain or without.
void unify_names(std::vector<FleetReport>& reports) {
  std::vector<std::string> all;
  for (const FleetReport& report : reports)
    for (const FleetHost& host : report.hosts)
      all.push_back(host.name);
  const std::map<std::string, std::string> names = host_names(all);
  const auto rename = [&](std::string& name) {
    const auto known = names.find(name);
    if (known == names.end() || known->second == name) return false;
    name = known->second;
    return true;
  };
  for (FleetReport& report : reports) {
    for (FleetHost& host : report.hosts)
      rename(host.name);
    for (FleetMember& member : report.members) {
      bool renamed = false;
      for (std::string& host : member.hosts)
        renamed = rename(host) || renamed;
      for (JobDevice& device : member.devices)
        rename(device.host);
      for (RunResult& run : member.runs) {
        for (DeviceTelemetry& device : run.devices)
          rename(device.host);
        for (HostEvents& host : run.hosts)
          rename(host.host);
        if (run.others) rename(run.others->host);
      }
      if (renamed) member.name = member_name(member, report.each);
    }
  }
}

/// Puts reports into an order that does not depend on the one they were given in.
void put_in_order(std::vector<FleetReport>& reports) {
  const auto first = [](const auto& all) {
    return all.empty() ? "" : std::string_view(all.front().name);
  };
  const auto begin = [&](const FleetReport& report) {
    return std::tuple(report.started.seconds, first(report.hosts), first(report.members));
  };
  std::ranges::sort(reports, [&](const FleetReport& one, const FleetReport& other) {
    return begin(one) == begin(other) ? fleet_json(one) < fleet_json(other)
                                      : begin(one) < begin(other);
  });
}

/// Ranks of one job stand after those of the jobs before.
void shift_ranks(FleetMember& member, int by) {
  for (int& rank : member.ranks)
    rank += by;
  for (JobDevice& device : member.devices)
    device.rank += by;
}

bool is_worse(const std::optional<OwnVerdict>& one, const std::optional<OwnVerdict>& other) {
  if (!one || !other) return one && !other;
  return std::pair(rank_of(one->verdict), other->severity) >
         std::pair(rank_of(other->verdict), one->severity);
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
  if (is_worse(host.own, before.own)) before.own = std::move(host.own);
}

/// The limits that a job's report judges.
Gates gates_of(const std::vector<GateResult>& judged) {
  Gates gates;
  const std::map<std::string, std::optional<double>*> by_flag{
      {"--min-gflops", &gates.min_gflops},
      {"--min-efficiency", &gates.min_efficiency},
      {"--min-peak-efficiency", &gates.min_peak_efficiency},
      {"--max-spread", &gates.max_spread}};
  for (const GateResult& gate : judged)
    if (const auto found = by_flag.find(gate.gate); found != by_flag.end())
      *found->second = gate.limit;
  return gates;
}

ZonedTime zone_of(const RunResult& run, double seconds) {
  return {seconds, run.power ? run.power->utc_offset : 0};
}

}  // namespace

std::string early_end(const std::optional<std::string>& error,
                      const std::optional<ExitCode>& code) {
  if (error) return fmt::format("its job ended early: {}", error->substr(0, error->find('\n')));
  return code && is_verdict(*code) ? "" : "its job did not come to its end";
}

void expect_hosts(FleetReport& fleet, const std::vector<std::string>& expected) {
  std::set<std::string> names, known;  // known: without their domains as well
  const auto add = [&](const std::string& name) {
    names.insert(name);
    known.insert({name, without_domain(name)});
  };
  for (const FleetHost& host : fleet.hosts)
    add(host.name);
  for (const std::string& name : expected) {
    if (known.contains(name) || names.contains(without_domain(name))) continue;
    fleet.hosts.push_back({{.name = name}});
    add(name);
  }
}

void name_member(FleetMember& member, FleetMemberKind each) {
  for (const JobDevice& device : member.devices)
    if (std::ranges::find(member.hosts, device.host) == member.hosts.end())
      member.hosts.push_back(device.host);
  member.name = member_name(member, each);
  if (each == FleetMemberKind::Device) {
    member.kind = member.devices.front().model;
    return;
  }
  std::map<std::string, int> models;
  for (const JobDevice& device : member.devices)
    ++models[device.model];
  for (const auto& [model, count] : models)
    member.kind += fmt::format("{}{} x {}", member.kind.empty() ? "" : " + ", count, model);
}

FleetReport fleet_of(JobReport job, const std::string& document) {
  const auto refuse = [&](const char* allowed, const std::string& found) {
    throw ConfigError("{}: --merge takes {}, found {}", document, allowed, found);
  };
  if (job.devices.empty())
    refuse("reports with hosts and devices",
           fmt::format("none; xhpl {} wrote it", job.header.program.version));
  if (job.hosts.empty() || job.hosts.size() > 2)
    refuse("jobs of one host or of two", fmt::format("{} hosts", job.hosts.size()));
  if (job.plan.size() != 1)
    refuse("jobs with repetitions of one run", fmt::format("{} runs", job.plan.size()));
  FleetReport fleet;
  fleet.each = job.devices.size() == 1 ? FleetMemberKind::Device
               : job.hosts.size() == 1 ? FleetMemberKind::Node
                                       : FleetMemberKind::Pair;
  fleet.spec = job.plan.front();
  fleet.thresholds.gates = gates_of(job.gates);
  fleet.header = std::move(job.header);
  fleet.exit_code = job.exit_code;
  fleet.error = std::move(job.error);
  FleetMember member;
  for (JobHost& host : job.hosts)
    fleet.hosts.push_back({std::move(host)});
  for (const JobDevice& device : job.devices)
    member.ranks.push_back(device.rank);
  member.devices = std::move(job.devices);
  name_member(member, fleet.each);
  for (RunResult& run : job.runs)
    member.runs.push_back(brief(std::move(run)));
  if (!member.runs.empty()) {
    fleet.started = zone_of(member.runs.front(), begin_of(member.runs.front()));
    fleet.ended =
        zone_of(member.runs.back(), begin_of(member.runs.back()) + member.runs.back().seconds);
  }
  fleet.members.push_back(std::move(member));
  judge_fleet(fleet);
  const bool failed = fleet.exit_code == ExitCode::Failed ||
                      (fleet.exit_code == ExitCode::Slow && disturbance_of(fleet).empty());
  if (failed && exit_code_of(fleet) == ExitCode::Passed)
    for (FleetHost& host : fleet.hosts) {
      host.verdict = Verdict::Failed;
      host.findings.push_back(
          {.severity = fleet.exit_code == ExitCode::Slow ? Severity::Slow : Severity::Fault,
           .basis = Basis::Job,
           .text = before(host.verdict)});
    }
  return fleet;
}

FleetReport merge_fleets(std::vector<FleetReport> reports,
                         const std::vector<std::string>& expected) {
  HPL_ASSERT(!reports.empty());
  unify_names(reports);
  put_in_order(reports);
  FleetReport all = reports.front();
  all.hosts.clear();
  all.members.clear();
  all.error.reset();
  all.power.reset();
  merge_limits(all, reports);
  Places hosts, members;
  std::int64_t ranks = 0;
  std::size_t twice = 0;
  bool all_ended = true;
  for (FleetReport& report : reports) {
    require_same_run(all, report);
    all_ended = all_ended && early_end(report.error, report.exit_code).empty();
    keep_own_verdicts(report, all.header.remarks);
    if (report.ended.seconds > all.ended.seconds) all.ended = report.ended;
    const int shift = static_cast<int>(ranks);
    for (const FleetHost& host : report.hosts)
      ranks += host.ranks;
    if (ranks > kMostRanks)
      throw ConfigError("fleets of one merged report may have {} ranks, found {}", kMostRanks,
                        ranks);
    for (FleetHost& host : report.hosts)
      add_host(all, hosts, std::move(host));
    for (FleetMember& member : report.members) {
      shift_ranks(member, shift);
      if (const auto place = members.known(member.name))
        twice += add_runs(all.members[*place], std::move(member.runs));
      else
        all.members.push_back(std::move(member));
    }
  }
  if (twice > 0)
    all.header.remarks.push_back(warning("runs", "{} in more than one of the reports, counted once",
                                         count_text(twice, "run")));
  expect_hosts(all, expected);
  judge_fleet(all);
  all.exit_code = all_ended ? exit_code_of(all) : ExitCode::Failed;
  return all;
}

}  // namespace hpl
