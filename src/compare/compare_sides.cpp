#include "compare_sides.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "changed_facts.h"
#include "figure_change.h"
#include "hpl/base/number/statistics.h"
#include "hpl/base/text/quantity.h"
#include "hpl/fleet/judge/fleet_verdict.h"
#include "roster.h"

namespace hpl {
namespace {

bool is_wrong(const FleetMember& member) {
  return std::ranges::any_of(
             member.runs,
             [](const RunResult& run) { return run_status(run) == RunStatus::Failed; }) ||
         std::ranges::any_of(member.findings, [](const FleetFinding& finding) {
           return finding.basis == FleetBasis::Residual && finding.severity == FleetSeverity::Fault;
         });
}

/// A run along the sides.
struct RunTrack {
  std::optional<FleetMemberKind> each;
  RunSpec spec;
  std::set<int> sides{};
  MemberRoster roster{};
  std::vector<std::vector<MeasuredPoint>> members{};  // by number; points by side

  bool is_run_of(const Trial& trial) const {
    return each == trial.each && !run_difference(spec, trial.spec);
  }
  void add(const Trial& trial, int side, const std::map<std::string, std::size_t>& hosts);
};

void RunTrack::add(const Trial& trial, int side, const std::map<std::string, std::size_t>& hosts) {
  sides.insert(side);
  const std::vector<Certainty> certainties = certainties_of(trial.members);
  const std::vector<std::size_t> numbers = roster.add(trial.members, hosts);
  for (std::size_t i = 0; i < trial.members.size(); ++i) {
    const FleetMember& member = trial.members[i];
    members.resize(std::max(members.size(), numbers[i] + 1));
    members[numbers[i]].push_back(
        {.point = {.side = side,
                   .name = member.name,
                   .kind = member.kind,
                   .serials = serials_of(member),
                   .runs = static_cast<int>(member.runs.size()),
                   .wrong = is_wrong(member),
                   // Documents of earlier versions have figures without the runs.
                   .figures = member.runs.empty() ? member.figures : figures_of(member)},
         .certainty = certainties[i]});
  }
}

std::string kind_of(const MeasuredPoint& first, const MeasuredPoint& last) {
  return first.point.kind == last.point.kind
             ? first.point.kind
             : fmt::format("{} -> {}", first.point.kind, last.point.kind);
}

/// Points of members by their kinds: first by kind, then by side.
using KindPoints = std::map<std::string, std::map<int, std::vector<MeasuredPoint>>>;

ComparedMember medians_of(const std::string& kind,
                          const std::map<int, std::vector<MeasuredPoint>>& sides, bool paired,
                          std::int64_t order) {
  ComparedMember all;
  std::optional<MeasuredPoint> first;
  for (const auto& [side, points] : sides) {
    MeasuredPoint middle = median_of(points);
    middle.point.name = middle.point.kind = kind;
    if (!first)
      first = middle;
    else
      middle.point.changes = paired ? median_changes(sides.begin()->second, points, order)
                                    : changes_between(*first, middle, order);
    all.points.push_back(std::move(middle.point));
  }
  return all;
}

/// Medians over the members that all sides have; if there is none, over all members of a side, of
/// one kind or where a side has no other.
std::vector<ComparedMember> kinds_of(const RunTrack& run) {
  KindPoints paired, all;
  for (const std::vector<MeasuredPoint>& points : run.members) {
    const bool everywhere = points.size() == run.sides.size() && points.size() > 1;
    for (const MeasuredPoint& one : points) {
      all[one.point.kind][one.point.side].push_back(one);
      if (everywhere) paired[kind_of(points.front(), points.back())][one.point.side].push_back(one);
    }
  }
  const bool are_paired = !paired.empty();
  if (!are_paired && all.size() == 2 && run.sides.size() == 2) {
    auto &one = *all.begin(), &other = *all.rbegin();
    if (one.second.size() == 1 && other.second.size() == 1 &&
        one.second.begin()->first != other.second.begin()->first) {
      const bool in_order = one.second.begin()->first < other.second.begin()->first;
      const std::string name = fmt::format("{} -> {}", in_order ? one.first : other.first,
                                           in_order ? other.first : one.first);
      one.second.merge(other.second);
      all = {{name, std::move(one.second)}};
    }
  }
  std::vector<ComparedMember> kinds;
  for (const auto& [kind, sides] : are_paired ? paired : all)
    kinds.push_back(medians_of(kind, sides, are_paired, run.spec.order));
  return kinds;
}

ComparedMember compared(const std::vector<MeasuredPoint>& points, std::int64_t order) {
  ComparedMember member;
  for (const MeasuredPoint& one : points) {
    member.points.push_back(one.point);
    if (member.points.size() > 1)
      member.points.back().changes = changes_between(points.front(), one, order);
  }
  return member;
}

ComparedRun compared(const RunTrack& run) {
  ComparedRun result{.each = run.each, .spec = run.spec, .kinds = kinds_of(run)};
  for (const std::vector<MeasuredPoint>& points : run.members)
    result.members.push_back(compared(points, run.spec.order));
  std::ranges::stable_sort(result.members, {},
                           [](const ComparedMember& member) { return member.points.back().name; });
  return result;
}

UncomparedRun uncompared(const RunTrack& run, const std::vector<RunTrack>& others) {
  UncomparedRun result{.side = *run.sides.begin(), .each = run.each, .spec = run.spec};
  std::vector<double> rates;
  for (const std::vector<MeasuredPoint>& points : run.members)
    if (const auto& rate = points.front().point.figures[FleetFigure::Gflops])
      rates.push_back(*rate);
  if (!rates.empty()) result.gflops = median(rates);
  for (const RunTrack& other : others) {
    if (other.each != run.each || other.sides.contains(result.side)) continue;
    const auto difference = run_difference(run.spec, other.spec);
    if (!difference) continue;
    result.difference = fmt::format("{}, not {}", difference->one, difference->other);
    break;
  }
  return result;
}

/// Judges the last side of a member that the first side has as well, or of a new one.
void judge(Comparison& comparison, const ComparedMember& member) {
  const ComparedPoint &first = member.points.front(), &last = member.points.back();
  if (last.side + 1 != std::ssize(comparison.sides)) return;
  const bool is_new = member.points.size() == 1;
  if (last.wrong && (is_new || !first.wrong)) comparison.wrong.push_back(last.name);
  if (!comparison.fail_below) return;
  const auto rate = std::ranges::find(last.changes, FleetFigure::Gflops, &FigureChange::figure);
  if (rate == last.changes.end() || rate->change >= *comparison.fail_below) return;
  if (rate->verdict == ChangeVerdict::Worse) {
    comparison.slow.push_back(last.name);
  } else {
    comparison.remarks.push_back(
        warning("--fail-below",
                "{}: {:+.1f} % is below --fail-below {:g} %, but within its noise of {:.1f} %: too "
                "few or too short repetitions to tell",
                last.name, rate->change, *comparison.fail_below, rate->noise));
  }
}

void judge(Comparison& comparison) {
  bool repeated = true;
  for (const ComparedRun& run : comparison.runs)
    for (const ComparedMember& member : run.members) {
      judge(comparison, member);
      for (const FigureChange& change : member.points.back().changes)
        if (change.figure == FleetFigure::Gflops) repeated = repeated && change.repeated;
    }
  if (!repeated)
    comparison.remarks.push_back(warning(
        "noise",
        "noise of rates without repetitions: a tenth of a second a run (--repeat 3 measures it)"));
  comparison.exit_code =
      exit_code_of({.wrong = !comparison.wrong.empty(), .slow = !comparison.slow.empty()});
}

}  // namespace

Comparison compare_sides(std::vector<Snapshot> sides, std::optional<double> fail_below) {
  Comparison comparison{.fail_below = fail_below};
  HostRoster roster;
  ChangedFacts facts;
  std::vector<RunTrack> tracks;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const std::map<std::string, std::size_t> hosts = roster.add(sides[i]);
    facts.add(sides[i], hosts);
    for (const Trial& trial : sides[i].trials) {
      auto track = std::ranges::find_if(
          tracks, [&](const RunTrack& known) { return known.is_run_of(trial); });
      if (track == tracks.end())
        track = tracks.insert(track, {.each = trial.each, .spec = trial.spec});
      track->add(trial, static_cast<int>(i), hosts);
    }
    comparison.sides.push_back(std::move(sides[i].side));
  }
  comparison.changes = facts.all();
  for (const RunTrack& track : tracks)
    if (track.sides.size() > 1)
      comparison.runs.push_back(compared(track));
    else
      comparison.uncompared.push_back(uncompared(track, tracks));
  judge(comparison);
  return comparison;
}

}  // namespace hpl
