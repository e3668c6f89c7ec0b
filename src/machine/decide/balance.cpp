#include "hpl/machine/decide/balance.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include <fmt/format.h>

#include "hpl/lu/grid/block_map.h"
#include "hpl/lu/grid/process_grid.h"

namespace hpl {

namespace {

constexpr double kNone = std::numeric_limits<double>::infinity();

/// Process of each block, whether or not there are weights.
std::vector<int> owners(const RunSpec& spec, const std::vector<double>& weights, int processes) {
  const std::int64_t blocks = step_count(spec);
  std::vector<int> result = distribute_blocks(spec.order, spec.block_size, weights);
  for (std::int64_t block = std::ssize(result); block < blocks; ++block)
    result.push_back(static_cast<int>(block % processes));
  return result;
}

/// The time for which the busiest rank multiplies in the whole run, in blocks by rate.
double products_time(const RunSpec& spec, std::span<const double> rank_rates) {
  const std::vector<int> row_owners = owners(spec, spec.row_weights, spec.grid_rows);
  const std::vector<int> column_owners = owners(spec, spec.column_weights, spec.grid_columns);
  std::vector<double> rows(static_cast<std::size_t>(spec.grid_rows), 0);
  std::vector<double> columns(static_cast<std::size_t>(spec.grid_columns), 0);
  std::vector<double> work(rank_rates.size(), 0);
  std::vector<GridPosition> positions;
  for (int rank = 0; rank < std::ssize(rank_rates); ++rank)
    positions.push_back(grid_position(rank, spec.grid_rows, spec.grid_columns, spec.rank_order));
  // From the last step on: each works on what the steps after it leave, and one block more.
  for (std::size_t step = row_owners.size(); step-- > 0;) {
    for (std::size_t rank = 0; rank < work.size(); ++rank)
      work[rank] += rows[positions[rank].row] * columns[positions[rank].column];
    const auto begin = static_cast<std::int64_t>(step) * spec.block_size;
    const double part = static_cast<double>(std::min(spec.block_size, spec.order - begin)) /
                        static_cast<double>(spec.block_size);
    rows[row_owners[step]] += part;
    columns[column_owners[step]] += part;
  }
  double longest = 0;
  for (std::size_t rank = 0; rank < work.size(); ++rank)
    longest = std::max(longest, work[rank] / rank_rates[rank]);
  return longest;
}

}  // namespace

void distribute_evenly(RunSpec& spec) {
  spec.row_weights.assign(spec.grid_rows, 1.0);
  spec.column_weights.assign(spec.grid_columns, 1.0);
}

void distribute_by_rates(RunSpec& spec, std::span<const double> rank_rates) {
  std::vector<double> columns(static_cast<std::size_t>(spec.grid_columns), kNone);
  std::vector<double> rows(static_cast<std::size_t>(spec.grid_rows), kNone);
  const auto for_all_ranks = [&](const auto& action) {
    for (int rank = 0; rank < std::ssize(rank_rates); ++rank) {
      const GridPosition at =
          grid_position(rank, spec.grid_rows, spec.grid_columns, spec.rank_order);
      action(rows[at.row], columns[at.column], rank_rates[rank]);
    }
  };
  for_all_ranks([](double&, double& column, double rate) { column = std::min(column, rate); });
  for_all_ranks(
      [](double& row, double& column, double rate) { row = std::min(row, rate / column); });
  spec.row_weights = std::move(rows);
  spec.column_weights = std::move(columns);
}

std::string describe_distribution(const RunSpec& spec, std::span<const double> rank_rates) {
  constexpr int kListed = 16;
  const auto in_words = [&](const std::vector<double>& weights, int processes) {
    const std::vector<std::int64_t> blocks =
        block_counts(owners(spec, weights, processes), processes);
    if (processes <= kListed) return fmt::format("{}", fmt::join(blocks, ", "));
    const auto [least, most] = std::ranges::minmax(blocks);
    return fmt::format("{} to {} each", least, most);
  };
  RunSpec round_robin = spec;
  round_robin.row_weights.clear();
  round_robin.column_weights.clear();
  const double longer =
      products_time(round_robin, rank_rates) / products_time(spec, rank_rates) - 1;
  return fmt::format(
      "blocks distributed by the ranks' rates of matrix products: {} to the process columns, {} to "
      "the process rows; round-robin, the slowest rank's products would take {:.1f} % longer",
      in_words(spec.column_weights, spec.grid_columns), in_words(spec.row_weights, spec.grid_rows),
      100 * longer);
}

}  // namespace hpl
