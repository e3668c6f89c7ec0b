#include "job.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "hpl/check/report/preflight_check.h"
#include "hpl/comm/mpi/failure.h"
#include "hpl/compare/compare.h"
#include "hpl/fleet/members/fleet_job.h"
#include "hpl/job/live/progress.h"
#include "hpl/plan/job_plan.h"
#include "hpl/plan/plan_input.h"
#include "hpl/plan/time_estimate.h"
#include "hpl/rates/rate_measurement.h"
#include "hpl/run/runs/job_output.h"
#include "hpl/run/runs/job_runs.h"
#include "hpl/run/runs/rank_card.h"
#include "hpl/tune/trials/tuning.h"

namespace hpl {

namespace {

/// One job: the runs of one HPL.dat or command line, on all ranks.
class Job {
 public:
  Job(const JobContext& context, JobPlan plan, JobGrid& grid)
      : context_(context),
        plan_(std::move(plan)),
        grid_(grid),
        output_(context.root(), context.page_of) {}
  ~Job() { context_.watchdog.on_bad_end(nullptr); }
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  ExitCode run() {
    const Options& options = context_.options;
    if (options.command == Command::Check) return run_check(context_, plan_);
    if (options.command == Command::Rates) return run_rate_measurement(context_, plan_);
    if (options.command == Command::Plan) {
      if (options.outputs.dat) write_dat_copy(context_, plan_);
      return show_plan(context_, plan_);
    }
    // All ranks report the figures that rank 0 shows.
    const bool live = context_.world.broadcast_value(
        live_view(options.outputs.progress).form != LiveForm::None, 0);
    preflight();
    if (options.outputs.any_document())
      output_.machine(gather_rank_cards(context_.world, context_.machine, {}));
    output_.open(context_.world, options, plan_.dat);
    output_.begin(job_header(context_, plan_), plan_.runs);
    context_.watchdog.on_bad_end([this](const BadEnd& end) { output_.failure(end.message); });
    try {
      JobRuns runs(context_, plan_, grid_, output_, live);
      for (std::size_t i = 0; i < plan_.runs.size(); ++i)
        runs.make(i);
      return context_.world.broadcast_value(output_.close(options.gates, plan_.dat.threshold), 0);
    } catch (const ConfigError& e) {
      output_.failure(e.what(), ExitCode::BadInput);
      throw;  // every rank throws it: the job ends in order
    } catch (const mpi::AgreedFailure& e) {
      output_.failure(e.what());
      throw;
    } catch (const std::exception& e) {
      context_.watchdog.fail(e.what());
    }
  }

 private:
  /// A short check before the runs. It only warns: a crowded machine may still be good enough.
  void preflight() {
    const bool worth_it = std::ranges::any_of(
        plan_.runs, [](const RunSpec& spec) { return spec.order >= kLeastWorthMeasuring; });
    if (context_.options.check.before_runs && worth_it)
      output_.preflight(check_machine(CheckForm::Short, context_, plan_));
  }

  const JobContext& context_;
  JobPlan plan_;
  JobGrid& grid_;
  JobOutput output_;
};

}  // namespace

ExitCode run_job(const JobStart& start) {
  const auto& [world, environment, options, watchdog, page_of] = start;
  if (options.command == Command::Fleet) return run_fleet(start, fleet_changes);
  auto [input_name, dat] = read_plan_input(world, options);
  watchdog.enter("examines the machine", Watchdog::kSetUpAllowance);
  const Machine machine(world, environment, options);
  const std::optional<Rates> rates = rates_of_job(world, options, machine);
  const JobContext context{world, machine, options, watchdog, rates ? &*rates : nullptr, page_of};
  if (options.command == Command::Tune) return run_tuning(context, std::move(dat));
  JobGrid grid(context);
  LinkMaker make_links;
  if (!options.only_looks() && !options.only_plans())
    make_links = [&](const RankLayout& layout, const RunSpec& spec, const RunSettings& settings) {
      return grid.make_links(layout, spec, settings);
    };
  return Job(context, make_job_plan(context, std::move(input_name), std::move(dat), make_links),
             grid)
      .run();
}

}  // namespace hpl
