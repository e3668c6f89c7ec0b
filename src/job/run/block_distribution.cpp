#include "block_distribution.h"

#include "hpl/job/setup/balance.h"

namespace hpl {

namespace {

bool fits_everywhere(const PlannedRun& run, const RunSpec& spec) {
  const bool here = run.fits_in_memory(spec, run.settings());
  return run.ranks.all_reduce(here ? 1 : 0, mpi::Reduce::Min) == 1;
}

}  // namespace

BlockDistribution choose_distribution(const PlannedRun& run, MeasuredRates& rates) {
  BlockDistribution chosen{run.spec(), {}};
  const BalanceRequest request = choose_balance(run.job.options, chosen.spec, run.job.gpu());
  if (request == BalanceRequest::Off) return chosen;
  if (request == BalanceRequest::Rates) {
    const std::vector<double>& gflops = rates.before(run).gflops;
    distribute_by_rates(chosen.spec, gflops);
    if (run.job.root()) chosen.remark = describe_distribution(chosen.spec, gflops);
    if (fits_everywhere(run, chosen.spec)) return chosen;
    chosen.remark = "blocks distributed evenly: in proportion to rates they do not fit into memory";
  }
  distribute_evenly(chosen.spec);
  if (fits_everywhere(run, chosen.spec)) return chosen;
  return {run.spec(), "blocks distributed round-robin: otherwise they do not fit into memory"};
}

}  // namespace hpl
