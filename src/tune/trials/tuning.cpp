#include "hpl/tune/trials/tuning.h"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "hpl/base/number/stopwatch.h"
#include "hpl/base/text/quantity.h"
#include "hpl/input/plan/plan.h"
#include "hpl/job/live/progress.h"
#include "hpl/job/ranks/agreement.h"
#include "hpl/job/ranks/information.h"
#include "hpl/machine/host/sizing.h"
#include "hpl/machine/host/topology.h"
#include "hpl/machine/model/search.h"
#include "hpl/plan/attainable_rate.h"
#include "hpl/plan/automatic_plan.h"
#include "hpl/plan/time_estimate.h"
#include "hpl/rates/rate_measurement.h"
#include "hpl/run/report/next_steps.h"
#include "tuned_settings.h"
#include "tuning_record.h"
#include "tuning_trials.h"

namespace hpl {

namespace {

/// Whole runs that fit into the time: trials are of a smaller order where those of N are longer.
constexpr double kRunsInTime = 12;
/// Rates of a GPU, measured in one to two minutes, say which settings to begin with; in less time
/// than this trials tell more.
constexpr double kWorthRates = 600;

std::string processor_of(const JobContext& job) {
  return job.world.broadcast(job.gpu() ? job.machine.device().properties().name : cpu_model(), 0);
}

/// The grids to search, with the `usual` one.
std::vector<GridShape> grids_of(const HplDat& dat, int ranks, GridShape usual) {
  std::vector<GridShape> grids;
  if (dat.grid_rows.empty()) {
    grids = possible_grids(ranks);
    if (std::ranges::find(grids, usual) == grids.end()) grids.push_back(usual);
  }
  for (std::size_t i = 0; i < dat.grid_rows.size(); ++i)
    grids.push_back({dat.grid_rows[i], dat.grid_columns[i]});
  return grids;
}

class Tuning {
 public:
  Tuning(const JobContext& job, HplDat dat)
      : job_(job),
        given_(std::move(dat)),
        nodes_(NodeMap::of(job.world)),
        usual_grid_(find_usual_grid()),
        grids_(grids_of(given_, job.world.size(), usual_grid_)),
        record_(job, given_, begin()) {}
  ~Tuning() { job_.watchdog.on_bad_end(nullptr); }
  Tuning(const Tuning&) = delete;
  Tuning& operator=(const Tuning&) = delete;

  ExitCode run() {
    prepare();
    TuningTrials trials(job_, report().settings, report().trial_order);
    if (job_.root()) {
      try {
        search(trials);
      } catch (const std::exception& e) {
        job_.watchdog.fail(e.what());  // the others wait for the next trial
      }
    } else {
      follow(trials);
    }
    return finish();
  }

 private:
  TuneReport& report() { return record_.report(); }

  /// The machine and the settings of the search. Collective.
  TuneReport begin() const {
    TuneReport report{.machine = processor_of(job_), .nodes = nodes_.nodes()};
    const auto settings = tuned_settings(job_.options, usual_run(first_order()));
    for (const GivenFlag& flag : fixed_flags(job_.options, settings))
      report.fixed.emplace_back(flag.name, flag.value);
    return report;
  }
  /// N as it is given, or a guess.
  std::int64_t first_order() const {
    constexpr std::int64_t kFirstGuess = 100'000;
    return given_.orders.empty() ? kFirstGuess : given_.orders.front();
  }

  /// N, the order of the trials and what they vary, the same on every rank.
  void prepare() {
    TuneReport& report = record_.report();
    if (given_.orders.size() > 1)
      throw ConfigError("xhpl tune searches for one N, found {}: {}", given_.orders.size(),
                        fmt::join(given_.orders, ","));
    report.method = job_.options.tune.method;
    report.budget_seconds = job_.options.tune.seconds;
    if (!record_.goes_on()) {
      const Stopwatch watch;
      find_rates();
      choose_orders();
      report.state.spent_seconds = report.preparation_seconds = watch.seconds();
    }
    if (job_.rates != nullptr) report.rates = *job_.rates;
    share_orders();
    report.settings = tuned_settings(job_.options, usual_run(report.trial_order));
    if (job_.root()) {
      for (const TuneSetting& setting : report.settings)
        report.state.best.push_back(setting.preferred);
      job_.watchdog.on_bad_end([this](const BadEnd& end) { record_.interrupt(end); });
    }
  }

  /// The grid of --grid auto. Collective.
  GridShape find_usual_grid() const {
    const auto by_model = grid_by_model({job_.world, job_.machine, job_.options, job_.rates},
                                        {.nodes = nodes_}, given_);
    return by_model ? by_model->grid
                    : choose_grid_of_most(job_.world.size(), job_.machine.kind(), nodes_.nodes());
  }
  GridShape preferred_grid() const {
    return std::ranges::find(grids_, usual_grid_) != grids_.end() ? usual_grid_ : grids_.front();
  }
  std::int64_t usual_block_size(std::int64_t order) const {
    if (job_.options.fields.block_sizes.size() == 1) return job_.options.fields.block_sizes.front();
    return block_size_for(order, job_.machine.kind(), products_of(job_.options.wishes));
  }
  /// The runs of `options` with this order.
  HplDat dat_of(const Options& options, std::int64_t order) const {
    HplDat dat = apply_overrides(default_hpl_dat(), options);
    dat.orders = {order};
    return dat;
  }
  RankLayout layout_of(const RunSpec& spec) const {
    return lay_out(find_layout(job_.world, job_.machine.resources(), job_.options), spec,
                   job_.machine.kind());
  }
  RunSettings settings_of(const RunSpec& spec, const Options& options) const {
    return decide(spec, job_.machine.facts(), options.wishes);
  }
  /// As it would be run if nobody tuned.
  UsualRun usual_run(std::int64_t order) const {
    Options options = job_.options;
    const GridShape grid = preferred_grid();
    options.fields.grid_rows = {grid.rows};
    options.fields.grid_columns = {grid.columns};
    options.fields.block_sizes = {usual_block_size(order)};
    const RunSpec spec = planned_runs(dat_of(options, order), options, job_.machine.kind()).front();
    return {.spec = spec,
            .settings = settings_of(spec, options),
            .facts = job_.machine.facts(),
            .grids = grids_};
  }

  void find_rates() {
    TuneReport& report = record_.report();
    if (job_.rates != nullptr) {
      report.rates = *job_.rates;
    } else if (job_.gpu() && report.budget_seconds >= kWorthRates &&
               !job_.options.wishes.mixed.wanted) {  // each storage has rates of its own
      const GridShape grid = preferred_grid();
      if (grid.rows * grid.columns == job_.world.size()) report.rates = rates_on(grid);
    }
  }

  Rates rates_on(GridShape grid) {
    HplDat dat = given_;
    dat.grid_rows = {grid.rows};
    dat.grid_columns = {grid.columns};
    const RunSpec spec = first_grid(dat);
    return measure_rates_of(job_, layout_of(spec), spec);
  }

  void choose_orders() {
    TuneReport& report = record_.report();
    job_.watchdog.enter("chooses N", Watchdog::kSetUpAllowance);
    const UsualRun run = usual_run(first_order());
    const RunSpec& usual = run.spec;
    const RunSettings& settings = run.settings;
    report.order =
        given_.orders.empty() ? largest_order_of(usual, job_.options.wishes) : usual.order;
    if (report.order == 0 && !given_.orders.empty())
      throw ConfigError("xhpl tune: N must be at least 1, found 0");
    if (report.order == 0)
      throw ConfigError(
          "xhpl tune: the memory of a rank does not hold one block; give -N or a larger "
          "--mem-fraction");
    const TimeEstimate estimate = estimate_for(
        {job_.world, job_.machine, job_.options, report.rates ? &*report.rates : nullptr}, usual,
        settings);
    RunSpec spec = usual;
    spec.order = report.order;
    report.run_seconds = estimate.seconds(spec, settings);
    report.estimate = estimate.basis();
    report.trial_order = report.order;
    const double longest = report.budget_seconds / kRunsInTime;
    if (report.run_seconds > longest) {
      const std::int64_t within = estimate.order_within(spec, settings, longest);
      report.trial_order =
          std::min(report.order, std::max<std::int64_t>(1, within / kOrderStep) * kOrderStep);
      spec.order = report.trial_order;
      report.run_seconds = estimate.seconds(spec, settings);
    }
  }
  std::int64_t largest_order_of(const RunSpec& spec, const Wishes& wishes) const {
    return choose_order(
               {.runs = {spec},
                .facts = job_.machine.facts(),
                .wishes = wishes,
                .block_size = spec.block_size,
                .memory_fraction = job_.options.runs.mem_fraction.value_or(kDefaultMemoryFraction)})
        .order;
  }
  /// Shares the orders that rank 0 has measured or read.
  void share_orders() {
    TuneReport& report = record_.report();
    report.order = job_.world.broadcast_value(report.order, 0);
    report.trial_order = job_.world.broadcast_value(report.trial_order, 0);
  }

  /// Rank 0: decides, and has all ranks measure.
  void search(TuningTrials& trials) {
    TuneReport& report = record_.report();
    const LiveView view = live_view(job_.options.outputs.progress);
    StatusLine line(std::cerr, view);
    TuneTask task{.settings = report.settings,
                  .method = report.method,
                  .seconds = report.budget_seconds,
                  .run_seconds = report.run_seconds,
                  .overhead_seconds = 0.1,
                  .panel_seconds = panel_seconds(),
                  .spent_seconds = report.state.spent_seconds,
                  .expected = {},
                  .measure = {},
                  .on_change = [&](const TuneState& state) { record_.save(state); }};
    if (report.rates)
      task.expected = [this](const TunePoint& point) { return expected_seconds(point); };
    task.measure = [&](const TuneRequest& request, const TuneState& state) {
      if (const auto known = record_.take(request)) return *known;
      if (due(state, view.form == LiveForm::Drawn)) line.show(progress_text(request, state));
      record_.begin(request);
      broadcast(job_.world, {.end = false, .request = request});
      TuneMeasurement measured = trials.measure(request);
      job_.watchdog.enter("chooses the next trial");
      return measured;
    };
    job_.watchdog.enter("chooses the first trial");
    search_settings(task);
    broadcast(job_.world, {.end = true, .request = {}});
  }
  void follow(TuningTrials& trials) {
    for (;;) {
      job_.watchdog.rest("waits for the next trial");
      const TuneCommand command = broadcast(job_.world, {});
      if (command.end) return;
      trials.measure(command.request);
    }
  }

  /// Nine panels at a tenth of what a core makes of products.
  double panel_seconds() {
    const TuneReport& report = record_.report();
    const auto block = static_cast<double>(usual_block_size(report.trial_order));
    const auto order = static_cast<double>(report.trial_order);
    // m NB^2 of 2/3 N^3 operations, at a tenth of the rate.
    return 9 * 10 * report.run_seconds * 1.5 * block * block / (order * order);
  }
  double expected_seconds(const TunePoint& point) {
    const TuneReport& report = record_.report();
    const Options options = with_point(job_.options, report.settings, point);
    try {
      const RunSpec spec =
          planned_runs(dat_of(options, report.trial_order), options, job_.machine.kind()).front();
      return TimeEstimate{.rates = &*report.rates}.seconds(spec, settings_of(spec, options));
    } catch (const ConfigError&) {  // the rates do not tell; the trial will
      return report.run_seconds;
    }
  }

  /// On a terminal one line is rewritten; else a line a stage, and one now and then.
  bool due(const TuneState& state, bool terminal) {
    constexpr double kLineSeconds = 10;
    if (!terminal && state.stage == shown_stage_ && state.spent_seconds < shown_at_ + kLineSeconds)
      return false;
    shown_stage_ = state.stage;
    shown_at_ = state.spent_seconds;
    return true;
  }
  std::string progress_text(const TuneRequest& request, const TuneState& state) {
    const TuneReport& report = record_.report();
    const TuneTrial* const best = state.longest_trial(state.best);
    return fmt::format("tune: trial {} ({}), at most {} left{}; {}", state.trials.size() + 1,
                       state.stage,
                       duration_text(std::max(0.0, report.budget_seconds - state.spent_seconds)),
                       best != nullptr ? ", best " + rate_text(best->measured.gflops, 4) : "",
                       point_text(report.settings, request.point));
  }

  /// The HPL.dat and what people see.
  ExitCode finish() {
    TuneReport& report = record_.report();
    job_.watchdog.enter("writes the settings", Watchdog::kSetUpAllowance);
    report.state.best = share_point(report.state.best);
    const TunePoint found =
        share_point(report.keeps_defaults() ? report.untuned() : report.state.best);
    const Options options = with_point(job_.options, report.settings, found);
    HplDat dat = dat_of(options, report.order);
    dat.rank_order = given_.rank_order;
    RunSpec spec = planned_runs(dat, options, job_.machine.kind()).front();
    // The largest that these settings leave room for.
    if (given_.orders.empty())
      if (const std::int64_t largest = largest_order_of(spec, options.wishes))
        report.order = largest;
    dat.orders = {report.order};
    const std::string flags = all_flags(spec, found);
    ExitCode code = ExitCode::Passed;
    if (job_.root()) {
      if (report.best_gflops()) {
        report.command = launch_text(
            job_.world.size(), fmt::format("run --dat {}{}{}", job_.options.outputs.dat->string(),
                                           flags.empty() ? "" : " ", flags));
        record_.write_dat(write_hpl_dat(dat) + comment());
      } else {
        code = ExitCode::Failed;
      }
      record_.save(report.state);
    }
    print_on_rank_0(job_.world, job_.root() ? tune_text(report, job_.options.outputs.detail) : "");
    return job_.world.broadcast_value(code, 0);
  }
  TunePoint share_point(const TunePoint& point) const {
    TunePoint all = point;
    all.resize(record_.settings());
    for (std::size_t& value : all)
      value = job_.world.broadcast_value(value, 0);
    return all;
  }
  /// Beside --dat: those of this job, those that were found, and the layout of the nodes.
  std::string all_flags(const RunSpec& spec, const TunePoint& found) {
    const TuneReport& report = record_.report();
    std::string flags = flags_of_runs(job_.options);
    const auto add = [&](const std::string& more) {
      if (!more.empty()) flags += (flags.empty() ? "" : " ") + more;
    };
    add(flags_beside_hpl_dat(report.settings, found));
    if (const std::optional<GridShape> tile = layout_of(spec).tile)
      add(fmt::format("--node-rows {} --node-columns {}", tile->rows, tile->columns));
    return flags;
  }
  /// Below the 31 lines that count.
  std::string comment() {
    const TuneReport& report = record_.report();
    return fmt::format("\nFound by xhpl tune {} for {} of {}, N = {} in trials: {}.\n{}\n",
                       report.program.version, count_text(report.ranks, "rank"), report.machine,
                       report.trial_order, rate_text(*report.best_gflops(), 4), report.command);
  }

  const JobContext& job_;
  HplDat given_;
  NodeMap nodes_;
  GridShape usual_grid_;
  std::vector<GridShape> grids_;
  TuningRecord record_;
  std::string shown_stage_;
  double shown_at_ = 0;
};

}  // namespace

ExitCode run_tuning(const JobContext& job, HplDat dat) {
  return Tuning(job, std::move(dat)).run();
}

}  // namespace hpl
