#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hpl/base/choice/choices.h"
#include "hpl/base/record/record.h"

namespace hpl {

/// The ways to compare the values of a setting.
enum class TuneGroup {
  Panel,    ///< by panels alone, before everything else
  Crossed,  ///< in all combinations with the others of this group
  Single    ///< by itself, the others being the best so far
};
inline constexpr std::array<Choice<TuneGroup>, 3> kTuneGroups{{{TuneGroup::Panel, "panels alone"},
                                                               {TuneGroup::Crossed, "combinations"},
                                                               {TuneGroup::Single, "by itself"}}};

/// A setting that is tuned.
struct TuneSetting {
  std::string name;                 ///< of the flag: "--NB"
  std::vector<std::string> values;  ///< as the flag takes them, in the order of their size
  std::size_t preferred = 0;        ///< the value that is used where nobody tunes
  TuneGroup group = TuneGroup::Single;

  /// The index of a document's value. Throws ConfigError if it is none of these.
  std::size_t index_of(const JsonCursor& value) const;
};
void describe(Record& record, TuneSetting& setting);

/// One value of each setting, by its index.
using TunePoint = std::vector<std::size_t>;

/// A trial is as long as 3^-level of a whole run.
inline constexpr int kShortestTrial = 4;
/// Of panels alone: one panel; nine of them at level 0.
inline constexpr int kShortestPanelTrial = 2;
double share_of_level(int level);

/// A trial to be made.
struct TuneRequest {
  TunePoint point;
  bool panel_alone = false;
  int level = 0;
  int repetition = 0;

  friend bool operator==(const TuneRequest&, const TuneRequest&) = default;
};
/// All members but the point.
void describe(Record& record, TuneRequest& request);

/// The result of a trial.
struct TuneMeasurement {
  double seconds = 0;              ///< of a whole run, as far as this trial tells; of a panel alone
  double gflops = 0;               ///< of a whole run; of a panel alone
  double cost_seconds = 0;         ///< of the clock on the wall
  std::optional<double> residual;  ///< the largest of its runs; empty: none was computed
  std::string failure;             ///< why there is no result; empty: there is one
  std::vector<std::string> disturbances{};  ///< of runs that were made again, and disturbed again

  friend bool operator==(const TuneMeasurement&, const TuneMeasurement&) = default;
};
void describe(Record& record, TuneMeasurement& measured);

enum class TuneVerdict { Open, Kept, Dropped };
inline constexpr std::array<Choice<TuneVerdict>, 3> kTuneVerdicts{
    {{TuneVerdict::Open, "open"}, {TuneVerdict::Kept, "kept"}, {TuneVerdict::Dropped, "dropped"}}};

struct TuneTrial {
  std::string stage;  ///< "panel", "calibration", "combinations", "--depth", "final"
  TuneRequest request;
  TuneMeasurement measured;
  TuneVerdict verdict = TuneVerdict::Open;
  std::string reason;  ///< of the verdict, a sentence without its full stop
};

/// The findings so far.
struct TuneState {
  std::vector<TuneTrial> trials;
  TunePoint best;
  std::string stage;         ///< that goes on
  double spent_seconds = 0;  ///< by all trials
  bool out_of_time = false;  ///< the time was up before the search was through
  bool ended = false;

  /// The longest trial of a point that has a result; the last of several. Null: none.
  const TuneTrial* longest_trial(const TunePoint& point) const;
};

struct TuneTask {
  std::vector<TuneSetting> settings;
  TuneMethod method = TuneMethod::Halving;
  double seconds = 600;         ///< for all trials together
  double run_seconds = 1;       ///< of a whole run, about
  double overhead_seconds = 0;  ///< of any trial beside that
  double panel_seconds = 0;     ///< of a trial of level 0 of a panel alone, about
  double spent_seconds = 0;     ///< before the first trial
  /// Seconds of a whole run by a model. Null: the nearest to the preferred point come first.
  std::function<double(const TunePoint&)> expected;
  /// Carries out a trial.
  std::function<TuneMeasurement(const TuneRequest&, const TuneState&)> measure;
  /// After each trial and at the end.
  std::function<void(const TuneState&)> on_change;
};

/// Searches for the fastest settings: panels alone first, then, after a trial that tells what
/// trials take, the crossed settings by the method, then each single setting, at last whole runs of
/// the best and the preferred point. What fails is dropped. The same measurements lead to the same
/// search, so that one that was stopped goes on where its measurements are told again.
TuneState search_settings(const TuneTask& task);

}  // namespace hpl
