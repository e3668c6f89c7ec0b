#include "hpl/tune/search/tune_search.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "local_search.h"
#include "rungs.h"

namespace hpl {

namespace {

/// Candidates this close to the best of a last rung are measured again, closer than repetitions
/// too.
constexpr double kClose = 0.015;
constexpr int kRepetitions = 4;
/// The number of a trial that tells what trials take.
constexpr int kCalibration = 1000;
/// Of the time: for panels alone, and for the crossed settings.
constexpr double kPanelShare = 0.1, kCrossedShare = 0.5;

/// Beyond its share a stage may take this much, as a factor: trials take longer than they were
/// thought to.
constexpr double kSlack = 1.3;

/// The next trial would end after the time that there is, for the stage or for all.
struct TimeIsUp {};

class Search {
 public:
  explicit Search(const TuneTask& task)
      : task_(task),
        run_(task.run_seconds, task.overhead_seconds),
        panel_(task.panel_seconds, task.overhead_seconds),
        stage_end_(task.seconds) {
    state_.spent_seconds = task.spent_seconds;
    for (const TuneSetting& setting : task.settings)
      state_.best.push_back(setting.preferred);
    preferred_ = state_.best;
  }

  TuneState run() {
    within(kPanelShare * task_.seconds, [this] { panel(); });
    within(left(), [this] { calibrate(); });
    within(kCrossedShare * task_.seconds, [this] { crossed(); });
    for (std::size_t i = 0; i < task_.settings.size(); ++i)
      if (task_.settings[i].group == TuneGroup::Single) single(i);
    within(left(), [this] { final(); });
    for (std::size_t i = 0; i < state_.trials.size(); ++i)
      if (state_.trials[i].verdict == TuneVerdict::Open)
        decide(i, TuneVerdict::Dropped, "the time ended before it was compared with others");
    state_.ended = true;
    if (task_.on_change) task_.on_change(state_);
    return std::move(state_);
  }

 private:
  bool is(std::size_t setting, TuneGroup group) const {
    return task_.settings[setting].group == group && task_.settings[setting].values.size() > 1;
  }
  bool any(TuneGroup group) const {
    for (std::size_t i = 0; i < task_.settings.size(); ++i)
      if (is(i, group)) return true;
    return false;
  }
  double left() const { return std::min(task_.seconds, stage_end_) - state_.spent_seconds; }
  /// A stage that may take so long; what it has found when the time is up stays.
  template <class Stage>
  void within(double seconds, Stage stage) {
    stage_end_ = state_.spent_seconds + kSlack * seconds;
    try {
      stage();
    } catch (const TimeIsUp&) {
      state_.out_of_time = true;
    }
    stage_end_ = task_.seconds;
  }

  /// The approximate cost of a trial.
  double cost(int level, bool panel_alone) const { return (panel_alone ? panel_ : run_).at(level); }
  Rungs affordable(std::size_t candidates, double seconds, bool panel_alone) const {
    return affordable_rungs(panel_alone ? panel_ : run_, candidates, seconds,
                            panel_alone ? kShortestPanelTrial : kShortestTrial);
  }

  /// One trial; its index.
  std::size_t measure(TunePoint point, int level, int repetition, bool panel_alone) {
    if (cost(level, panel_alone) > left()) throw TimeIsUp{};
    TuneTrial trial{.stage = state_.stage,
                    .request = {std::move(point), panel_alone, level, repetition}};
    trial.measured = task_.measure(trial.request, state_);
    state_.spent_seconds += trial.measured.cost_seconds;
    if (!trial.measured.failure.empty()) {
      trial.verdict = TuneVerdict::Dropped;
      trial.reason = trial.measured.failure;
    } else if (panel_alone) {
      panel_.learn(trial.measured.seconds / share_of_level(kShortestPanelTrial), level,
                   trial.measured.cost_seconds);
    } else {
      run_.learn(trial.measured.seconds, level, trial.measured.cost_seconds);
    }
    state_.trials.push_back(std::move(trial));
    if (task_.on_change) task_.on_change(state_);
    return state_.trials.size() - 1;
  }
  void decide(std::size_t trial, TuneVerdict verdict, std::string reason) {
    state_.trials[trial].verdict = verdict;
    state_.trials[trial].reason = std::move(reason);
  }

  std::vector<Scored> measure_rung(const std::vector<Scored>& alive, int level, bool panel_alone) {
    std::vector<Scored> rung;
    try {
      for (const Scored& candidate : alive) {
        const std::size_t trial = measure(candidate.point, level, 0, panel_alone);
        const TuneMeasurement& measured = state_.trials[trial].measured;
        if (measured.failure.empty())
          rung.push_back({candidate.index, candidate.point, measured.seconds, trial});
      }
    } catch (const TimeIsUp&) {
      // Those that were expected to be fast came first.
      rank(rung);
      if (!rung.empty()) {
        judge_rung(rung, 1);
        state_.best = rung.front().point;
      }
      throw;
    }
    rank(rung);
    return rung;
  }
  /// Of the candidates of a last rung: all of a few once, and then those that differ by less than
  /// repetitions do.
  void measure_again(std::vector<Scored>& rung, int level, bool panel_alone) {
    constexpr std::size_t kFew = 4;
    double noise = 0;
    for (int repetition = 1; repetition < kRepetitions; ++repetition) {
      const double near = repetition == 1 && rung.size() <= kFew
                              ? rung.back().seconds
                              : rung.front().seconds * (1 + std::max(kClose, noise));
      std::size_t close = 0;
      for (const Scored& candidate : rung)
        close += candidate.seconds <= near ? 1 : 0;
      if (close < 2 || static_cast<double>(close) * cost(level, panel_alone) > left() / 2) break;
      for (Scored& candidate : rung) {
        if (candidate.seconds > near) continue;
        const std::size_t trial = measure(candidate.point, level, repetition, panel_alone);
        const TuneMeasurement& measured = state_.trials[trial].measured;
        if (!measured.failure.empty()) continue;
        noise = std::max(noise, std::abs(measured.seconds - candidate.seconds) /
                                    std::min(measured.seconds, candidate.seconds));
        // Other work on the machine makes trials longer, never shorter.
        candidate.seconds = std::min(candidate.seconds, measured.seconds);
        decide(candidate.trial, TuneVerdict::Kept, "among the best of its round: measured again");
        candidate.trial = trial;
      }
      rank(rung);
    }
  }

  void judge_rung(const std::vector<Scored>& rung, std::size_t kept) {
    for (std::size_t i = 0; i < rung.size(); ++i) {
      const double slower = 100 * (rung[i].seconds / rung.front().seconds - 1);
      if (i >= kept)
        decide(rung[i].trial, TuneVerdict::Dropped,
               fmt::format("{:.1f} % slower than the best of its round", slower));
      else
        decide(rung[i].trial, TuneVerdict::Kept,
               i == 0 ? "the best of its round" : "among the best third of its round");
    }
  }

  /// Successive halving (here by thirds). Sets the best point; leaves it where all fail. The points
  /// that were dropped although they were close to the best of their rung, the last rung's first.
  std::vector<TunePoint> halve(const std::vector<TunePoint>& points, const Rungs& rungs,
                               bool panel_alone) {
    std::vector<TunePoint> close;
    std::vector<Scored> alive;
    for (std::size_t i = 0; i < std::min(points.size(), rungs.candidates); ++i)
      alive.push_back({i, points[i], 0, 0});
    for (int level = rungs.first; level >= rungs.last && !alive.empty(); --level) {
      std::vector<Scored> rung = measure_rung(alive, level, panel_alone);
      if (rung.empty()) break;
      state_.best = rung.front().point;
      const bool last = level == rungs.last || rung.size() == 1;
      if (last) {
        measure_again(rung, level, panel_alone);
        state_.best = rung.front().point;
      }
      const std::size_t kept = last ? 1 : third_of(rung.size());
      judge_rung(rung, kept);
      std::size_t of_rung = 0;
      for (std::size_t i = kept; i < rung.size(); ++i)
        if (rung[i].seconds <= rung.front().seconds * (1 + 2 * kClose))
          close.insert(close.begin() + static_cast<std::ptrdiff_t>(of_rung++), rung[i].point);
      if (last) break;
      rung.resize(kept);
      alive = std::move(rung);
    }
    return close;
  }

  /// All combinations of the settings of a group, the others as they are: what is expected to be
  /// fast first.
  std::vector<TunePoint> combinations(TuneGroup group) const {
    std::vector<TunePoint> points{state_.best};
    for (std::size_t i = 0; i < task_.settings.size(); ++i) {
      if (task_.settings[i].group != group) continue;
      std::vector<TunePoint> more;
      for (const TunePoint& point : points)
        for (std::size_t value = 0; value < task_.settings[i].values.size(); ++value) {
          more.push_back(point);
          more.back()[i] = value;
        }
      points = std::move(more);
    }
    std::vector<std::pair<double, std::size_t>> order;
    for (std::size_t i = 0; i < points.size(); ++i)
      order.emplace_back(expected(points[i], group), i);
    std::ranges::stable_sort(order, {}, &std::pair<double, std::size_t>::first);
    std::vector<TunePoint> sorted;
    for (const auto& [seconds, index] : order)
      sorted.push_back(points[index]);
    return sorted;
  }
  double expected(const TunePoint& point, TuneGroup group) const {
    if (task_.expected && group != TuneGroup::Panel) return task_.expected(point);
    double distance = 0;
    for (std::size_t i = 0; i < point.size(); ++i)
      distance += std::abs(static_cast<double>(point[i]) - static_cast<double>(preferred_[i]));
    return distance;
  }

  void panel() {
    if (!any(TuneGroup::Panel)) return;
    state_.stage = "panel";
    calibrate(kShortestPanelTrial, true);
    const std::vector<TunePoint> points = combinations(TuneGroup::Panel);
    const Rungs rungs = affordable(points.size(), left() / kSlack, true);
    if (rungs.candidates < 2) throw TimeIsUp{};
    halve(points, rungs, true);
  }

  /// Of the point that nobody has tuned: what trials take.
  void calibrate() {
    state_.stage = "calibration";
    int level = 2;
    while (level < kShortestTrial && cost(level, false) > 0.1 * task_.seconds)
      ++level;
    calibrate(level, false);
  }
  /// Not one of the trials that are compared: the first of all finds everything cold.
  void calibrate(int level, bool panel_alone) {
    const std::size_t trial = measure(state_.best, level, kCalibration, panel_alone);
    if (state_.trials[trial].measured.failure.empty())
      decide(trial, TuneVerdict::Kept, "measures what trials take");
  }

  void crossed() {
    if (!any(TuneGroup::Crossed)) return;
    if (task_.method != TuneMethod::Halving) {
      local();
      return;
    }
    state_.stage = "combinations";
    const std::vector<TunePoint> points = combinations(TuneGroup::Crossed);
    const Rungs rungs = affordable(points.size(), kCrossedShare * task_.seconds, false);
    if (rungs.candidates < 2) throw TimeIsUp{};
    close_ = halve(points, rungs, false);
  }

  /// NB by a local search, the other crossed settings one by one.
  void local() {
    for (std::size_t i = 0; i < task_.settings.size(); ++i)
      if (is(i, TuneGroup::Crossed) && task_.settings[i].name == "--NB") local(i);
    for (std::size_t i = 0; i < task_.settings.size(); ++i)
      if (is(i, TuneGroup::Crossed) && task_.settings[i].name != "--NB") single(i);
  }
  void local(std::size_t setting) {
    state_.stage = task_.settings[setting].name;
    constexpr int kUsualTrials = 10;
    int level = 1;
    while (level < kShortestTrial &&
           kUsualTrials * cost(level, false) > kCrossedShare * task_.seconds)
      ++level;
    double fastest = kNever;
    const auto seconds = [&](std::size_t value) {
      TunePoint point = state_.best;
      point[setting] = value;
      const std::size_t trial = measure(std::move(point), level, 0, false);
      const TuneMeasurement& measured = state_.trials[trial].measured;
      if (!measured.failure.empty()) return kNever;
      // When the time is up what was found so far stays.
      if (measured.seconds < fastest * (1 - kTie)) {
        fastest = measured.seconds;
        state_.best[setting] = value;
      }
      return measured.seconds;
    };
    const LocalBest best = local_search(task_.settings[setting].values.size(), state_.best[setting],
                                        task_.method == TuneMethod::Local32, seconds);
    state_.best[setting] = best.value;
    judge_local(setting, best.seconds);
  }
  static constexpr double kNever = 1e300;
  void judge_local(std::size_t setting, double best) {
    for (TuneTrial& trial : state_.trials) {
      if (trial.stage != state_.stage || trial.verdict != TuneVerdict::Open) continue;
      const bool kept = trial.request.point[setting] == state_.best[setting];
      trial.verdict = kept ? TuneVerdict::Kept : TuneVerdict::Dropped;
      trial.reason = kept ? "the best of its neighbours"
                          : fmt::format("{:.1f} % slower than the best",
                                        100 * (trial.measured.seconds / best - 1));
    }
  }

  void single(std::size_t setting) {
    const std::vector<std::string>& values = task_.settings[setting].values;
    if (values.size() < 2) return;
    state_.stage = task_.settings[setting].name;
    std::vector<TunePoint> points{state_.best};
    for (std::size_t value = 0; value < values.size(); ++value) {
      if (value == state_.best[setting]) continue;
      points.push_back(state_.best);
      points.back()[setting] = value;
    }
    // The rest beside two whole runs at the end is for all that are still to come.
    double to_come = 0;
    for (std::size_t i = setting; i < task_.settings.size(); ++i)
      if (task_.settings[i].group == task_.settings[setting].group)
        to_come += static_cast<double>(task_.settings[i].values.size() - 1);
    const double share = static_cast<double>(values.size() - 1) / to_come;
    const double seconds = share * (left() - 2 * cost(0, false));
    const Rungs rungs = affordable(points.size(), seconds, false);
    within(seconds, [&] {
      if (rungs.candidates < 2) throw TimeIsUp{};
      halve(points, rungs, false);
    });
  }

  /// Whole runs of the best, the preferred point and a few of the crossed settings that were almost
  /// the best, as far as there is time: short trials favour what is fast with little to do.
  void final() {
    state_.stage = "final";
    std::vector<TunePoint> points{state_.best};
    const auto add = [&](const TunePoint& point) {
      if (std::ranges::find(points, point) == points.end()) points.push_back(point);
    };
    add(preferred_);
    constexpr std::size_t kMostClose = 5;
    const std::size_t most = points.size() + kMostClose;
    for (TunePoint point : close_) {
      if (points.size() == most) break;
      for (std::size_t i = 0; i < point.size(); ++i)
        if (task_.settings[i].group != TuneGroup::Crossed) point[i] = state_.best[i];
      add(point);
    }
    const double runs = left() / cost(0, false);
    while (points.size() > 1 && static_cast<double>(points.size()) > runs)
      points.pop_back();
    halve(points, {0, 0, points.size()}, false);
  }

  const TuneTask& task_;
  TuneState state_;
  TunePoint preferred_;
  std::vector<TunePoint> close_;
  TrialCost run_, panel_;
  double stage_end_;  ///< of the time of all trials
};

}  // namespace

TuneState search_settings(const TuneTask& task) {
  return Search(task).run();
}

}  // namespace hpl
