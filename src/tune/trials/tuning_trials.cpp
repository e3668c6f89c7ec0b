#include "tuning_trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <vector>

#include "hpl/base/error/error.h"
#include "hpl/base/number/benchmark_formulas.h"
#include "hpl/base/number/stopwatch.h"
#include "hpl/base/text/text_value.h"
#include "hpl/comm/mpi/failure.h"
#include "hpl/input/plan/plan.h"
#include "hpl/job/live/disturbed.h"
#include "hpl/machine/decide/run_memory.h"
#include "hpl/rates/panel_probe.h"
#include "hpl/report/result/disturbance.h"
#include "hpl/report/result/run_failures.h"
#include "hpl/tune/search/head_and_tail.h"
#include "tuned_settings.h"
#include "tuning_trials.h"

namespace hpl {

TuneCommand broadcast(const mpi::Communicator& world, TuneCommand command) {
  std::string text;
  if (world.rank() == 0 && !command.end) {
    const TuneRequest& request = command.request;
    text = fmt::format("{} {} {}", request.panel_alone ? 1 : 0, request.level, request.repetition);
    for (const std::size_t value : request.point)
      text += fmt::format(" {}", value);
  }
  text = world.broadcast(text, 0);
  std::vector<std::size_t> numbers;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t blank = std::min(text.find(' ', at), text.size());
    numbers.push_back(static_cast<std::size_t>(*parse_integer(text.substr(at, blank - at))));
    at = blank + 1;
  }
  if (numbers.empty()) return {.end = true, .request = {}};
  return {.end = false,
          .request = {.point = {numbers.begin() + 3, numbers.end()},
                      .panel_alone = numbers[0] == 1,
                      .level = static_cast<int>(numbers[1]),
                      .repetition = static_cast<int>(numbers[2])}};
}

namespace {

/// Steps of the shortest beginning: the first panel is exposed, as later ones are not.
constexpr std::int64_t kFewestSteps = 3;

/// Of what every trial has in common.
Options trial_options(const Options& options, bool gpu) {
  Options common = options;
  common.wishes.attainable_rate = false;
  common.wishes.verify_steps = false;
  // Measuring the rates of the ranks takes longer than many a trial.
  if (gpu && common.wishes.balance == BalanceRequest::Auto)
    common.wishes.balance = BalanceRequest::Even;
  return common;
}

std::int64_t small_order(std::int64_t order, double share) {
  const double exact = std::cbrt(share) * static_cast<double>(order);
  const auto steps = std::llround(exact / static_cast<double>(kOrderStep));
  return std::min(order, std::max<std::int64_t>(1, steps) * kOrderStep);
}

void check(const RunResult& result, TuneMeasurement& measured) {
  if (result.zero_pivot_column)
    measured.failure = fmt::format("a zero pivot in column {}", *result.zero_pivot_column);
  if (const std::vector<std::string> reasons = run_failures(result);
      measured.failure.empty() && !reasons.empty())
    measured.failure = reasons.front();
  if (!result.residual) return;
  measured.residual = std::max(measured.residual.value_or(0), result.residual->scaled);
  if (!result.residual->passed)
    measured.failure = fmt::format("the residual failed: {:.3g} at N = {}", result.residual->scaled,
                                   result.spec.order);
}

}  // namespace

TuningTrials::TuningTrials(const JobContext& job, const std::vector<TuneSetting>& settings,
                           std::int64_t order)
    : job_(job),
      settings_(settings),
      order_(order),
      options_(trial_options(job.options, job.gpu())),
      trial_{job.world, job.machine, options_, job.watchdog, job.rates},
      grid_(trial_),
      job_runs_(trial_, plan_, grid_, nothing_, false) {}

TuneMeasurement TuningTrials::measure(const TuneRequest& request) {
  const Stopwatch watch;
  TuneMeasurement measured;
  try {
    if (request.panel_alone)
      panel(request.point, request.level, measured);
    else
      runs(request.point, request.level, measured);
  } catch (const ConfigError& refusal) {  // the same on every rank
    measured.failure = refusal.what();
  } catch (const mpi::AgreedFailure& failure) {
    // Ranks without a part in the grid wait for the others, who must not go on without them.
    const GridShape grid{options_.fields.grid_rows.front(), options_.fields.grid_columns.front()};
    if (grid.rows * grid.columns < job_.world.size()) throw;
    measured.failure = failure.what();
  }
  measured.cost_seconds = watch.seconds();
  return measured;
}

void TuningTrials::panel(const TunePoint& point, int level, TuneMeasurement& measured) {
  job_.watchdog.enter("factorizes panels");
  const Options options = with_point(options_, settings_, point);
  HplDat dat = apply_overrides(default_hpl_dat(), options);
  dat.orders = {order_};
  RunSpec spec = plan_runs(dat).front();
  const std::int64_t rows = std::max(spec.block_size, order_ / spec.grid_rows);
  spec.order = rows;
  const int times =
      static_cast<int>(std::lround(share_of_level(level) / share_of_level(kShortestPanelTrial)));
  const double seconds = job_.world.all_reduce(
      host_panel_seconds(job_.machine.device(), job_.machine.host(), spec, times),
      mpi::Reduce::Max);
  const auto m = static_cast<double>(rows), w = static_cast<double>(spec.block_size);
  measured.seconds = seconds;
  // m w^2 - w^3 / 3 operations.
  measured.gflops = 1e-9 * (m * w * w - w * w * w / 3) / seconds;
}

void TuningTrials::runs(const TunePoint& point, int level, TuneMeasurement& measured) {
  Options options = with_point(options_, settings_, point);
  const bool whole = level == 0;
  const double part = share_of_level(level) / 2;
  if (!whole) {
    const std::int64_t first_columns = kFewestSteps * options.fields.block_sizes.front();
    const double least = factorization_flops(order_, std::min(order_, first_columns)) /
                         factorization_flops(order_, order_);
    options.wishes.stop_after = std::min(0.9, std::max(part, least));
  }
  HeadAndTail parts{.order = order_};
  const RunResult head = run(options, order_, measured);
  check(head, measured);
  parts.head_seconds = head.seconds;
  parts.columns_done = head.stopped ? head.stopped->columns_done : order_;
  if (!whole) {
    options.wishes.stop_after.reset();
    parts.tail_order = small_order(order_, part);
    const RunResult tail = run(options, parts.tail_order, measured);
    check(tail, measured);
    parts.tail_seconds = tail.seconds;
  }
  measured.seconds = whole_run_seconds(parts);
  if (measured.seconds > 0) measured.gflops = benchmark_gflops(order_, measured.seconds);
}

RunResult TuningTrials::run(const Options& options, std::int64_t order, TuneMeasurement& measured) {
  options_ = options;
  HplDat dat = apply_overrides(default_hpl_dat(), options);
  dat.orders = {order};
  validate_grid(dat, job_.world.size());
  const RunSpec spec = planned_runs(dat, options, job_.machine.kind()).front();
  const RunSettings settings = decide(spec, job_.machine.facts(), options.wishes);
  check_memory(spec, settings, job_.machine.facts(), options.wishes);
  plan_.dat = std::move(dat);
  plan_.layout = lay_out(find_layout(job_.world, job_.machine.resources(), options), spec,
                         job_.machine.kind());
  plan_.runs.push_back(spec);
  plan_.settings.push_back(settings);
  const std::size_t index = plan_.runs.size() - 1;
  std::vector<RunResult> results;
  std::ranges::move(measure_undisturbed(job_.world,
                                        [&] {
                                          std::vector<std::string> reasons;
                                          for (RunResult& made : job_runs_.make(index)) {
                                            std::ranges::move(disturbances(made),
                                                              std::back_inserter(reasons));
                                            results.push_back(std::move(made));
                                          }
                                          return reasons;
                                        }),
                    std::back_inserter(measured.disturbances));
  return results.empty() ? RunResult() : std::ranges::min(results, {}, &RunResult::seconds);
}

}  // namespace hpl
