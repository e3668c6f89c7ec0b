#include "hpl/base/error/error.h"
#include "hpl/base/record/text_forms.h"
#include "hpl/tune/report/tune_report.h"

namespace hpl {

namespace {

using NamedTexts = std::vector<std::pair<std::string, std::string>>;

constexpr std::string_view kSettings = "each flag with its value";

NamedTexts named_point(const std::vector<TuneSetting>& settings, const TunePoint& point) {
  NamedTexts named;
  for (std::size_t i = 0; i < point.size(); ++i)
    named.emplace_back(settings[i].name, settings[i].values[point[i]]);
  return named;
}

/// `from`: an object of settings; empty before there is a best point.
TunePoint point_of(const std::vector<TuneSetting>& settings, const JsonCursor& from) {
  TunePoint point;
  for (const TuneSetting& setting : settings)
    if (!from.members().empty()) point.push_back(setting.index_of(from.at(setting.name)));
  return point;
}

/// A trial of this search, as documents hold it.
struct TrialRow {
  NamedTexts settings;
  TuneTrial trial;
};

void describe(Record& record, TrialRow& row) {
  record("stage", row.trial.stage, "panel, combinations, the flag of a single setting, final");
  record("settings", row.settings, kSettings);
  describe(record, row.trial.request);
  describe(record, row.trial.measured);
  record("verdict", row.trial.verdict, kTuneVerdicts);
  record("reason", row.trial.reason, "of the verdict; empty while it is open");
}

std::vector<TrialRow> rows_of(const TuneReport& report) {
  std::vector<TrialRow> rows;
  for (const TuneTrial& trial : report.state.trials)
    rows.push_back({named_point(report.settings, trial.request.point), trial});
  return rows;
}

void take_rows(TuneReport& report, std::vector<TrialRow> rows,
               const std::vector<JsonCursor>& from) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].trial.request.point = point_of(report.settings, from[i].at("settings"));
    report.state.trials.push_back(std::move(rows[i].trial));
  }
}

void describe_search(Record& record, TuneReport& report) {
  record("machine", report.machine, "the processor or the GPU");
  record("ranks", report.ranks, {}, kNotZero);
  record("nodes", report.nodes, {}, kNotZero);
  record("order", report.order, "N of the HPL.dat", kNotZero);
  record("trial_order", report.trial_order, "N of the trials", kNotZero);
  record("method", report.method, kTuneMethods);
  record("budget_seconds", report.budget_seconds, {}, kNotNegative);
  record("run_seconds_estimated", report.run_seconds, "of a whole run of trial_order",
         kNotNegative);
  record("estimated_by", report.estimate);
  record("preparation_seconds", report.preparation_seconds, "before the first trial: rates, sizes",
         kNotNegative);
  record("spent_seconds", report.state.spent_seconds, "with all trials", kNotNegative);
  record("ended", report.state.ended);
  record("out_of_time", report.state.out_of_time, "the time was up before the search was through");
}

void describe_found(Record& record, TuneReport& report) {
  constexpr std::string_view kBy = "by the longest of its trials";
  record.group("best", [&](Record& inner) {
    inner.converted(
        "settings", [&] { return named_point(report.settings, report.state.best); },
        [&](const NamedTexts&) {
          report.state.best = point_of(report.settings, inner.source()->at("settings"));
        },
        kSettings);
    inner.computed(
        "gflops", [&] { return report.best_gflops(); }, kBy, kNotNegative);
  });
  record.group("untuned", [&](Record& inner) {
    inner.computed(
        "settings", [&] { return named_point(report.settings, report.untuned()); }, kSettings);
    inner.computed(
        "gflops", [&] { return report.preferred_gflops(); }, kBy, kNotNegative);
  });
  record("dat_file", report.dat_file);
  record.computed(
      "exit_code",
      [&] {
        if (!report.state.ended) return std::optional<int>();
        return std::optional(
            static_cast<int>(report.best_gflops() ? ExitCode::Passed : ExitCode::Failed));
      },
      "of the job; null while the search goes on");
  record("command", report.command, kTextOrNull, "that runs what was found; null: not yet");
}

}  // namespace

void describe(Record& record, TuneKnownTrial& trial) {
  record("point", trial.point, "all flags with their values");
  describe(record, trial.request);
  describe(record, trial.measured);
}

void describe(Record& record, TuneInterruption& interruption) {
  record("point", interruption.point);
  record("panel_alone", interruption.request.panel_alone);
  record("level", interruption.request.level);
  record("repetition", interruption.request.repetition);
  record("message", interruption.message);
  record("from_outside", interruption.from_outside, "by a signal: no fault of the trial",
         kAddedLater);
}

void describe(Record& record, TuneReport& report) {
  record.document(
      {.title = "Tuning",
       .description = "Written by xhpl tune after each trial, and read by the next job, which goes "
                      "on from it. Readers should ignore members they do not know.",
       .kind = "tune"});
  record("program", report.program);
  describe_search(record, report);
  record("fixed", report.fixed,
         "what is the same in all trials beside N and may decide their rates: facts of the "
         "machine, and flags with their values (empty: a flag without one); a job whose own differ "
         "does not go on from this file. Missing in documents of earlier versions",
         kAddedLater);
  record("settings", report.settings);
  describe_found(record, report);
  record.converted(
      "trials", [&] { return rows_of(report); },
      [&](std::vector<TrialRow> rows) {
        take_rows(report, std::move(rows), record.source()->elements("trials"));
      });
  record("earlier_trials", report.earlier, "of jobs before, that this search has not come to");
  record("interruptions", report.interruptions, "trials during which a job ended");
  record("rates", report.rates, "those that the model proposed by, as in rates.schema.json");
}

TuneReport parse_tune_report(const std::string& name, std::string_view text) {
  const std::string shown = shown_text(name);
  const Record::Json document = parse_json(shown, text, "xhpl tune");
  const JsonCursor from(document, shown);
  if (from.find_text("kind") != "tune")
    throw ConfigError(
        "{}: xhpl tune goes on with what a job before has written there, and this is no such file; "
        "name another one by --json, or remove it",
        shown);
  return from_json_value<TuneReport>(from);
}

}  // namespace hpl
