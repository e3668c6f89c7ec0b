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
#include "hpl/report/result/disturbance.h"
#include "roster.h"

namespace hpl {
namespace {

bool is_wrong(const FleetMember& member) {
  return std::ranges::any_of(
             member.runs,
             [](const RunResult& run) { return run_verdict(run) == Verdict::Failed; }) ||
         std::ranges::any_of(member.findings, [](const Finding& finding) {
           return finding.severity == Severity::Fault;
         });
}

bool is_unchecked(const FleetMember& member) {
  return member.verdict == Verdict::Unchecked ||
         std::ranges::any_of(member.runs, [](const RunResult& run) {
           return run_verdict(run) == Verdict::Unchecked;
         });
}

/// A remark on runs of a side that other processes disturbed; nothing without one.
void remark_on_disturbances(Comparison& comparison, const Snapshot& side) {
  std::vector<const RunResult*> runs;
  for (const Trial& trial : side.trials)
    for (const FleetMember& member : trial.members)
      if (std::ranges::any_of(member.runs, is_disturbed))
        for (const RunResult& run : member.runs)
          runs.push_back(&run);
  if (const std::string text = disturbance_text(runs); !text.empty())
    comparison.remarks.push_back(
        warning("disturbed", "{}: rates are no measure: {}", side.side.name, text));
}

/// A run, or a check, along the sides.
struct RunTrack {
  Trial like;  ///< without members
  std::set<int> sides{};
  MemberRoster roster{};
  std::vector<std::vector<MeasuredPoint>> members{};  // by number; points by side

  void add(const Trial& trial, int side, const std::map<std::string, std::size_t>& hosts);
};

void RunTrack::add(const Trial& trial, int side, const std::map<std::string, std::size_t>& hosts) {
  sides.insert(side);
  const std::vector<Certainty> certainties = certainties_of(trial.members);
  const std::vector<std::size_t> numbers = roster.add(trial, hosts);
  for (std::size_t i = 0; i < trial.members.size(); ++i) {
    const FleetMember& member = trial.members[i];
    Certainty certainty = certainties[i];
    certainty.tolerance = trial.tolerance;
    members.resize(std::max(members.size(), numbers[i] + 1));
    members[numbers[i]].push_back(
        {.point = {.side = side,
                   .name = member.name,
                   .kind = member.kind,
                   .serials = serials_of(member),
                   .runs = static_cast<int>(member.runs.size()),
                   .wrong = !trial.log && is_wrong(member),
                   .unchecked = !trial.log && is_unchecked(member),
                   .link = is_link(trial, member),
                   // Documents of earlier versions have figures without the runs.
                   .figures = member.runs.empty() ? member.figures : figures_of(member)},
         .certainty = certainty,
         .disturbed = is_unmeasured(member),
         .log = trial.log});
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
    kinds.push_back(medians_of(kind, sides, are_paired, run.like.spec.order));
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
  ComparedRun result{.each = run.like.each,
                     .spec = run.like.spec,
                     .check = run.like.check,
                     .kinds = kinds_of(run)};
  for (const std::vector<MeasuredPoint>& points : run.members)
    result.members.push_back(compared(points, run.like.spec.order));
  std::ranges::stable_sort(result.members, {},
                           [](const ComparedMember& member) { return member.points.back().name; });
  return result;
}

UncomparedRun uncompared(const RunTrack& run, const std::vector<RunTrack>& others) {
  UncomparedRun result{.side = *run.sides.begin(),
                       .each = run.like.each,
                       .spec = run.like.spec,
                       .check = run.like.check};
  std::vector<double> rates;
  for (const std::vector<MeasuredPoint>& points : run.members)
    if (const auto& rate = points.front().point.figures[Figure::Gflops]) rates.push_back(*rate);
  if (!rates.empty()) result.gflops = median(rates);
  for (const RunTrack& other : others) {
    if (other.like.check != run.like.check || other.like.each != run.like.each ||
        other.sides.contains(result.side))
      continue;
    const auto difference = run_difference(run.like.spec, other.like.spec);
    if (!difference) continue;
    result.difference = fmt::format("{}, not {}", difference->one, difference->other);
    break;
  }
  return result;
}

/// The rates that --fail-below looked at, and the noise of those that it could not decide.
struct Undecided {
  std::size_t looked_at = 0;
  std::vector<double> noise{};

  std::optional<std::string> text() const {
    if (looked_at == 0) return "not decided: no rate is comparable";
    if (noise.empty()) return std::nullopt;
    const auto percent = [](double value) {
      return value < 10 ? fmt::format("{:.1f}", value) : fmt::format("{:.0f}", value);
    };
    const auto [least, most] = std::ranges::minmax(noise);
    return fmt::format(
        "not decided for {} of {}, whose noise is {}{} %: repeat the runs (--repeat 5) on a quiet "
        "machine",
        noise.size(), count_text(looked_at, "member"), percent(least),
        least < most ? " to " + percent(most) : "");
  }
};

/// Judges the last side of a member that the first side has as well, or of a new one.
void judge(Comparison& comparison, const ComparedMember& member, Undecided& undecided) {
  const ComparedPoint &first = member.points.front(), &last = member.points.back();
  if (last.side + 1 != std::ssize(comparison.sides)) return;
  const bool is_new = member.points.size() == 1;
  if (last.wrong && (is_new || !first.wrong))
    comparison.wrong.push_back(last.name);
  else if (last.unchecked && (is_new || !first.unchecked))
    comparison.unchecked.push_back(last.name);
  if (!comparison.fail_below) return;
  const auto rate = std::ranges::find(last.changes, Figure::Gflops, &FigureChange::figure);
  if (rate == last.changes.end() || rate->verdict == ChangeVerdict::Changed) return;
  ++undecided.looked_at;
  if (rate->verdict == ChangeVerdict::Worse && rate->change < *comparison.fail_below)
    comparison.slow.push_back(last.name);
  else if (rate->verdict == ChangeVerdict::Noise && rate->noise > -*comparison.fail_below)
    undecided.noise.push_back(rate->noise);
}

/// Members that the last side lacks of a run that it has made. A link is gone with its ranks. Sides
/// without a common member are of other machines, and lack nothing.
void add_lost(Comparison& comparison, const ComparedRun& run) {
  const auto last = std::ssize(comparison.sides) - 1;
  const auto is_lost = [&](const ComparedMember& member) {
    return member.points.front().side == 0 && member.points.back().side != last &&
           !member.points.front().link;
  };
  const bool any_stayed = std::ranges::any_of(run.members, [&](const ComparedMember& member) {
    return member.points.front().side == 0 && member.points.back().side == last;
  });
  if (!any_stayed) return;
  for (const ComparedMember& member : run.members)
    if (is_lost(member)) comparison.lost.push_back(member.points.back().name);
}

void judge(Comparison& comparison) {
  bool repeated = true;
  Undecided undecided;
  for (const ComparedRun& run : comparison.runs) {
    for (const ComparedMember& member : run.members) {
      judge(comparison, member, undecided);
      for (const FigureChange& change : member.points.back().changes)
        if (change.figure == Figure::Gflops) repeated = repeated && change.repeated;
    }
    add_lost(comparison, run);
  }
  if (!repeated)
    comparison.remarks.push_back(warning(
        "noise",
        "noise of rates without repetitions: a tenth of a second a run (--repeat 3 measures it)"));
  if (comparison.fail_below) comparison.undecided = undecided.text();
  const bool wrong = std::ranges::any_of(kShortfalls, [&](const Shortfall& shortfall) {
    return !(comparison.*shortfall.list).empty();
  });
  const bool missed = comparison.strict && comparison.undecided;
  comparison.exit_code = exit_code_of({.wrong = wrong, .slow = missed || !comparison.slow.empty()});
}

}  // namespace

Comparison compare_sides(std::vector<Snapshot> sides, std::optional<double> fail_below,
                         bool strict) {
  Comparison comparison{.fail_below = fail_below, .strict = strict};
  std::map<std::size_t, std::string> failed_before, failed;  // by number of the host
  HostRoster roster;
  ChangedFacts facts;
  std::vector<RunTrack> tracks;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const std::map<std::string, std::size_t> hosts = roster.add(sides[i]);
    facts.add(sides[i], hosts);
    failed.clear();
    for (const auto& [name, why] : sides[i].failed_hosts)
      failed[hosts.at(name)] = fmt::format("{}: {}", name, why);
    if (i == 0) failed_before = failed;
    remark_on_disturbances(comparison, sides[i]);
    if (i + 1 == sides.size())
      comparison.ended_early = sides[i].early_ends;
    else
      append(comparison.remarks, remarks_about("end", sides[i].early_ends));
    for (const Trial& trial : sides[i].trials) {
      auto track = std::ranges::find_if(
          tracks, [&](const RunTrack& known) { return is_same(known.like, trial); });
      if (track == tracks.end())
        track = tracks.insert(
            track,
            {.like = {
                 .each = trial.each, .spec = trial.spec, .check = trial.check, .log = trial.log}});
      track->add(trial, static_cast<int>(i), hosts);
    }
    comparison.sides.push_back(std::move(sides[i].side));
  }
  comparison.changes = facts.all();
  for (const auto& [number, text] : failed)
    if (!failed_before.contains(number)) comparison.failed.push_back(text);
  for (const RunTrack& track : tracks)
    if (track.sides.size() > 1)
      comparison.runs.push_back(compared(track));
    else
      comparison.uncompared.push_back(uncompared(track, tracks));
  judge(comparison);
  return comparison;
}

}  // namespace hpl
