#include "snapshot.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "hpl/base/record/record.h"
#include "hpl/base/text/host_list.h"
#include "hpl/base/text/zoned_time.h"
#include "hpl/check/findings/check_members.h"
#include "hpl/fleet/judge/fleet_json.h"
#include "hpl/fleet/judge/fleet_merge.h"

namespace hpl {
namespace {

/// Documents of one time began within so much of each other, s.
constexpr double kOneTime = 86'400;

/// Choices that follow from what is free at the moment.
constexpr std::string_view kMemoryChoice = "memory of a rank";

/// Everything that the header says of how the runs were carried out.
NamedValues settings_of(const JobHeader& header) {
  NamedValues settings;
  if (header.resources) settings.emplace_back("ranks", to_string(*header.resources));
  for (const auto& [name, value] : header.environment)
    if ((name == "ranks" && !header.resources) || name == "compiler" || name == "repeatable")
      settings.emplace_back(name, value);
  if (header.program.commit) settings.emplace_back("commit", *header.program.commit);
  const std::string labels = labels_text(header.program.labels);
  settings.emplace_back("labels", labels.empty() ? "none" : labels);
  for (const Decision& choice : header.choices)
    if (choice.about != kMemoryChoice) settings.emplace_back(choice.about, choice.value);
  return settings;
}

std::optional<FleetMemberKind> each_of(const JobReport& job) {
  if (job.devices.size() == 1) return FleetMemberKind::Device;
  if (job.hosts.size() == 1) return FleetMemberKind::Node;
  if (job.hosts.size() == 2) return FleetMemberKind::Pair;
  return std::nullopt;
}

std::string host_of(const JobHeader& header) {
  for (const auto& [name, value] : header.environment)
    if (name == "host") return value;
  return "unknown host";
}

/// The job as one member, without its runs.
FleetMember member_of(const JobReport& job, const std::optional<FleetMemberKind>& each) {
  FleetMember member{.devices = job.devices};
  if (!job.devices.empty()) {
    name_member(member, each.value_or(FleetMemberKind::Node));
    if (!each) member.name = host_list(member.hosts);
    return member;
  }
  for (const JobHost& host : job.hosts)
    member.hosts.push_back(host.name);
  if (member.hosts.empty()) member.hosts = {host_of(job.header)};
  member.name = host_list(member.hosts);
  return member;
}

Snapshot of_job(JobReport job) {
  Snapshot all{.side = {.program = job.header.program}, .hosts = job.hosts};
  const auto each = each_of(job);
  for (std::size_t i = 0; i < job.plan.size(); ++i) {
    Trial trial{.each = each,
                .spec = job.plan[i],
                .settings = settings_of(job.header),
                .members = {member_of(job, each)}};
    for (RunResult& run : job.runs)
      if (run.run_index == static_cast<int>(i) && !run.stopped && !lacks_check(run))
        trial.members.front().runs.push_back(brief(std::move(run)));
    if (!trial.members.front().runs.empty()) all.trials.push_back(std::move(trial));
  }
  if (!all.trials.empty()) {
    const RunResult& first = all.trials.front().members.front().runs.front();
    all.side.started = {begin_of(first), first.power ? first.power->utc_offset : 0};
  }
  return all;
}

void count(Snapshot& snapshot) {
  std::set<std::string> members;
  for (const Trial& trial : snapshot.trials)
    for (const FleetMember& member : trial.members)
      if (!is_link(trial, member)) members.insert(member.name);
  snapshot.side.hosts = static_cast<int>(snapshot.hosts.size());
  snapshot.side.members = static_cast<int>(members.size());
}

Snapshot of_check(const CheckDocument& document, const std::string& name) {
  require_order(document.check, name);
  Snapshot all{.side = {.started = document.program.started, .program = document.program}};
  for (const RankRecord& rank : document.check.ranks) {
    auto host = std::ranges::find(all.hosts, rank.host, &JobHost::name);
    if (host == all.hosts.end()) host = all.hosts.insert(host, {.name = rank.host});
    ++host->ranks;
  }
  // Ranks that share cores have no figures of their own.
  if (!shares_cores(document.check)) all.trials.push_back(trial_of(document.check));
  return all;
}

Trial* find_trial(Snapshot& all, const Trial& like) {
  const auto found =
      std::ranges::find_if(all.trials, [&](const Trial& trial) { return is_same(trial, like); });
  return found == all.trials.end() ? nullptr : &*found;
}

FleetMember* find_member(Trial& trial, const std::string& name) {
  const auto found = std::ranges::find(trial.members, name, &FleetMember::name);
  return found == trial.members.end() ? nullptr : &*found;
}

auto identity(const RunResult& run) {
  return std::tuple(begin_of(run), run.seconds, run.gflops);
}

void join_member(Trial& trial, FleetMember part) {
  FleetMember* const known = find_member(trial, part.name);
  if (known == nullptr) {
    trial.members.push_back(std::move(part));
    return;
  }
  if (known->runs.empty()) known->figures = part.figures;
  if (known->runs.empty() && part.runs.empty()) known->findings = std::move(part.findings);
  for (RunResult& run : part.runs)
    if (std::ranges::find(known->runs, identity(run), identity) == known->runs.end())
      known->runs.push_back(std::move(run));
  std::ranges::stable_sort(known->runs, {}, begin_of);
}

/// A member has made the same run in both.
bool overlap(Snapshot& all, const Snapshot& part) {
  return std::ranges::any_of(part.trials, [&](const Trial& trial) {
    Trial* const known = find_trial(all, trial);
    return known != nullptr && std::ranges::any_of(trial.members, [&](const FleetMember& member) {
             return find_member(*known, member.name) != nullptr;
           });
  });
}

/// Why a host failed by itself, beside its members; empty: it did not.
std::string own_fault(const FleetHost& host) {
  for (const Finding& finding : host.findings)
    if (finding.severity == Severity::Fault && finding.basis != Basis::Member) return finding.text;
  return host.verdict == Verdict::NotRun ? "took no part" : "";
}

}  // namespace

bool is_same(const Trial& one, const Trial& other) {
  const auto size = [](const RunSpec& of) {
    return std::tuple(of.order, of.block_size, of.grid_rows, of.grid_columns);
  };
  if ((one.log || other.log) && !one.check && !other.check)
    return size(one.spec) == size(other.spec);
  return one.check == other.check && one.each == other.each &&
         !run_difference(one.spec, other.spec);
}

Snapshot snapshot_of(FleetReport fleet) {
  Snapshot all{.side = {.name = minute_text(fleet.started),
                        .started = fleet.started,
                        .program = fleet.header.program},
               .hosts = {fleet.hosts.begin(), fleet.hosts.end()}};
  for (const FleetHost& host : fleet.hosts)
    if (std::string why = own_fault(host); !why.empty())
      all.failed_hosts.emplace(host.name, std::move(why));
  all.trials.push_back({.each = fleet.each,
                        .spec = std::move(fleet.spec),
                        .settings = settings_of(fleet.header),
                        .members = std::move(fleet.members)});
  count(all);
  return all;
}

std::optional<Snapshot> snapshot_of(JsonCursor::Json document, const std::string& name) {
  document = renewed_fleet(std::move(document));
  const JsonCursor from(document, name);
  if (!document.is_object() || from.contains("kind")) return std::nullopt;
  std::optional<Snapshot> read;
  std::string end;
  if (is_fleet(from)) {
    FleetReport fleet = read_fleet(from);
    end = early_end(fleet.error, fleet.exit_code);
    read = snapshot_of(std::move(fleet));
  } else if (from.contains("runs")) {
    auto job = from_json_value<JobReport>(from);
    end = early_end(job.error, job.exit_code);
    if (!end.empty() && std::ranges::any_of(job.runs, lacks_check))
      end += "; a run that it had not checked is left out";
    read = of_job(std::move(job));
  } else if (from.contains("preflight")) {
    read = of_check(from_json_value<CheckDocument>(from), name);
  }
  if (!read) return std::nullopt;
  if (!end.empty()) read->early_ends = {fmt::format("{}: {}", name, end)};
  read->side.name = name;
  read->side.files = {name};
  count(*read);
  return read;
}

void join(Snapshot& all, Snapshot part) {
  if (all.side.files.empty()) {
    all = std::move(part);
    return;
  }
  std::ranges::move(part.side.files, std::back_inserter(all.side.files));
  std::ranges::move(part.early_ends, std::back_inserter(all.early_ends));
  all.failed_hosts.merge(part.failed_hosts);
  const double begin = part.side.started.seconds;
  if (begin > 0 && (all.side.started.seconds == 0 || begin < all.side.started.seconds))
    all.side.started = part.side.started;
  for (JobHost& host : part.hosts)
    if (std::ranges::find(all.hosts, host.name, &JobHost::name) == all.hosts.end())
      all.hosts.push_back(std::move(host));
  for (Trial& trial : part.trials) {
    Trial* const known = find_trial(all, trial);
    if (known == nullptr) {
      all.trials.push_back(std::move(trial));
      continue;
    }
    for (FleetMember& member : trial.members)
      join_member(*known, std::move(member));
  }
  count(all);
}

std::vector<Snapshot> by_date(std::vector<Snapshot> documents) {
  const auto begin = [](const Snapshot& of) { return of.side.started.seconds; };
  std::ranges::stable_sort(documents, {}, begin);
  std::vector<Snapshot> times;
  for (Snapshot& document : documents) {
    if (times.empty() || begin(document) > begin(times.back()) + kOneTime ||
        overlap(times.back(), document))
      times.push_back(std::move(document));
    else
      join(times.back(), std::move(document));
  }
  for (Snapshot& time : times)
    if (std::string date = minute_text(time.side.started); !date.empty())
      time.side.name = std::move(date);
  return times;
}

}  // namespace hpl
