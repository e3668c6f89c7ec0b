#include <array>
#include <charconv>
#include <cmath>

#include "hpl/base/record/text_forms.h"
#include "hpl/report/result/device_telemetry.h"
#include "hpl/report/result/disturbance.h"
#include "hpl/report/result/expectation.h"
#include "hpl/report/result/hardware_events.h"
#include "hpl/report/result/run_failures.h"
#include "hpl/report/result/run_result.h"
#include "power_part.h"

namespace hpl {

void describe(Record& record, TransportUse& use) {
  record.type("transport");
  record("ranks", use.ranks, "of the row or column", kCount);
  record("name", use.name,
         "nccl, peer, mpi-device, mpi-host, or mpi between the memories of hosts; empty where "
         "there is nobody to talk to");
  record.converted(
      "gigabytes_per_second",
      [&] { return use.bandwidth > 0 ? std::optional(use.bandwidth) : std::nullopt; },
      [&](std::optional<double> bandwidth) { use.bandwidth = bandwidth.value_or(0); },
      "of a ring exchange, each way; null when not measured");
  record("device_bytes", use.device_bytes,
         "device memory that it took, the most of a rank; null when not measured",
         {.minimum = 0, .added = true});
}

namespace {

constexpr std::array<Choice<RateSource::Moment>, 4> kMoments{{
    {RateSource::Moment::Before, "alone before run "},
    {RateSource::Moment::After, "alone after run "},
    {RateSource::Moment::InRun, "in the run"},
    {RateSource::Moment::WholeRun, "the run as a whole"},
}};

std::optional<RateSource> source_of(std::string_view text) {
  for (const auto& row : kMoments) {
    RateSource source{.moment = row.value};
    if (!text.starts_with(row.name)) continue;
    const char* const end = text.data() + text.size();
    const char* number = text.data() + row.name.size();
    if (source.alone()) number = std::from_chars(number, end, source.run_index).ptr;
    source.run_index -= source.alone() ? 1 : 0;
    if (number == end && to_string(source) == text) return source;
  }
  return std::nullopt;
}

const TextForm<RateSource> kRateSourceForm{
    to_string, source_of, "a moment of a run",
    "^(alone (before|after) run [1-9][0-9]*|in the run|the run as a whole)$"};

}  // namespace

std::string to_string(const RateSource& source) {
  const std::string name(name_of(kMoments, source.moment));
  return source.alone() ? name + std::to_string(source.run_index + 1) : name;
}

void describe(Record& record, SeenRate& rate) {
  record("source", rate.source, kRateSourceForm,
         "'alone before run 1', 'alone after run 1', 'in the run', 'the run as a whole'; runs "
         "counted from 1");
  record("gflops", rate.gflops);
}

void describe(Record& record, OtherProcesses& others) {
  record.type("other_processes");
  record("host", others.host);
  record("share", others.share, "of the cores of the host over the timed part, from 0 to 1",
         kNotNegative);
}

void describe(Record& record, EarlyStop& stop) {
  record.type(
      "stop",
      "How far a run came that --stop-after ended early, and a projection of the whole run.");
  record("columns_done", stop.columns_done, {}, kCount);
  record("fraction", stop.fraction, "of the operations of the factorization, from 0 to 1",
         kNotNegative);
  record("gflops", stop.gflops, "of the part that was made");
  record("projected_seconds", stop.projected_seconds,
         "a projection: the whole run at the rate of the part");
  record("projected_gflops", stop.projected_gflops, "a projection, no result");
}

void describe(Record& record, Tally& tally) {
  record("passed", tally.passed, {}, kCount);
  record("failed", tally.failed, {}, kCount);
  record("unchecked", tally.unchecked, {}, kCount);
  record("skipped", tally.skipped, {}, kCount);
  record("stopped", tally.stopped, "ended early by --stop-after, without a result", kCount);
}

namespace {

/// One phase over the ranks.
struct PhaseRow {
  Phase phase = Phase::Multiply;
  PhaseRange range;
  std::vector<double> rank_seconds;
};

void describe(Record& record, PhaseRow& row) {
  record("phase", row.phase, kPhases);
  record("maximum_seconds", row.range.maximum);
  record("maximum_rank", row.range.maximum_rank, {}, kCount);
  record("minimum_seconds", row.range.minimum);
  record("minimum_rank", row.range.minimum_rank, {}, kCount);
  record("rank_seconds", row.rank_seconds,
         "seconds of every rank, by rank; what the members above sum up");
}

std::vector<double> by_rank(const std::vector<PhaseTimes>& ranks, Phase phase) {
  std::vector<double> seconds;
  for (const PhaseTimes& times : ranks)
    seconds.push_back(times[phase]);
  return seconds;
}

void take_by_rank(std::vector<PhaseTimes>& ranks, Phase phase, const std::vector<double>& seconds) {
  if (ranks.size() < seconds.size()) ranks.resize(seconds.size());
  for (std::size_t rank = 0; rank < seconds.size(); ++rank)
    ranks[rank][phase] = seconds[rank];
}

std::vector<PhaseRow> phase_rows(const RunResult& run) {
  std::vector<PhaseRow> rows;
  for (const auto& row : kPhases)
    rows.push_back({.phase = row.value,
                    .range = run.phases[static_cast<std::size_t>(row.value)],
                    .rank_seconds = by_rank(run.rank_phases, row.value)});
  return rows;
}

void take_phase_rows(RunResult& run, const std::vector<PhaseRow>& rows) {
  for (const PhaseRow& row : rows) {
    run.phases[static_cast<std::size_t>(row.phase)] = row.range;
    take_by_rank(run.rank_phases, row.phase, row.rank_seconds);
  }
}

/// A phase of a run beside what was expected of it.
struct ExpectedPhase {
  PhaseComparison comparison;
  std::vector<double> expected_rank_seconds, rank_seconds;
};

void describe(Record& record, ExpectedPhase& phase) {
  PhaseComparison& comparison = phase.comparison;
  record("phase", comparison.phase, kPhases);
  record("rank", comparison.rank,
         "the rank that is furthest beyond the model, which the two times are of", kCount);
  record("expected_seconds", comparison.expected_seconds);
  record("seconds", comparison.seconds);
  record("ranks_beyond", comparison.ranks_beyond, "by more than the model's error", kCount);
  record("expected_rank_seconds", phase.expected_rank_seconds,
         "by rank; a single mean where the model knows no ranks");
  record("rank_seconds", phase.rank_seconds, "by rank");
}

/// A run beside the model, as documents hold it.
struct ExpectedPart {
  ExpectedRun expected;
  Outcome outcome = Outcome::AsExpected;
  std::vector<ExpectedPhase> phases;
  std::vector<std::string> findings;
};

void describe(Record& record, ExpectedPart& part) {
  record.type("expected");
  ExpectedRun& expected = part.expected;
  record("model", expected.model, one_of("overlapped", "sampled", "simulated"));
  record("rates", expected.rates, "the file that --rates names; empty: by a data sheet");
  record("sheet", expected.sheet, kTextOrNull,
         "the device whose data sheet is the source; null: --rates is", kAddedLater);
  record("seconds", expected.seconds,
         "of the timed part; of a run that --stop-after ends, of the part done");
  record.converted(
      "gflops", [&] { return expected.gflops > 0 ? std::optional(expected.gflops) : std::nullopt; },
      [&](std::optional<double> gflops) { expected.gflops = gflops.value_or(0); },
      "null of a run that --stop-after ends");
  record("error_seconds", expected.error_seconds, "that the model, and the data sheet, may be off");
  const auto bound = [&](double gflops) {
    return expected.gflops > 0 && expected.error_seconds < expected.seconds ? std::optional(gflops)
                                                                            : std::nullopt;
  };
  record.computed(
      "least_gflops", [&] { return bound(expected.least_gflops()); }, "of the interval",
      kAddedLater);
  record.computed(
      "most_gflops", [&] { return bound(expected.most_gflops()); }, "of the interval", kAddedLater);
  record("outcome", part.outcome, kOutcomes);
  record("phases", part.phases,
         "seconds from when all that take part are there: without waiting for others to begin");
  record("hidden", expected.hidden, kPhases,
         "phases that products hide, of which no model knows how long they last then", kAddedLater);
  record("findings", part.findings,
         "sentences: expected and got, then what is beyond the model, the worst first");
}

std::optional<ExpectedPart> expected_part(const RunResult& run) {
  const std::optional<ExpectationComparison> comparison = compare_with_expectation(run);
  if (!comparison) return std::nullopt;
  ExpectedPart part{.expected = *run.expected,
                    .outcome = comparison->outcome,
                    .findings = expectation_findings(run)};
  for (const PhaseComparison& phase : comparison->phases)
    part.phases.push_back({.comparison = phase,
                           .expected_rank_seconds = by_rank(run.expected->rank_phases, phase.phase),
                           .rank_seconds = by_rank(run.rank_working, phase.phase)});
  return part;
}

void take_expected(RunResult& run, const std::optional<ExpectedPart>& part) {
  if (!part) return;
  run.expected = part->expected;
  for (const ExpectedPhase& phase : part->phases) {
    const Phase which = phase.comparison.phase;
    take_by_rank(run.expected->rank_phases, which, phase.expected_rank_seconds);
    take_by_rank(run.rank_working, which, phase.rank_seconds);
  }
}

struct Transports {
  TransportUse row, column;
};

void describe(Record& record, Transports& transports) {
  record("row", transports.row);
  record("column", transports.column);
}

void describe_ceiling(Record& record, RunResult& run) {
  const auto ceiling = [&run] {
    const bool known = run.attainable_gflops && *run.attainable_gflops > 0;
    return known ? run.attainable_gflops : std::nullopt;
  };
  record.converted(
      "ceiling_gflops", ceiling,
      [&](std::optional<double> gflops) { run.attainable_gflops = gflops; },
      "the highest of ceiling_rates; null when not measured");
  record.computed("ceiling_share",
                  [&] {
                    return ceiling() && !run.stopped ? std::optional(run.gflops / *ceiling())
                                                     : std::nullopt;
                  },
                  "gflops / ceiling_gflops, at most 1", {.maximum = 1});
  record(
      "ceiling_rates", run.attainable_rates,
      "Every rate that the matrix products of all ranks together were seen at, the highest first.");
  record("rank_ceilings_gflops", run.rank_attainable_gflops,
         "measured matrix-product rate of every rank, by rank; empty when not measured");
}

void describe_peak(Record& record, RunResult& run) {
  record.converted(
      "rpeak_gflops", [&] { return run.peak ? std::optional(run.peak->gflops) : std::nullopt; },
      [&](std::optional<double> gflops) {
        if (gflops) run.peak = PeakRate{.gflops = *gflops};
      },
      "theoretical FP64 peak of the run's ranks together; null where unknown");
  record.converted(
      "rpeak_source", [&] { return run.peak ? std::optional(run.peak->source) : std::nullopt; },
      [&](const std::optional<std::string>& source) {
        if (run.peak) run.peak->source = source.value_or("");
      },
      "how rpeak_gflops came about: clock and units of each rank, or --rpeak");
  record.computed(
      "efficiency_of_peak", [&] { return efficiency_of_peak(run); },
      "gflops / rpeak_gflops; null where unknown, and of a stopped run");
}

void describe_verdict(Record& record, RunResult& run) {
  const auto verdict = [&run] { return run_verdict(run); };
  record.computed("status", verdict, kRunVerdicts);
  record.computed(
      "passed",
      [&] {
        const bool judged = verdict() == Verdict::Passed || verdict() == Verdict::Failed;
        return judged ? std::optional(verdict() == Verdict::Passed) : std::nullopt;
      },
      "null when unchecked or stopped; false whenever failures are named");
  record.computed(
      "failures", [&] { return run_failures(run); },
      "Why the run failed, a sentence each: a zero pivot, checksums, sampled rows, the residual, a "
      "solution that --reproducible did not repeat.");
}

void describe_time(Record& record, RunResult& run) {
  record("started", run.started, kUtcTimeForm, "UTC, ISO 8601");
  record("ended", run.ended, kUtcTimeForm, "UTC, ISO 8601");
  record("seconds", run.seconds,
         "timed part, maximum over processes; of a stopped run: the part that was made");
  record("stopped", run.stopped, "null of a run that was not ended early");
  record.converted(
      "gflops", [&] { return run.stopped ? std::nullopt : std::optional(run.gflops); },
      [&](std::optional<double> gflops) { run.gflops = gflops.value_or(0); },
      "(2/3 N^3 + 3/2 N^2) / seconds / 1e9; null of a stopped run");
}

void describe_way(Record& record, RunResult& run) {
  const char* const kBlocks = "blocks are distributed in this proportion; empty: round-robin";
  record("row_weights", run.spec.row_weights, std::string("by process row: ") + kBlocks, kPositive);
  record("column_weights", run.spec.column_weights, std::string("by process column: ") + kBlocks,
         kPositive);
  record.converted(
      "transports",
      [&] {
        return Transports{run.transports[0], run.transports[1]};
      },
      [&](Transports read) {
        run.transports = {read.row, read.column};
      },
      "How messages travelled along a process row and a process column.");
  record("bytes", run.traffic,
         "Moved in the timed part, all ranks together; messages count where they arrive.");
  record("host_share", run.host_work,
         "What the hosts' cores did of the tail update (--matrix host:share); null where they took "
         "no part.");
}

void describe_solution(Record& record, RunResult& run) {
  record("zero_pivot_column", run.zero_pivot_column,
         "global column, from 0, without a usable pivot");
  record("residual", run.residual, "null when nothing was computed.");
  record("refinement", run.refinement, "of HPL-MxP; null: a run of HPL", kAddedLater);
  record("solution_hash", run.solution_hash, kHashForm,
         "of the bits of x, by index, however it is distributed; null without a solution");
  record("solution_differs_from", run.differs_from, kHashForm,
         "under --reproducible: solution_hash of the first repetition, where this one is another; "
         "null where it is not",
         kAddedLater);
}

}  // namespace

void describe(Record& record, RunResult& run) {
  record.type("run");
  record("run_index", run.run_index, "from 0, in the order of the plan", kCount);
  record("repeat_index", run.repeat_index, "from 0", kCount);
  describe_verdict(record, run);
  record("spec", run.spec);
  record.computed(
      "description", [&] { return describe_variant(run.spec); }, "the variant code in words");
  describe_time(record, run);
  describe_ceiling(record, run);
  describe_peak(record, run);
  describe_way(record, run);
  describe_solution(record, run);
  record.converted(
      "phases", [&] { return phase_rows(run); },
      [&](const std::vector<PhaseRow>& rows) { take_phase_rows(run, rows); },
      "One entry a phase; phases overlap in time, so they do not add up to the run.");
  record("steps", run.steps, "The factorization as rank 0 saw it.");
  record("rank_gflops", run.rank_gflops,
         "By rank: rate of its products of the tail update while it was at them; 0 without any.");
  record("checksums", run.checksums,
         "What --verify showed, or a repetition of the factorization after a failed residual; null "
         "when no checksums were carried.");
  record("devices", run.devices,
         "The device of each rank over the timed part, by rank. Ranks that name the same host, "
         "backend and device_index share one.");
  record.computed(
      "device_findings", [&] { return device_findings(run); },
      "One sentence for each thing to know: devices that were throttled, hot, or slower than the "
      "others, and errors of devices and hosts with a word (ISOLATE, RESET, MONITOR).");
  record("hosts", run.hosts, "Errors of memory and network adapters of each host.", kAddedLater);
  record.computed(
      "gflops_per_watt", [&] { return gflops_per_watt(run); },
      "gflops over the mean power of all devices together; null unless each has a sensor");
  record.converted(
      "power", [&] { return power_part(run); },
      [&](const std::optional<PowerPart>& part) {
        if (part) run.power = part->power;
      },
      "power and energy over the core phase, the timed part");
  record.converted(
      "expected", [&] { return expected_part(run); },
      [&](const std::optional<ExpectedPart>& part) { take_expected(run, part); },
      "What the performance model lets expect of the run, by the rates of the machine (--rates) or "
      "by the data sheet of its devices; null without either, of a run that met a zero pivot, and "
      "of one that carried checksums");
  record("other_processes", run.others,
         "The host on whose cores other processes were busiest. null: unknown, or a run of less "
         "than a second.",
         may_lack({}));
  record("products_change", run.products_change,
         "Of the rate of products alone from before the run to after it, as a share of the former; "
         "null: not measured on both sides.",
         may_lack({}));
  record.computed(
      "disturbances", [&] { return disturbances(run); },
      "Reasons for which the rate is no measure of this machine, a sentence each.", may_lack({}));
  describe_remarks(record, run.remarks);
}

}  // namespace hpl
