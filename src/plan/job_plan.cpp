#include "hpl/plan/job_plan.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "hpl/base/error/error.h"
#include "hpl/input/plan/plan.h"
#include "hpl/machine/decide/balance.h"
#include "hpl/machine/decide/run_memory.h"
#include "hpl/machine/host/sizing.h"
#include "hpl/machine/model/prediction.h"
#include "hpl/plan/time_estimate.h"

namespace hpl {

namespace {

/// A gate that nothing can miss would let everything through.
void require_comparison(const Options& options, const std::vector<RunSpec>& runs) {
  const auto alone = [](const RunSpec& spec) { return spec.grid_rows * spec.grid_columns == 1; };
  if (options.gates.max_spread && options.runs.repeat == 1 && !options.fleet.for_seconds &&
      std::ranges::any_of(runs, alone))
    throw ConfigError(
        "--max-spread compares repetitions and ranks, found one repetition on a grid of 1 x 1; "
        "give --repeat 2 or more, or larger grids");
}

std::vector<RunSettings> settings_of(const JobContext& job, const std::vector<RunSpec>& runs,
                                     const Facts& facts) {
  std::vector<RunSettings> settings;
  for (const RunSpec& spec : runs) {
    settings.push_back(decide(spec, facts, job.options.wishes));
    if (job.rates != nullptr && spec.emulated_moduli > 0)
      settings.back().remarks.push_back(warning(
          "arithmetic", "--arithmetic emulated: times by --rates are those of native FP64"));
    if (job.rates == nullptr) continue;
    append(settings.back().remarks, remarks_on_rates({spec, settings.back()}, *job.rates));
  }
  return settings;
}

}  // namespace

JobPlan make_job_plan(const JobContext& job, std::string input_name, HplDat dat,
                      const LinkMaker& make_links) {
  const Options& options = job.options;
  JobPlan plan{.input_name = std::move(input_name), .dat = std::move(dat)};
  // The memory fraction stands for N, also for that of a file.
  if (options.runs.mem_fraction && options.fields.orders.empty()) plan.dat.orders.clear();
  plan.layout = find_layout(job.world, job.machine.resources(), options);
  const bool all_take_part = options.command == Command::Fleet || options.only_looks();
  GridChoice grid;
  if (!all_take_part)
    grid = {.idle = IdleRanks::WhereFaster,
            .by_model = grid_by_model({job.world, job.machine, options, job.rates}, *plan.layout,
                                      plan.dat)};
  plan.dat = complete_grid(std::move(plan.dat), *plan.layout, job.machine.kind(), grid);
  if (options.only_looks() && plan.dat.orders.empty() && !options.runs.automatic &&
      !options.runs.mem_fraction)
    return plan;  // the machine by itself
  if (options.wishes.reproducible && plan.dat.orders.empty())
    throw ConfigError(
        "--reproducible needs N, by -N or in HPL.dat: a choice would follow the free memory and a "
        "measured rate");
  if (plan.input_name.empty() && options.fields.block_sizes.empty() && !plan.dat.orders.empty()) {
    plan.dat.block_sizes = {block_size_for(std::ranges::max(plan.dat.orders), job.machine.kind(),
                                           products_of(options.wishes))};
    plan.dat.chosen.push_back(
        {"NB", fmt::format("{}", plan.dat.block_sizes.front()), "usual for this N"});
  }
  validate_grid(plan.dat, job.machine.resources().ranks);
  if (plan.dat.orders.empty()) {
    CompletedPlan completed =
        complete_plan(std::move(plan.dat), {job.world, job.machine, options, job.rates},
                      *plan.layout, make_links);
    plan.dat = std::move(completed.dat);
    plan.estimate = completed.estimate;
    plan.link_bytes = completed.link_bytes;
  }
  plan.runs = planned_runs(plan.dat, options, job.machine.kind());
  // Now, so that what does not fit is refused: later there is a choice, by the memory that is free.
  for (RunSpec& spec : plan.runs)
    if (options.wishes.reproducible &&
        choose_balance(spec, job.machine.kind(), options.wishes) == BalanceRequest::Even)
      distribute_evenly(spec);
  Facts facts = job.machine.facts();
  facts.link_bytes = plan.link_bytes;
  plan.settings = settings_of(job, plan.runs, facts);
  if (job.rates != nullptr && !options.only_looks())
    require_rates_of_runs(options.rates.input->string(), *job.rates, plan.runs, plan.settings);
  if (!options.only_looks())
    for (std::size_t i = 0; i < plan.runs.size(); ++i)
      check_memory(plan.runs[i], plan.settings[i], facts, options.wishes);
  require_comparison(options, plan.runs);
  return plan;
}

}  // namespace hpl
