#include "hpl/app/balance.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "hpl/grid/column_map.h"
#include "hpl/grid/process_grid.h"

namespace hpl {

std::vector<double> column_rates(const RunSpec& spec, std::span<const double> rank_rates) {
  std::vector<double> rates(static_cast<std::size_t>(spec.grid_columns),
                            std::numeric_limits<double>::infinity());
  for (int rank = 0; rank < std::ssize(rank_rates); ++rank) {
    const GridPosition at = grid_position(rank, spec.grid_rows, spec.grid_columns, spec.rank_order);
    double& rate = rates[static_cast<std::size_t>(at.column)];
    rate = std::min(rate, rank_rates[static_cast<std::size_t>(rank)]);
  }
  return rates;
}

std::string describe_deal(const RunSpec& spec) {
  std::vector<int> blocks(spec.column_weights.size(), 0);
  for (const int owner :
       deal_blocks((spec.order + spec.block_size) / spec.block_size, spec.column_weights))
    ++blocks[static_cast<std::size_t>(owner)];
  std::vector<std::string> rates;
  for (const double rate : spec.column_weights)
    rates.push_back(fmt::format("{:.4e}", rate));
  return fmt::format(
      "block columns of the process columns: {}, by their slowest ranks' GFLOP/s of matrix "
      "products: "
      "{}",
      fmt::join(blocks, ", "), fmt::join(rates, ", "));
}

}  // namespace hpl
