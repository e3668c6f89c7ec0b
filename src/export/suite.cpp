#include "hpl/export/suite.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hpl/base/error/error.h"
#include "hpl/base/text/host_list.h"
#include "hpl/base/text/quantity.h"
#include "hpl/base/text/text_value.h"
#include "hpl/fleet/judge/fleet_merge.h"
#include "hpl/fleet/judge/fleet_verdict.h"
#include "hpl/report/result/disturbance.h"
#include "hpl/report/result/run_failures.h"

namespace hpl::page {
namespace {

double seconds_of(std::span<const RunResult> runs) {
  double seconds = 0;
  for (const RunResult& run : runs)
    if (run.seconds > 0) seconds += run.seconds;
  return seconds;
}

void set_figures(Case& made, const Figures& figures) {
  for (const FigureInfo& about : kMemberFigures)
    if (const auto& value = figures[about.value]; value && std::isfinite(*value))
      made.figures.push_back({about.value, *value});
}

/// Sets what a member's hosts and devices tell.
void set_place(Case& made, const FleetMember& member) {
  made.host = host_list(member.hosts);
  made.model = member.kind;
  if (member.devices.size() == 1)
    made.device =
        fmt::format("{} {}", member.devices.front().backend, member.devices.front().index);
}

Verdict verdict_of(Severity severity) {
  switch (severity) {
    case Severity::Fault:
      return Verdict::Failed;
    case Severity::Slow:
      return Verdict::Slow;
    case Severity::Warning:
      return Verdict::Warned;
    case Severity::Remark:
      return Verdict::Passed;
  }
  HPL_ASSERT(false && "a severity outside its enumeration");
}

/// The verdict on a member or a host: wrong and slow apart.
Verdict verdict_of_fleet(const auto& one) {
  const Finding* const finding = worst(one.findings);
  const bool slow = finding != nullptr && finding->severity == Severity::Slow;
  if (one.verdict == Verdict::Failed && slow) return Verdict::Slow;
  if (one.verdict == Verdict::NotRun || one.verdict == Verdict::Missing) return Verdict::Failed;
  return one.verdict;
}

std::vector<std::string> faults_of_run(const RunResult& run) {
  if (run_verdict(run) == Verdict::Stopped)
    return {fmt::format("stopped early, after {} of the operations",
                        hpl::percent_text(run.stopped->fraction))};
  if (run_verdict(run) == Verdict::Unchecked)
    return {lacks_check(run) ? "the job ended before the solution was checked"
                             : "the solution was not checked"};
  return run_failures(run);
}

/// The devices of a job as the only member of a fleet.
FleetMember member_of(const JobReport& job) {
  FleetMember member;
  member.devices = job.devices;
  if (member.devices.empty()) return member;
  name_member(member, member.devices.size() == 1 ? FleetMemberKind::Device : FleetMemberKind::Node);
  return member;
}

/// A run of the plan with its repetitions.
Case case_of(FleetMember member) {
  const RunSpec& spec = member.runs.front().spec;
  Case made{.kind = CaseKind::Run,
            .name = fmt::format("{}, {}", variant_code(spec), size_text(spec)),
            .spec = spec,
            .seconds = seconds_of(member.runs)};
  set_place(made, member);
  FleetMember checked = member;
  std::erase_if(checked.runs, lacks_check);
  if (!checked.runs.empty()) set_figures(made, figures_of(checked));
  std::vector<std::string> remarks;
  for (const RunResult& run : member.runs) {
    made.verdict = std::max(made.verdict, run_verdict(run));
    for (const std::string& fault : faults_of_run(run))
      made.faults.push_back(member.runs.size() == 1
                                ? fault
                                : fmt::format("repetition {}: {}", run.repeat_index + 1, fault));
    for (const Remark& remark : run.remarks)
      remarks.push_back(remark.text);
    for (const std::string& reason : disturbances(run))
      remarks.push_back("the rate is no measure of this machine: " + reason);
  }
  if (made.verdict == Verdict::Stopped) made.verdict = Verdict::Unchecked;
  made.disturbed = std::ranges::any_of(member.runs, is_disturbed);
  made.remarks = distinct(remarks);
  return made;
}

void add_runs(Suite& suite, const JobReport& job) {
  const FleetMember member = member_of(job);
  std::map<int, std::vector<RunResult>> runs;  // by their index in the plan
  for (const RunResult& run : job.runs)
    runs[run.run_index].push_back(brief(run));
  for (auto& [index, repetitions] : runs) {
    FleetMember of_run = member;
    of_run.runs = std::move(repetitions);
    suite.cases.push_back(case_of(std::move(of_run)));
  }
  for (const GateResult& gate : job.gates) {
    const std::string key = fmt::format("{} {:g}", gate.gate, gate.limit);
    suite.cases.push_back({.kind = CaseKind::Gate,
                           .name = key,
                           .verdict = gate.held ? Verdict::Passed : Verdict::Slow,
                           .key = key,
                           .host = host_list(member.hosts)});
    Case& made = suite.cases.back();
    (gate.held ? made.remarks : made.faults).push_back(gate.reason);
  }
  if (!job.runs.empty()) suite.started = job.runs.front().started;
}

/// Sorts the findings into faults and remarks.
void add_findings(Case& made, std::span<const Finding> findings) {
  for (const Finding& finding : findings)
    (finding.severity == Severity::Remark ? made.remarks : made.faults).push_back(finding.text);
}

void add_fleet(Suite& suite, const FleetReport& fleet) {
  const std::string cut_off = fleet.error ? "the job of the fleet ended early" : "";
  for (const FleetMember& member : fleet.members) {
    Case made{.kind = CaseKind::Member,
              .name = member.name,
              .verdict = verdict_of_fleet(member),
              .spec = fleet.spec,
              .seconds = seconds_of(member.runs)};
    made.disturbed = std::ranges::any_of(member.runs, is_disturbed);
    set_place(made, member);
    set_figures(made, member.figures);
    add_findings(made, member.findings);
    if (has_passed(made.verdict) && fleet.error) {
      made.verdict = Verdict::Unchecked;
      made.faults.push_back(cut_off);
    }
    if (made.verdict != Verdict::Passed && made.faults.empty())
      made.faults.emplace_back(to_string(member.verdict));
    suite.cases.push_back(std::move(made));
  }
  for (const FleetHost& host : fleet.hosts) {
    Case made{.kind = CaseKind::Host,
              .name = host.name,
              .verdict = verdict_of_fleet(host),
              .host = host.name};
    add_findings(made, host.findings);
    made.repeats_member =
        fleet.each != FleetMemberKind::Pair &&
        std::ranges::all_of(
            host.findings, [](const Finding& finding) { return finding.basis == Basis::Member; }) &&
        host.verdict != Verdict::Missing && host.verdict != Verdict::NotRun;
    if (made.verdict != Verdict::Passed && made.faults.empty())
      made.faults.emplace_back(to_string(host.verdict));
    suite.cases.push_back(std::move(made));
  }
  suite.started = static_cast<std::time_t>(fleet.started.seconds);
}

Case case_of(const RankRecord& rank) {
  Case made{.kind = CaseKind::Rank,
            .key = std::to_string(rank.rank),
            .host = rank.host,
            .device = rank.device,
            .model = rank.device_model};
  for (const Measurement& measured : rank.measurements)
    if (measured.peer == kNoPeer && std::isfinite(measured.value))
      made.figures.push_back({measured.metric, measured.value});
  return made;
}

/// The worst of the links of a rank, by either of its ends.
void add_link(Case& made, const Measurement& link) {
  const auto known = std::ranges::find(made.figures, link.metric, &CaseFigure::figure);
  if (known == made.figures.end())
    made.figures.push_back({link.metric, link.value});
  else
    known->value = info(link.metric).better == Better::Lower ? std::max(known->value, link.value)
                                                             : std::min(known->value, link.value);
}

void add_check(Suite& suite, const CheckReport& check) {
  std::map<int, Case> cases;  // by rank
  for (const RankRecord& rank : check.ranks)
    cases[rank.rank] = case_of(rank);
  for (const RankRecord& rank : check.ranks)
    for (const Measurement& link : rank.measurements) {
      if (link.peer == kNoPeer || !std::isfinite(link.value)) continue;
      for (const int end : {rank.rank, static_cast<int>(link.peer)})
        if (const auto found = cases.find(end); found != cases.end()) add_link(found->second, link);
    }
  for (const RankFinding& finding : check.findings) {
    Case& made = cases
                     .try_emplace(finding.rank, Case{.kind = CaseKind::Rank,
                                                     .key = std::to_string(finding.rank),
                                                     .host = finding.host,
                                                     .device = finding.device})
                     .first->second;
    made.verdict = std::max(made.verdict, verdict_of(finding.severity));
    made.disturbed = made.disturbed || finding.basis == Basis::Disturbed;
    (finding.severity == Severity::Remark ? made.remarks : made.faults).push_back(finding.text);
  }
  for (auto& [rank, made] : cases) {
    made.name = fmt::format("rank {} on {}, {}", rank, made.host, made.device);
    suite.cases.push_back(std::move(made));
  }
}

/// The verdict of a step, for formats that know no more.
Verdict verdict_of_step(Verdict verdict) {
  if (verdict == Verdict::NotRun) return Verdict::Unchecked;
  return verdict == Verdict::Repeat || verdict == Verdict::Unfinished ? Verdict::Broken : verdict;
}

void add_campaign(Suite& suite, const CampaignReport& campaign) {
  for (const CampaignStep& step : campaign.steps) {
    if (!step.verdict) continue;  // skipped
    suite.cases.push_back({.kind = CaseKind::Step,
                           .name = step.name,
                           .verdict = verdict_of_step(*step.verdict),
                           .key = step.name,
                           .host = host_list(step.hosts),
                           .seconds = step.seconds});
    Case& made = suite.cases.back();
    const std::string why =
        step.reason.empty() ? std::string(to_string(*step.verdict)) : step.reason;
    if (made.verdict != Verdict::Passed) made.faults.push_back(why);
  }
  for (const std::string& host : campaign.denied)
    suite.cases.push_back({.kind = CaseKind::Host,
                           .name = host,
                           .verdict = Verdict::Failed,
                           .faults = {"left out by --deny"},
                           .host = host});
  suite.started = static_cast<std::time_t>(campaign.program.started.seconds);
}

/// Whether the job came to its end.
void add_job(Suite& suite, const std::optional<ExitCode>& code,
             const std::optional<std::string>& error) {
  Case made{.kind = CaseKind::Job, .name = "came to its end", .host = suite.hosts};
  if (error)
    made.faults.push_back(one_line(*error));
  else if (!code)
    made.faults.emplace_back("the document was written before the job ended");
  else if (!is_verdict(*code))
    made.faults.push_back(fmt::format("the job ended with exit code {}", static_cast<int>(*code)));
  if (!made.faults.empty()) made.verdict = Verdict::Broken;
  suite.cases.push_back(std::move(made));
}

[[noreturn]] void refuse(const RunFile& file, const char* found) {
  throw ConfigError("{}: --format takes documents of runs, fleets, checks or campaigns, found {}",
                    shown_text(file.name), found);
}

/// Fills the cases; refuses other documents.
void add_cases(Suite& suite, const RunFile& file) {
  switch (file.content) {
    case Content::Runs:
      suite.subject = "run";
      return add_runs(suite, file.job);
    case Content::Fleet:
      suite.subject = "fleet";
      return add_fleet(suite, *file.fleet);
    case Content::Check:
      suite.subject = "check";
      return add_check(suite, *file.job.preflight);
    case Content::Campaign:
      suite.subject = "campaign";
      return add_campaign(suite, *file.campaign);
    case Content::Search:
      refuse(file, "a search for settings");
    case Content::Predictions:
      refuse(file, "predictions");
    case Content::Comparison:
      refuse(file, "a comparison");
  }
}

}  // namespace

Verdict Suite::verdict() const {
  const bool judged =
      std::ranges::any_of(cases, [](const Case& one) { return one.kind != CaseKind::Job; });
  Verdict worst = judged ? Verdict::Passed : Verdict::Unchecked;
  for (const Case& one : cases)
    worst = std::max(worst, one.verdict);
  return worst;
}

Suite suite_of(const RunFile& file) {
  Suite suite{.file = file.name, .program = program_of(file)};
  add_cases(suite, file);
  std::vector<std::string> hosts, models;
  if (file.fleet)
    for (const FleetHost& host : file.fleet->hosts)
      hosts.push_back(host.name);
  if (file.campaign) hosts = file.campaign->hosts;
  for (const JobDevice& device : file.job.devices)
    hosts.push_back(device.host);
  for (const Case& made : suite.cases) {
    if (made.kind == CaseKind::Rank) hosts.push_back(made.host);
    models.push_back(made.model);
  }
  if (hosts.empty()) hosts.push_back(environment(file, "host"));
  suite.hosts = host_list(distinct(hosts));
  suite.models = fmt::format("{}", fmt::join(distinct(models), ", "));
  add_job(suite, file.job.exit_code, file.job.error);
  return suite;
}

bool is_rate(Figure figure) {
  return info(figure).unit == "GFLOP/s";
}

std::string figure_text(const CaseFigure& of) {
  if (is_rate(of.figure)) return hpl::rate_text(of.value);
  const std::string_view unit = info(of.figure).unit;
  return significant(of.value) + (unit.empty() ? "" : fmt::format(" {}", unit));
}

}  // namespace hpl::page
