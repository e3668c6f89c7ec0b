#include "hpl/plan/attainable_rate.h"

#include <algorithm>
#include <functional>
#include <iostream>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include "hpl/base/number/statistics.h"

namespace hpl {

namespace {

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// A product of this machine: not larger than memory and patience allow.
ProductShape within_bounds(const TailProducts& products, const Machine& machine) {
  ProductShape shape = products.shape;
  // Deeper products run at the same rate, but a single one could take minutes.
  constexpr std::int64_t kDeepest = 4096;
  // Smaller ones tell little of a machine.
  constexpr std::int64_t kSmallest = 1024;
  shape.rows = std::max(shape.rows, kSmallest);
  shape.columns = std::max(shape.columns, kSmallest);
  shape.depth = std::clamp<std::int64_t>(shape.depth, 1, kDeepest);
  // A quarter of a second of a core, at most; C of a GPU takes 8 GiB. Processors emulate by plain
  // loops.
  const double flops_of_a_thread = products.emulated_moduli > 0 ? 2e8 : 1e10;
  const double most_flops = machine.kind() == ProcessorKind::Gpu
                                ? 2.0 * static_cast<double>(shape.depth) * 0x1p30
                                : flops_of_a_thread * machine.device().properties().compute_units;
  return shape.within(machine.memory().bytes / 4 / 8, most_flops);
}

/// The rates of all ranks in the stretch in which they reached most together. Ranks begin each
/// together: where they share cores, none is measured while the others rest.
std::vector<double> best_together(const mpi::Communicator& ranks, ProductTrial& trial) {
  constexpr int kStretches = 5;
  constexpr double kSeconds = 0.06;
  std::vector<double> best;
  for (int stretch = 0; stretch < kStretches; ++stretch) {
    ranks.barrier();
    std::vector<double> rates = ranks.all_gather(trial.rates(0, kSeconds).front());
    if (sum(rates) > sum(best)) best = std::move(rates);
  }
  return best;
}

}  // namespace

TailProducts tail_products(const RunSpec& spec, const RunSettings& settings) {
  const LocalShape shape = largest_local_shape(spec);
  return {.shape = {.rows = shape.stored_rows,
                    .columns = widest_chunk(shape, settings.stages.schedule),
                    .depth = std::min(spec.block_size, spec.order)},
          .in_one_thread = settings.pipeline == PipelineKind::Serial,
          .emulated_moduli = spec.emulated_moduli,
          .mixed = spec.mixed};
}

double ProductRates::sum() const {
  return hpl::sum(gflops);
}

std::vector<double> measure_products(const Machine& machine, const mpi::Communicator& ranks,
                                     const TailProducts& products, Accuracy accuracy,
                                     const LiveView& view) {
  const bool gpu = machine.kind() == ProcessorKind::Gpu;
  const double seconds = accuracy == Accuracy::Attainable ? 5 : 0.5;
  StatusLine line(std::cerr, ranks.rank() == 0 ? view : LiveView());
  line.show(gpu ? fmt::format("measuring products for {:g} s ...", seconds)
                : "measuring products for some seconds ...");
  std::optional<Machine::HostLease> lease;
  if (products.in_one_thread) lease.emplace(machine);
  const ProductShape shape = within_bounds(products, machine);
  ProductTrial trial =
      products.mixed ? ProductTrial(machine.device(), shape, *products.mixed)
                     : ProductTrial(machine.device(), shape, {.moduli = products.emulated_moduli});
  if (!gpu) return best_together(ranks, trial);
  ranks.barrier();
  return ranks.all_gather(mean_of_later_half(trial.rates(seconds, 0.1)));
}

void set_attainable(RunResult& run, const std::vector<ProductRates>& alone, bool own_processors) {
  run.attainable_rates.clear();
  run.rank_attainable_gflops.clear();
  for (const ProductRates& rates : alone) {
    run.attainable_rates.push_back({rates.source, rates.sum()});
    if (rates.sum() > sum(run.rank_attainable_gflops)) run.rank_attainable_gflops = rates.gflops;
  }
  const bool all_had_products =
      !run.rank_gflops.empty() &&
      std::ranges::all_of(run.rank_gflops, [](double rate) { return rate > 0; });
  if (own_processors && all_had_products)
    run.attainable_rates.push_back({{.moment = RateSource::Moment::InRun}, sum(run.rank_gflops)});
  // Threads that wait for the end of a product have other work in a run, and none alone.
  const auto below = [&](const SeenRate& seen) { return seen.gflops < run.gflops; };
  if (std::ranges::all_of(run.attainable_rates, below))
    run.attainable_rates.push_back({{.moment = RateSource::Moment::WholeRun}, run.gflops});
  std::ranges::stable_sort(run.attainable_rates, std::greater{}, &SeenRate::gflops);
  run.attainable_gflops = run.attainable_rates.front().gflops;
}

}  // namespace hpl
