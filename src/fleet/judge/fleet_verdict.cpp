#include "hpl/fleet/judge/fleet_verdict.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <set>
#include <vector>

#include <fmt/format.h>

#include "fleet_comparison.h"
#include "fleet_judge.h"
#include "hpl/base/number/statistics.h"
#include "hpl/base/text/quantity.h"
#include "hpl/check/findings/finding.h"
#include "hpl/report/result/disturbance.h"
#include "hpl/report/result/expectation.h"
#include "hpl/report/result/hardware_events.h"

namespace hpl {
namespace {

/// A figure and the members of one kind that have it.
struct FigureValues {
  std::vector<double> values;
  std::vector<FleetMember*> members;
};

class Judge {
 public:
  explicit Judge(FleetReport& report) : report_(report) {}

  void run() {
    report_.kinds.clear();
    report_.remarks.clear();
    for (FleetMember& member : report_.members) {
      member.findings.clear();
      member.figures = figures_of(member);
    }
    judge_runs(report_);
    compare_kinds();
    judge_devices();
    for (FleetMember& member : report_.members) {
      count_figures(member);
      member.verdict = verdict_of(member);
    }
    judge_hosts(report_);
    remark_on_warnings();
    report_.differences = differences_of(report_.hosts, report_.members);
  }

 private:
  static Verdict verdict_of(const FleetMember& member) {
    if (member.runs.empty() && member.state != MemberState::Silent) return Verdict::NotRun;
    const Verdict verdict = verdict_by(member.findings);
    const bool checked = std::ranges::all_of(
        member.runs, [](const RunResult& run) { return run_verdict(run) == Verdict::Passed; });
    return checked || verdict == Verdict::Failed ? verdict : Verdict::Unchecked;
  }

  void count_figures(FleetMember& member) const {
    std::vector<Finding*> findings;
    for (Finding& finding : member.findings)
      findings.push_back(&finding);
    fail_by_figures(findings, report_.thresholds.strict);
  }

  void remark_on_warnings() {
    std::set<std::string> disturbed;
    for (const FleetMember& member : report_.members)
      if (member.verdict == Verdict::Warned && worst(member.findings)->basis == Basis::Disturbed)
        disturbed.insert(member.hosts.begin(), member.hosts.end());
    const auto warned = std::ranges::count_if(report_.hosts, [&](const FleetHost& host) {
      return host.verdict == Verdict::Warned && !disturbed.contains(host.name);
    });
    if (warned > 0)
      report_.remarks.push_back(
          warning("hosts", "{} passed with a warning: one figure is out, which is no failure",
                  count_text(warned, "host")));
  }

  void compare_kinds() {
    std::vector<std::string> kinds;
    for (const FleetMember& member : report_.members)
      if (std::ranges::find(kinds, member.kind) == kinds.end()) kinds.push_back(member.kind);
    for (const std::string& name : kinds)
      report_.kinds.push_back(compare_kind(name));
    if (kinds.size() > 1)
      report_.remarks.push_back(
          note("kinds", "{} kinds of hardware: members are compared within their kind only",
               kinds.size()));
  }

  FleetKind compare_kind(const std::string& name) {
    FleetKind kind{.kind = name};
    for (const FleetMember& member : report_.members)
      if (member.kind == name && !member.runs.empty()) ++kind.members;
    const FleetKind* const before = reference_kind(name);
    if (report_.reference && before == nullptr)
      report_.remarks.push_back(
          warning("reference", "the reference {} has no {}: such members were not compared with it",
                  report_.reference->source, name));
    for (const FigureInfo& about : kMemberFigures) {
      const FigureValues found = values_of(name, about.value);
      if (found.values.empty()) continue;
      kind.figures.push_back(statistics(about.value, found));
      if (report_.shared_cores) continue;
      judge_against_fleet(found, kind);
      if (before != nullptr) judge_against_reference(found, *before, about.value);
      if (about.value == Figure::Gflops) judge_against_expectation(found, kind);
    }
    kind.remark = remark_on(kind);
    return kind;
  }

  FigureValues values_of(const std::string& kind, Figure figure) {
    FigureValues found;
    for (FleetMember& member : report_.members) {
      const auto& value = member.figures[figure];
      if (member.kind != kind || !value || !std::isfinite(*value)) continue;
      if (figure != Figure::CorrectedErrors && is_unmeasured(member)) continue;
      found.values.push_back(*value);
      found.members.push_back(&member);
    }
    return found;
  }

  static FigureStatistics statistics(Figure figure, const FigureValues& found) {
    const auto [least, most] = std::ranges::minmax_element(found.values);
    const auto worst = info(figure).better == Better::Higher ? least : most;
    const double middle = median(found.values);
    return {.figure = figure,
            .count = static_cast<int>(found.values.size()),
            .minimum = *least,
            .median = middle,
            .maximum = *most,
            .spread = robust_spread(found.values, middle),
            .worst_member = found.members[worst - found.values.begin()]->name};
  }

  /// The rate of the kind, whose statistics come first.
  static double usual_rate(const FleetKind& kind) {
    const bool first = !kind.figures.empty() && kind.figures.front().figure == Figure::Gflops;
    return first ? kind.figures.front().median : 0;
  }

  /// By the newest statistics of the kind.
  void judge_against_fleet(const FigureValues& found, FleetKind& kind) {
    FigureStatistics& of = kind.figures.back();
    if (of.count < kFewestPeers || !is_judged(info(of.figure))) return;
    const Norm norm{.basis = Basis::Peers,
                    .name = fmt::format("the median of {} members", of.count),
                    .of = of,
                    .usual_gflops = usual_rate(kind)};
    of.threshold = judge_by(norm, found);
  }

  void judge_against_reference(const FigureValues& found, const FleetKind& before, Figure figure) {
    const auto of = std::ranges::find(before.figures, figure, &FigureStatistics::figure);
    if (of == before.figures.end() || !is_judged(info(figure))) return;
    judge_by({.basis = Basis::Reference,
              .name = "the median of the reference " + report_.reference->source,
              .of = *of,
              .usual_gflops = usual_rate(before)},
             found);
  }

  /// By the newest statistics of the kind. The interval holds what chips differ by, so that a
  /// member below it is slow.
  void judge_against_expectation(const FigureValues& found, const FleetKind& kind) {
    const auto expectation =
        std::ranges::find(report_.expectations, kind.kind, &FleetExpectation::kind);
    if (expectation == report_.expectations.end()) return;
    const ExpectedRun& expected = expectation->expected;
    const Norm norm{.basis = Basis::Expectation,
                    .name = "the data sheet of " + expected.sheet,
                    .of = {.figure = Figure::Gflops, .median = expected.gflops}};
    for (std::size_t i = 0; i < found.values.size(); ++i)
      if (auto finding =
              compare(found.values[i], norm, {expected.least_gflops(), "its interval"})) {
        finding->severity = Severity::Slow;
        found.members[i]->findings.push_back(*std::move(finding));
      }
    report_.remarks.push_back(remark_on(*expectation, report_.spec, kind.figures.back().median));
  }

  /// "NVIDIA H200, N = 90000, NB = 1024: 49.1 to 54.5 TFLOP/s expected by ...; median 46.1: the
  /// whole fleet is slow"
  static Remark remark_on(const FleetExpectation& expectation, const RunSpec& spec, double median) {
    const ExpectedRun& expected = expectation.expected;
    const std::string_view verdict = median < expected.least_gflops()  ? "the whole fleet is slow"
                                     : median > expected.most_gflops() ? "faster than expected"
                                                                       : "as expected";
    return {.about = "expectation",
            .severity = median < expected.least_gflops() ? Severity::Warning : Severity::Remark,
            .text = fmt::format("{}, N = {}, NB = {}: expected {}; median {}: {}", expectation.kind,
                                spec.order, spec.block_size, interval_text(expected),
                                rate_text(median), verdict)};
  }

  /// Returns the limit.
  double judge_by(const Norm& norm, const FigureValues& found) {
    const FigureLimit limit = limit_of(norm, report_.thresholds, report_.spec.order);
    for (std::size_t i = 0; i < found.values.size(); ++i) {
      auto finding = compare(found.values[i], norm, limit);
      if (!finding) continue;
      if (norm.basis == Basis::Peers) {
        if (norm.of.figure == Figure::Gflops)
          finding->text += slow_phase(*found.members[i], found.members);
        if (norm.of.figure == Figure::Throttled) finding->text += throttle_text(*found.members[i]);
      }
      found.members[i]->findings.push_back(*std::move(finding));
    }
    return limit.value;
  }

  const FleetKind* reference_kind(const std::string& name) const {
    if (!report_.reference) return nullptr;
    const auto found = std::ranges::find(report_.reference->kinds, name, &FleetKind::kind);
    return found == report_.reference->kinds.end() ? nullptr : &*found;
  }

  std::string remark_on(const FleetKind& kind) const {
    if (report_.shared_cores) return "ranks share cores (--share-cores): no figure is compared";
    if (kind.figures.empty() || kind.figures.front().figure != Figure::Gflops) return {};
    const FigureStatistics& rates = kind.figures.front();
    if (rates.count == 1)
      return "one member has no distribution: judged by residual, device, gates and reference";
    if (rates.count < kFewestPeers)
      return fmt::format(
          "two members are too few to find an outlier (three are needed): judged by residual, "
          "device, gates and reference; their rates differ by {:.1f} %",
          100 * (rates.maximum - rates.minimum) / rates.median);
    const double percent = 100 * rates.spread / rates.median;
    if (percent > report_.thresholds.tolerance)
      return fmt::format(
          "the rates scatter by {:.1f} % (robust spread), more than the tolerance of {:g} %: a "
          "gate or a reference says more than this distribution",
          percent, report_.thresholds.tolerance);
    return {};
  }

  void judge_devices() {
    std::vector<hpcx::EventCounts> events;
    for (FleetMember& member : report_.members) {
      for (const JobDevice& device : member.devices) {
        RankRecord record{.rank = device.rank, .health = device.health};
        for (Finding found : find_faults({&record, 1})) {
          found.text.insert(0, name_of_device(member, device, device.index));
          member.findings.push_back(std::move(found));
        }
      }
      for (EventFinding& found : event_findings(member.runs)) {
        if (found.backend.empty()) continue;  // see judge_hosts()
        found.text.insert(0, name_of_device(member, found, found.device_index));
        member.findings.push_back(std::move(found));
      }
      for (const RunResult& run : member.runs)
        std::ranges::move(events_of(run), std::back_inserter(events));
    }
    if (auto unreadable = unreadable_events(events))
      report_.remarks.push_back(std::move(*unreadable));
    remark_on_all();
  }

  /// "cuda 3 on node01: "; nothing where the member has one device.
  static std::string name_of_device(const FleetMember& member, const auto& device, int index) {
    if (member.devices.size() < 2) return {};
    return fmt::format("{} {} on {}: ", device.backend, index, device.host);
  }

  /// A remark on every member of a kind is normal there, and is made once.
  void remark_on_all() {
    for (const FleetKind& kind : report_.kinds) {
      if (kind.members < 2) continue;
      std::map<std::string, int> counts;
      for (const FleetMember& member : report_.members)
        if (member.kind == kind.kind)
          for (const Finding& finding : member.findings)
            if (is_device_remark(finding)) ++counts[finding.text];
      for (const auto& [text, count] : counts) {
        if (count < kind.members) continue;
        report_.remarks.push_back(
            warning("devices", "all {} of {}: {}", kind.members, kind.kind, text));
        for (FleetMember& member : report_.members)
          if (member.kind == kind.kind)
            std::erase_if(member.findings, [&](const Finding& finding) {
              return is_device_remark(finding) && finding.text == text;
            });
      }
    }
  }

  static bool is_device_remark(const Finding& finding) {
    return finding.basis == Basis::Device && finding.severity == Severity::Remark;
  }

  FleetReport& report_;
};

}  // namespace

void judge_fleet(FleetReport& report) {
  Judge(report).run();
}

bool is_unmeasured(const FleetMember& member) {
  return !member.runs.empty() && std::ranges::all_of(member.runs, is_disturbed);
}

std::string disturbance_of(const Fleet& fleet) {
  std::vector<const RunResult*> runs;
  for (const FleetMember& member : fleet.members)
    if (std::ranges::any_of(member.runs, is_disturbed))
      for (const RunResult& run : member.runs)
        runs.push_back(&run);
  const std::string text = disturbance_text(runs);
  return text.empty() ? text : "the rates are no measure of these devices: " + text;
}

std::optional<std::string> reference_mismatch(const FleetReference& reference,
                                              const FleetReport& report) {
  if (reference.each != report.each)
    return fmt::format("{} is of a fleet by {}, this is one by {}", reference.source,
                       name_of(kFleetMemberKinds, reference.each),
                       name_of(kFleetMemberKinds, report.each));
  if (const auto difference = run_difference(reference.spec, report.spec))
    return fmt::format("{} is of another run: {} there, {} here", reference.source, difference->one,
                       difference->other);
  for (const FleetMember& member : report.members) {
    if (std::ranges::find(reference.kinds, member.kind, &FleetKind::kind) != reference.kinds.end())
      continue;
    std::string known;
    for (const FleetKind& kind : reference.kinds)
      known += fmt::format("{}{}", known.empty() ? "" : ", ", kind.kind);
    return fmt::format("{} is of other hardware: {} there, {} here ({})", reference.source,
                       known.empty() ? "none" : known, member.kind, member.name);
  }
  return std::nullopt;
}

namespace {

bool is_slow(std::span<const Finding> findings) {
  const Finding* const finding = worst(findings);
  return finding != nullptr && finding->severity == Severity::Slow;
}

}  // namespace

ExitCode exit_code_of(const FleetReport& report) {
  Judgement judgement{.wrong = report.members.empty()};
  const auto add = [&](Verdict verdict, std::span<const Finding> findings) {
    if (has_passed(verdict)) return;
    const bool slow = verdict == Verdict::Failed && is_slow(findings);
    (slow ? judgement.slow : judgement.wrong) = true;
  };
  for (const FleetMember& member : report.members)
    add(member.verdict, member.findings);
  for (const FleetHost& host : report.hosts)
    add(host.verdict, host.findings);
  return exit_code_of(judgement);
}

}  // namespace hpl
