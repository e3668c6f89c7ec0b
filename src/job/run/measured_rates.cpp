#include "measured_rates.h"

#include <fmt/format.h>

namespace hpl {

namespace {

/// Of all runs on as many ranks and with the same NB.
TailProducts largest_products(const PlannedRun& run) {
  const auto ranks = [](const RunSpec& spec) { return spec.grid_rows * spec.grid_columns; };
  const JobPlan& plan = run.plan;
  TailProducts largest = tail_products(run.spec(), run.settings());
  for (std::size_t i = 0; i < plan.runs.size(); ++i) {
    const RunSpec& spec = plan.runs[i];
    if (ranks(spec) != ranks(run.spec()) || spec.block_size != run.spec().block_size) continue;
    const TailProducts products = tail_products(spec, plan.settings[i]);
    if (products.shape.flops() > largest.shape.flops()) largest = products;
  }
  return largest;
}

}  // namespace

std::deque<ProductRates>& MeasuredRates::known(const PlannedRun& run) {
  return rates_[{run.ranks.all_gather(run.job.world.rank()), run.spec().block_size}];
}

const ProductRates& MeasuredRates::at(const std::string& moment, const PlannedRun& run) {
  std::deque<ProductRates>& all = known(run);
  for (const ProductRates& rates : all)
    if (rates.when.starts_with(moment)) return rates;
  run.job.watchdog.enter("measures the DGEMM rate", Watchdog::kSetUpAllowance);
  all.push_back(
      {fmt::format("{} run {}", moment, run.index + 1),
       measure_products(run.job.machine, run.ranks, largest_products(run), Accuracy::Attainable)});
  return all.back();
}

void MeasuredRates::judge(const PlannedRun& run, RunResult& result) {
  const bool gpu = run.job.gpu();
  // Processors are measured on both sides of a run. A GPU takes long, and is measured once: on the
  // chip as hot as the run has left it, unless the distribution of blocks took its rate before.
  if (!gpu || known(run).empty()) at("after", run);
  const std::deque<ProductRates>& all = known(run);
  const bool shared =
      run.job.machine.oversubscribed() || (gpu && run.job.options.machine.share_device);
  set_attainable(result, {all.begin(), all.end()}, !shared);
}

}  // namespace hpl
