#include "hpl/run/runs/measured_run.h"

#include <algorithm>

#include "hpl/machine/decide/balance.h"
#include "hpl/machine/decide/run_memory.h"

namespace hpl {

namespace {

/// The largest products of all runs on as many ranks and with the same NB.
TailProducts largest_products(const RunContext& run) {
  const auto ranks = [](const RunSpec& spec) { return spec.grid_rows * spec.grid_columns; };
  const JobPlan& plan = run.plan;
  TailProducts largest = tail_products(run.spec, run.settings);
  for (std::size_t i = 0; i < plan.runs.size(); ++i) {
    const RunSpec& spec = plan.runs[i];
    if (ranks(spec) != ranks(run.spec) || spec.block_size != run.spec.block_size) continue;
    const TailProducts products = tail_products(spec, plan.settings[i]);
    if (products.shape.flops() > largest.shape.flops()) largest = products;
  }
  return largest;
}

/// Whether the memory of all ranks holds the run with this spec and these settings. Collective over
/// its ranks.
bool fits_everywhere(const RunContext& run, const RunSpec& spec, const RunSettings& settings) {
  const bool here = fits(spec, settings, run.facts());
  return run.ranks.all_reduce(here ? 1 : 0, mpi::Reduce::Min) == 1;
}

/// Whether the rate is compared with that of products alone.
bool is_compared(const RunContext& run) {
  const Options& options = run.job.options;
  return options.wishes.attainable_rate &&
         (run.spec.order >= kLeastWorthMeasuring || options.gates.min_efficiency.has_value());
}

}  // namespace

std::deque<ProductRates>& MeasuredRates::known(const RunContext& run) {
  return rates_[{run.ranks.all_gather(run.job.world.rank()), run.spec.block_size}];
}

const ProductRates& MeasuredRates::at(RateSource::Moment moment, const RunContext& run) {
  std::deque<ProductRates>& all = known(run);
  for (const ProductRates& rates : all)
    if (rates.source.moment == moment) return rates;
  run.job.watchdog.enter("measures the attainable rate", Watchdog::kSetUpAllowance);
  all.push_back({{.moment = moment, .run_index = static_cast<int>(run.index)},
                 measure_products(run.job.machine, run.ranks, largest_products(run),
                                  Accuracy::Attainable, view_)});
  return all.back();
}

double MeasuredRates::known_gflops(const RunContext& run) {
  const std::deque<ProductRates>& all = known(run);
  return all.empty() ? 0 : all.back().sum();
}

void MeasuredRates::judge(const RunContext& run, RunResult& result) {
  const bool gpu = run.job.gpu();
  // Processors are measured on both sides of a run. A GPU takes long, and is measured once: on the
  // chip as hot as the run has left it, unless the distribution of blocks took its rate before.
  if (!gpu || known(run).empty()) at(RateSource::Moment::After, run);
  const std::deque<ProductRates>& all = known(run);
  const bool shared =
      run.job.machine.oversubscribed() || (gpu && run.job.options.machine.share_device);
  set_attainable(result, {all.begin(), all.end()}, !shared);
  if (all.size() > 1 && all.front().sum() > 0)
    result.products_change = all.back().sum() / all.front().sum() - 1;
}

std::optional<Remark> MeasuredRun::distribute(JobPlan& plan, const RunContext& run) {
  constexpr const char* kAbout = "distribution of blocks";
  RunSpec& spec = plan.runs[run.index];
  const RunSpec round_robin = spec;
  const BalanceRequest request = run.settings.balance;
  if (request == BalanceRequest::Off) return std::nullopt;
  std::optional<Remark> remark;
  if (request == BalanceRequest::Rates) {
    const std::vector<double>& gflops = rates_.before(run).gflops;
    distribute_by_rates(spec, gflops);
    if (run.job.root()) remark = note(kAbout, describe_distribution(spec, gflops));
    if (fits_everywhere(run, spec, run.settings)) return remark;
    remark = warning(
        kAbout, "blocks distributed evenly: in proportion to rates they do not fit into memory");
  }
  distribute_evenly(spec);
  if (fits_everywhere(run, spec, run.settings)) return remark;
  spec = round_robin;
  return warning(kAbout, "blocks distributed round-robin: otherwise they do not fit into memory");
}

void MeasuredRun::warm_up(const RunContext& run) {
  RunSpec spec = run.spec;
  if (spec.order < kLeastWorthMeasuring ||
      !warm_.insert({run.ranks.size(), spec.block_size}).second)
    return;
  spec.order = std::min(spec.order, 6 * spec.block_size);
  spec.threshold = 0;
  RunSettings settings = run.settings;
  settings.stages.narrow_panel_columns = 3 * spec.block_size;  // both kinds of panel
  settings.stages.schedule.step_limit = 0;
  settings.stages.schedule.host_takes_part = false;
  run_benchmark(run.beside(spec, settings, "the warm-up before "));
}

RunResult MeasuredRun::make(const RunContext& run, const std::function<RunResult()>& once) {
  warm_up(run);
  const bool compared = is_compared(run);
  if (compared && !run.job.gpu()) rates_.before(run);
  RunResult result = once();
  if (run.job.options.wishes.reproducible && result.solution_hash) {
    const std::uint64_t first =
        first_hashes_.try_emplace(run.index, *result.solution_hash).first->second;
    if (*result.solution_hash != first) result.differs_from = first;
  }
  if (compared) rates_.judge(run, result);
  return result;
}

bool MeasuredRun::diagnose(const RunContext& run, RunResult& result) {
  const bool shown = result.checksums && result.checksums->comparisons > 0;
  const bool wanted = run.job.options.wishes.verify_steps.value_or(true) && !shown &&
                      result.residual && !residual_passed(*result.residual, run.spec.threshold) &&
                      !diagnosed_ && !run.spec.mixed;
  if (!run.ranks.broadcast_value(wanted, 0)) return false;
  RunSpec spec = run.spec;
  spec.checksums = true;
  RunSettings settings = run.settings;
  settings.checksum_interval = 1;
  settings.stages.schedule.host_takes_part = false;
  if (!fits_everywhere(run, spec, settings)) return false;
  diagnosed_ = true;
  spec.threshold = 0;
  result.checksums =
      run_benchmark(run.beside(spec, settings, "the repetition with checksums of ")).checksums;
  result.checksums->repeated = true;
  return true;
}

}  // namespace hpl
