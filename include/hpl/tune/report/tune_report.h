#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hpl/base/record/program_info.h"
#include "hpl/base/text/table.h"
#include "hpl/base/text/text_style.h"
#include "hpl/machine/model/rates.h"
#include "hpl/tune/search/tune_search.h"

namespace hpl {

/// A trial during which a job ended.
struct TuneInterruption {
  std::string point;  ///< point_text of it
  TuneRequest request;
  std::string message;        ///< of the end of the job
  bool from_outside = false;  ///< by a signal: no fault of the trial
};

/// A trial of a job before.
struct TuneKnownTrial {
  std::string point;    ///< full_point_text() of its settings
  TuneRequest request;  ///< without the point
  TuneMeasurement measured;
};

/// Facts of the machine and flags with their values. All trials of a search share them, and they
/// may decide its rates.
using TuneFixed = std::vector<std::pair<std::string, std::string>>;

/// The first name that two searches hold different things for, and both values; an empty one has
/// none.
struct TuneFixedDifference {
  std::string name;
  std::optional<std::string> one, other;
};
std::optional<TuneFixedDifference> first_difference(const TuneFixed& one, const TuneFixed& other);

/// The input of a search for the best settings, and its findings so far. All that the next job
/// needs to go on where this one was stopped.
struct TuneReport {
  ProgramInfo program;
  std::string machine;  ///< the processor or the GPU
  int ranks = 1, nodes = 1;
  std::int64_t order = 0;        ///< N of the HPL.dat to be written
  std::int64_t trial_order = 0;  ///< of the trials: smaller where whole runs are too long
  TuneMethod method = TuneMethod::Halving;
  double budget_seconds = 0;
  double run_seconds = 0;          ///< of a whole run of order `trial_order`, as it was estimated
  std::string estimate;            ///< by what
  double preparation_seconds = 0;  ///< before the first trial: rates, sizes
  std::optional<Rates> rates;
  TuneFixed fixed;
  std::vector<TuneSetting> settings;
  TuneState state;
  std::vector<TuneKnownTrial> earlier;  ///< of jobs before, that this search has not come to
  std::vector<TuneInterruption> interruptions;
  // At the end.
  std::string dat_file, command;

  TunePoint untuned() const;  ///< the settings that nobody has tuned
  /// By the longest trials; empty while there is none.
  std::optional<double> best_gflops() const;
  std::optional<double> preferred_gflops() const;  ///< of the untuned settings
  /// The time was over before trials of the untuned settings as long as those of the best: no gain
  /// is known, so the HPL.dat keeps the untuned ones.
  bool keeps_defaults() const;
};

/// "--NB 192 -P -Q 1x2 ...", of all settings: the same text whatever the lists of values are.
std::string full_point_text(const std::vector<TuneSetting>& settings, const TunePoint& point);

void describe(Record& record, TuneKnownTrial& trial);
void describe(Record& record, TuneInterruption& interruption);
/// The document of docs/schema/tune.schema.json, from which the next job goes on.
void describe(Record& record, TuneReport& report);
/// Throws ConfigError: file, place, what was found, what is allowed.
TuneReport parse_tune_report(const std::string& name, std::string_view text);

/// The machine, the trials and their time, in a sentence.
std::string tune_head(const TuneReport& report);
/// The flags of all trials, and the best rate against that of the defaults; a line each.
std::vector<std::string> tune_results(const TuneReport& report);
/// The settings, then the trials.
std::vector<Table> tables_of(const TuneReport& report);
/// For people, at the end. Trials stand in Detail::Everything.
std::string tune_text(const TuneReport& report, Detail detail = Detail::Usual);

}  // namespace hpl
