#include <algorithm>
#include <cmath>

#include "cost_model.h"
#include "hpl/base/error/error.h"

namespace hpl {

// Shui, Yu, Wang, Tan: equations (2) to (5), with the symbols of the paper. Where its text leaves a
// coefficient open, PaperCoefficients has it.
Prediction predict_by_paper(const CostModel& costs, const PaperCoefficients& open) {
  const RunSpec& spec = costs.decided().spec;
  if (spec.mixed)
    throw ConfigError(
        "--model paper: its equations are those of HPL, with pivots; HPL-MxP has the models "
        "sampled and simulated");
  const Rates& rates = costs.rates();
  const auto n = static_cast<double>(spec.order);
  const auto block = static_cast<double>(spec.block_size);
  const int p = spec.grid_rows, q = spec.grid_columns;
  const double log_p = std::ceil(std::log2(p)), log_q = std::ceil(std::log2(q));
  const auto link = [&](Neighbours neighbours, int processes, int in_node) {
    return processes == 1 ? nullptr
                          : rates.link(neighbours, processes <= in_node ? LinkPlace::InNode
                                                                        : LinkPlace::BetweenNodes);
  };
  const GridShape tile = costs.decided().settings.tile;
  const LinkRates* row = link(Neighbours::Row, q, tile.columns);
  const LinkRates* column = link(Neighbours::Column, p, tile.rows);
  // L_ats, and what a message of so many bytes takes beyond it.
  const auto latency = [](const LinkRates& l) { return l.seconds.values().front(); };
  const auto transfer = [&](const LinkRates& l, double bytes) {
    return std::max(0.0, l.seconds_for(bytes) - latency(l));
  };

  const double share = rates.product_share(costs.decided().spec.block_size);
  Prediction sum;
  for (double first = 0; first < n; first += block) {
    const double nb = std::min(block, n - first);
    const double mp = (n - first) / p, nq = (n - first) / q;
    const double p_acc_e_dgemm = 1e9 * rates.product_gflops.at({mp, nq, nb}) * share;
    const double p_cpu_e_cpu = 1e9 * rates.host_gflops.value_or(0);
    const double p_acc_e_dtrsm = open.solve_share > 0 ? open.solve_share * p_acc_e_dgemm
                                                      : 1e9 * rates.solve_gflops.at({nq, nb});
    // (2)
    sum.busy[Phase::PanelFactorization] +=
        open.factorization * mp * nb * nb / (p_cpu_e_cpu + p_acc_e_dgemm);
    // (3)
    if (row != nullptr)
      sum.busy[Phase::PanelBroadcast] +=
          log_q * (latency(*row) + open.broadcast * transfer(*row, 8 * (nb * nb + mp * nb)));
    // (4)
    if (column != nullptr)
      sum.busy[Phase::RowSwap] +=
          (log_p + p - 1) * latency(*column) + open.swap * transfer(*column, 8 * nb * nq);
    // (5)
    sum.busy[Phase::Multiply] += 2 * mp * nq * nb / p_acc_e_dgemm;
    sum.busy[Phase::Solve] += nq * nb * nb / p_acc_e_dtrsm;
  }
  sum.exposed = sum.busy;
  for (const double seconds : sum.busy.seconds)
    sum.seconds += seconds;
  return sum;
}

}  // namespace hpl
