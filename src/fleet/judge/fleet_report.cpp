#include "hpl/fleet/judge/fleet_report.h"

#include <fmt/format.h>

#include "hpl/base/record/record.h"
#include "hpl/base/record/text_forms.h"

namespace hpl {
namespace {

constexpr Limits kRank{.minimum = 0, .maximum = kMostRanks - 1};

std::string_view word_of(Better better) {
  switch (better) {
    case Better::Higher:
      return "higher";
    case Better::Lower:
      return "lower";
    case Better::NearZero:
    case Better::Neither:
      return "neither";
  }
  return "neither";
}

}  // namespace

void describe(Record& record, Gates& gates);
void describe(Record& record, Gates& gates) {
  record("min_gflops", gates.min_gflops, "--min-gflops");
  record("min_efficiency", gates.min_efficiency, "Percent of the rate of matrix products alone.");
  record("min_peak_efficiency", gates.min_peak_efficiency, "Percent of Rpeak.", kAddedLater);
  record("max_spread", gates.max_spread,
         "Between the runs of a member and between its ranks, percent.");
}

void describe(Record& record, Finding& finding) {
  record.type("finding");
  record("severity", finding.severity, kSeverities,
         "fault: wrong or missing, it fails. slow: it fails for a gate, for a figure that is far "
         "out, or for two that are out. warning: one figure is out, or other processes disturbed "
         "the runs. remark: worth a look.");
  record("basis", finding.basis, kBases,
         "What it was compared with. member: what is wrong with a member that this host is part "
         "of. job: the verdict of the host's own job, in a merged report. disturbed: other "
         "processes took the cores.");
  record("figure", finding.figure, kFindingFigures);
  record("value", finding.value, "Found, in the unit of the figure.");
  record("expected", finding.expected, "Median of the peers or of the reference.");
  record("threshold", finding.threshold, "The value from which on it is a finding.");
  record("text", finding.text, "One sentence that does not name the member.");
  record("action", finding.action, kActions, kActionMeaning, kAddedLater);
}

void describe(Record& record, FleetMember& member) {
  record.type("member");
  record("name", member.name, "node01 cuda 3; node01; node01 node02");
  record("kind", member.kind,
         "Of hardware. Only members of one kind are compared with each other.");
  record("hosts", member.hosts, "One, or the two of a pair.",
         {.least_elements = 1, .most_elements = 2});
  record("ranks", member.ranks,
         "Of the fleet's job, ascending. Devices have these numbers; runs count a member's ranks "
         "from 0, in this order.",
         kRank);
  record(
      "verdict", member.verdict, kMemberVerdicts,
      "warned: passed, but for one figure that is out, or disturbed by other processes and to be "
      "measured again. not run: took no part. not checked: without a fault, but not all that it "
      "did was checked.");
  record(
      "state", member.state, kMemberStates,
      "When a job ended early that waited in vain. silent: a rank of it gave no answer. In other "
      "jobs: finished.",
      kAddedLater);
  record("figures", member.figures);
  record("findings", member.findings);
  record("devices", member.devices, "By rank.");
  record("runs", member.runs,
         "As in run.schema.json, without steps, traces of power, and times by phase and rank.");
}

void describe(Record& record, FleetHost& host) {
  describe(record, static_cast<JobHost&>(host));
  record.type("host");
  record("verdict", host.verdict, kMemberVerdicts,
         "not run: took no part, as it shows no device or fewer than others. missing: a host that "
         "was expected and did not report. not checked: without a fault, but not all that it did "
         "was checked, or its job did not come to its end.");
  record("findings", host.findings);
}

void describe(Record& record, FleetDifference::Other& other);
void describe(Record& record, FleetDifference::Other& other) {
  record("value", other.value);
  record("hosts", other.hosts);
}

void describe(Record& record, FleetDifference& difference) {
  record.type("difference");
  record("fact", difference.fact, "As in the hosts' facts, or \"firmware of MODEL\".");
  record("majority", difference.majority, "Value of most hosts.");
  record("count", difference.count, "Hosts with it.", kCount);
  record("others", difference.others);
}

void describe(Record& record, FigureStatistics& of) {
  record.type("figure_statistics");
  record("figure", of.figure, kMemberFigures);
  record.computed("label", [&] { return std::string(info(of.figure).label); });
  record.computed("unit", [&] { return std::string(info(of.figure).unit); });
  record.computed(
      "better", [&] { return std::string(word_of(info(of.figure).better)); },
      "higher, lower or neither");
  record("count", of.count, "Members that have it.", kCount);
  record("minimum", of.minimum, {}, {.finite = true});
  record("median", of.median, {}, {.finite = true});
  record("maximum", of.maximum, {}, {.finite = true});
  record("spread", of.spread, "Robust: 1.4826 times the median absolute deviation.", kNotNegative);
  record("threshold", of.threshold, "From where on a member is a finding; null: not judged.");
  record("worst_member", of.worst_member);
}

void describe(Record& record, FleetKind& kind) {
  record.type("kind");
  record("kind", kind.kind);
  record("members", kind.members, {}, kCount);
  record("remark", kind.remark, kTextOrNull, "Why these members are not compared with each other.");
  record("figures", kind.figures);
}

void describe(Record& record, FleetThresholds& thresholds) {
  record("tolerance_percent", thresholds.tolerance, "--tolerance", {.finite = true});
  record("spreads", thresholds.spreads, "--spreads: robust spreads of the fleet", {.finite = true});
  record("gates", thresholds.gates);
  record("strict", thresholds.strict, "--strict: one figure that is out fails", kAddedLater);
}

void describe(Record& record, FleetReference& reference) {
  record("source", reference.source);
  record("written", reference.written, kTextOrNull);
  record("kinds", reference.kinds);
}

void describe(Record& record, FleetExpectation& expectation) {
  record.type("expectation");
  ExpectedRun& expected = expectation.expected;
  record("kind", expectation.kind);
  record("sheet", expected.sheet, "The device or machine that the data sheet is of.");
  record("model", expected.model);
  record("seconds", expected.seconds, "Of the timed part of a run.", kPositive);
  record("error_seconds", expected.error_seconds, "That model and data sheet may be off.",
         kNotNegative);
  record("gflops", expected.gflops, {}, kPositive);
  record.computed(
      "least_gflops", [&] { return expected.least_gflops(); }, "A member below it is slow.");
  record.computed("most_gflops", [&] { return expected.most_gflops(); });
}

void describe(Record& record, Fleet& fleet) {
  record("each", fleet.each, kFleetMemberKinds, "the member: it solves a system of its own");
  record(
      "started", fleet.started, kZonedTimeForm,
      "ISO 8601 with the time zone of the host: 2026-11-22T07:30:00.250+01:00; null when unknown.");
  record("ended", fleet.ended, kZonedTimeForm, "Null while the job goes on.");
  record("wanted_seconds", fleet.wanted_seconds,
         "--for; null: a number of repetitions was asked for.");
  record("spec", fleet.spec, "Of every member.");
  record("thresholds", fleet.thresholds);
  record("shared_cores", fleet.shared_cores,
         "--share-cores: ranks share cores, so no figure is compared.", kAddedLater);
  record("reference", fleet.reference);
  record("expectations", fleet.expectations, "--expect: rates by data sheets; empty: none.",
         kAddedLater);
  record("kinds", fleet.kinds, "The fleet's own distribution, by kind of hardware.");
  record("differences", fleet.differences,
         "Software and firmware that are not the same all over the fleet.");
  describe_remarks(record, fleet.remarks, "On the fleet as a whole.");
  record("pass_list", fleet.pass_list,
         "Hosts that passed, as schedulers write it: node[01-03,07].");
  record("warn_list", fleet.warn_list, "Hosts that passed with a warning; in no other list.",
         kAddedLater);
  record("fail_list", fleet.fail_list, "Hosts that failed, did not run, or are missing.");
  record("power", fleet.power, "By a log that xhpl-report --power-log merged; null without one.");
  record("hosts", fleet.hosts);
  record("members", fleet.members);
}

void describe(Record& record, FleetReport& report) {
  record.document({.title = "Result of xhpl fleet",
                   .description =
                       "Written by xhpl fleet --json and by xhpl-report --merge. A number that is "
                       "not finite is null. Readers should ignore members they do not know: new "
                       "members do not raise schema_version.",
                   .version = 3});
  record("program", report.header.program);
  record("environment", report.header.environment, "As in run.schema.json, of rank 0.");
  describe_remarks(record, report.header.remarks);
  record("fleet", static_cast<Fleet&>(report));
  describe_exit_code(record, report.exit_code);
  record("error", report.error, "Why the job ended early.");
}

RunResult brief(RunResult run) {
  run.steps.clear();
  run.rank_phases.clear();
  run.rank_working.clear();
  run.expected.reset();
  if (run.power && run.power->components) run.power->components->trace.clear();
  if (run.power && run.power->meter) run.power->meter->trace.clear();
  return run;
}

double begin_of(const RunResult& run) {
  return run.power ? run.power->begin : static_cast<double>(run.started);
}

std::string run_of_members(const RunSpec& spec) {
  std::string text = fmt::format(
      "{} each, {}", size_text(spec),
      spec.threshold > 0 ? fmt::format("threshold {:g}", spec.threshold) : "no residual check");
  if (spec.matrix != MatrixRequest::Device)
    text += fmt::format(", --matrix {}", name_of(kMatrixRequests, spec.matrix));
  return text;
}

}  // namespace hpl
