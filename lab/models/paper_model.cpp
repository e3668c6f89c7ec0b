#include "paper_model.h"

#include <algorithm>
#include <cmath>

#include "hpl/base/error/error.h"

namespace hpl::models {

// The symbols are those of the paper.
PaperSeconds paper_seconds(const RunSpec& spec, GridShape tile, const Rates& rates,
                           const PaperCoefficients& open) {
  if (spec.mixed)
    throw ConfigError("--paper: its equations are those of HPL, with pivots, not of HPL-MxP");
  const auto n = static_cast<double>(spec.order);
  const auto block = static_cast<double>(spec.block_size);
  const int p = spec.grid_rows, q = spec.grid_columns;
  const double log_p = std::ceil(std::log2(p)), log_q = std::ceil(std::log2(q));
  const auto link = [&](Neighbours neighbours, int processes, int in_node) {
    return processes == 1 ? nullptr
                          : rates.link(neighbours, processes <= in_node ? LinkPlace::InNode
                                                                        : LinkPlace::BetweenNodes);
  };
  const LinkRates* row = link(Neighbours::Row, q, tile.columns);
  const LinkRates* column = link(Neighbours::Column, p, tile.rows);
  // L_ats, and what a message of so many bytes takes beyond it.
  const auto latency = [](const LinkRates& l) { return l.seconds.values().front(); };
  const auto transfer = [&](const LinkRates& l, double bytes) {
    return std::max(0.0, l.seconds_for(bytes) - latency(l));
  };

  const double share = rates.product_share(spec.block_size);
  PaperSeconds sum;
  for (double first = 0; first < n; first += block) {
    const double nb = std::min(block, n - first);
    const double mp = (n - first) / p, nq = (n - first) / q;
    const double p_acc_e_dgemm = 1e9 * rates.product_gflops.at({mp, nq, nb}) * share;
    const double p_cpu_e_cpu = 1e9 * rates.host_gflops.value_or(0);
    const double p_acc_e_dtrsm = open.solve_share > 0 ? open.solve_share * p_acc_e_dgemm
                                                      : 1e9 * rates.solve_gflops.at({nq, nb});
    // (2)
    sum.factorization += open.factorization * mp * nb * nb / (p_cpu_e_cpu + p_acc_e_dgemm);
    // (3)
    if (row != nullptr)
      sum.broadcast +=
          log_q * (latency(*row) + open.broadcast * transfer(*row, 8 * (nb * nb + mp * nb)));
    // (4)
    if (column != nullptr)
      sum.swap += (log_p + p - 1) * latency(*column) + open.swap * transfer(*column, 8 * nb * nq);
    // (5)
    sum.product += 2 * mp * nq * nb / p_acc_e_dgemm;
    sum.solve += nq * nb * nb / p_acc_e_dtrsm;
  }
  return sum;
}

}  // namespace hpl::models
