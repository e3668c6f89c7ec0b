#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "hpl/base/record/record.h"
#include "hpl/base/record/text_forms.h"
#include "hpl/compare/comparison.h"
#include "hpl/run/report/job_report.h"

namespace hpl {
namespace {

constexpr Limits kFinite{.finite = true};

}  // namespace

std::string_view name_of_members(const std::optional<FleetMemberKind>& each) {
  return each ? name_of(kFleetMemberKinds, *each) : "job";
}

std::string_view change_unit(Figure figure) {
  const FigureInfo& about = info(figure);
  return !about.points ? "%" : about.unit == "%" ? "points" : about.unit;
}

void describe(Record& record, ChangedFact& change) {
  record.type("changed_fact");
  record("side", change.side, "The first with the new value, from 0.", kCount);
  record("subject", change.subject, kFactSubjects);
  record("fact", change.fact, "As in the facts of hosts, or \"driver of MODEL\".");
  record("from", change.from);
  record("to", change.to);
  record("hosts", change.hosts, "By their names on that side; none: of the job.");
}

void describe(Record& record, FigureChange& change) {
  record.type("figure_change");
  record("figure", change.figure, kAllFigures);
  record.computed("label", [&] { return std::string(info(change.figure).label); });
  record.computed("unit", [&] { return std::string(info(change.figure).unit); });
  record("from", change.from, "In this unit, as \"to\".", kFinite);
  record("to", change.to, {}, kFinite);
  record.computed(
      "change_unit", [&] { return std::string(change_unit(change.figure)); },
      "Of change and noise: percent of \"from\", or the figure's unit.");
  record("change", change.change, {}, kFinite);
  record("noise", change.noise, "A change up to this is none.", kNotNegative);
  record("repeated", change.repeated,
         "The noise is three standard errors of the repetitions; false: it is a fixed floor.");
  record("verdict", change.verdict, kChangeVerdicts);
}

void describe(Record& record, ComparedPoint& point) {
  record.type("point", "A member, or all of a kind, on one side.");
  record("side", point.side, "From 0.", kCount);
  record("name", point.name, "Of the member on this side.");
  record("kind", point.kind, "Of hardware.");
  record("serials", point.serials, "Of its boards.");
  record("members", point.members, {}, kCount);
  record("runs", point.runs, "Of all these members.", kCount);
  record("wrong", point.wrong, "A solution is wrong, checksums disagree, or a device is faulty.");
  record("unchecked", point.unchecked, "A solution was not checked.", kAddedLater);
  record("link", point.link, "Between two ranks of a check.", kAddedLater);
  record("figures", point.figures, "Of a kind: medians. Those of a check are in the changes.");
  record("changes", point.changes, "Against the first point.");
}

void describe(Record& record, ComparedMember& member) {
  record.type("compared", "The points of a member, or of a kind, on the sides that have it.");
  record("points", member.points, {}, {.least_elements = 1});
}

void describe(Record& record, ComparedRun& run) {
  record.type("compared_run");
  record("each", run.each, kFleetMemberKinds,
         "The member; null: a job of more than two hosts, or a check.");
  record("spec", run.spec);
  record("check", run.check, "A pre-flight check: members are ranks and links, spec is none.",
         kAddedLater);
  record("kinds", run.kinds,
         "Medians of the members that all of its sides have. If there is none: of all members.");
  record("members", run.members);
}

void describe(Record& record, UncomparedRun& run) {
  record.type("uncompared_run");
  record("side", run.side, {}, kCount);
  record("each", run.each, kFleetMemberKinds);
  record("spec", run.spec);
  record("check", run.check, "A pre-flight check.", kAddedLater);
  record("gflops", run.gflops, "Median of its members.");
  record("difference", run.difference, kTextOrNull, "From a run of another side.");
}

void describe(Record& record, ComparedSide& side) {
  record.type("side");
  record("name", side.name, "Of the file or folder; in a history the date.");
  record("files", side.files);
  record("started", side.started, kZonedTimeForm, "Of the first document.");
  record("program", side.program, "The writer of the first document.");
  record("hosts", side.hosts, {}, kCount);
  record("members", side.members, {}, kCount);
}

namespace {

/// Refuses changes and points of sides that the document lacks.
void require_sides(const Comparison& comparison, const JsonCursor& from) {
  const auto has = [&](int side) { return side < std::ssize(comparison.sides); };
  const auto has_sides = [&](const ComparedMember& member) {
    return std::ranges::all_of(member.points, has, &ComparedPoint::side);
  };
  const bool runs = std::ranges::all_of(comparison.runs, [&](const ComparedRun& run) {
    return std::ranges::all_of(run.kinds, has_sides) && std::ranges::all_of(run.members, has_sides);
  });
  if (!runs || !std::ranges::all_of(comparison.changes, has, &ChangedFact::side) ||
      !std::ranges::all_of(comparison.uncompared, has, &UncomparedRun::side))
    from.refuse(fmt::format("changes and points of its {} sides", comparison.sides.size()));
}

}  // namespace

void describe(Record& record, Comparison& comparison) {
  record.document(
      {.title = "Comparison of reports",
       .description = "Written by xhpl compare --json: two sides, or a history of more.",
       .kind = "comparison"});
  record("program", comparison.program);
  record("history", comparison.history, "--history: sides are dates.", kAddedLater);
  record("sides", comparison.sides, "In the order of the comparison.");
  record("changes", comparison.changes, "Settings, software and hardware that changed.");
  record("runs", comparison.runs, "Made on more than one side.");
  record("uncompared", comparison.uncompared, "Runs and checks that no other side has made.");
  describe_remarks(record, comparison.remarks, "On the comparison as a whole.");
  record("fail_below_percent", comparison.fail_below, "--fail-below");
  record("strict", comparison.strict, "--strict", kAddedLater);
  for (const Shortfall& shortfall : kShortfalls) {
    std::vector<std::string>& list = comparison.*shortfall.list;
    if (&list == &comparison.wrong)
      record(shortfall.name, list, shortfall.meaning);
    else
      record(shortfall.name, list, shortfall.meaning, kAddedLater);
  }
  record("slow", comparison.slow, "Members that lost more of their rate than --fail-below.");
  record("undecided", comparison.undecided,
         "Why --fail-below could not be decided for some members; null: it could.", kAddedLater);
  describe_exit_code(record, comparison.exit_code);
  if (const JsonCursor* const from = record.source()) require_sides(comparison, *from);
}

}  // namespace hpl
