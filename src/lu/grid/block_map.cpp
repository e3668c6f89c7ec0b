#include "hpl/lu/grid/block_map.h"

#include <algorithm>
#include <cmath>

#include "hpl/base/error/error.h"

namespace hpl {

namespace {

/// The excess of a process over its share of the rows or columns distributed so far (`above`), and
/// the sum of that over all blocks so far (`sum`), in parts of one.
struct Standing {
  std::int64_t share = 0;  ///< of each row or column
  std::int64_t above = 0;
  std::int64_t sum = 0;

  /// The process with the largest claim gets the next block. The sum counts a quarter: with more
  /// weight single steps are unbalanced, with less the sum grows.
  std::int64_t claim() const { return -(4 * above + sum); }
};

/// Shares are whole numbers, so that every rank comes to the same distribution, however its
/// processor rounds.
std::vector<Standing> standings(const std::vector<double>& weights) {
  constexpr double kResolution = 1e6;
  const double largest = *std::ranges::max_element(weights);
  std::vector<Standing> result;
  for (const double weight : weights)
    result.push_back(
        {.share = std::max<std::int64_t>(1, std::llround(kResolution * weight / largest))});
  return result;
}

}  // namespace

std::vector<int> distribute_blocks(std::int64_t extent, std::int64_t block,
                                   const std::vector<double>& weights) {
  if (weights.size() < 2) return {};
  std::vector<Standing> processes = standings(weights);
  std::int64_t one = 0;
  for (const Standing& process : processes)
    one += process.share;
  std::vector<int> owners(static_cast<std::size_t>((extent + block - 1) / block));
  // From the last block on.
  for (std::int64_t begin = (std::ssize(owners) - 1) * block; begin >= 0; begin -= block) {
    const std::int64_t size = std::min(block, extent - begin);
    for (Standing& process : processes)
      process.above -= process.share * size;
    const auto next = std::ranges::max_element(processes, {}, &Standing::claim);
    next->above += one * size;
    for (Standing& process : processes)
      process.sum += process.above;
    owners[static_cast<std::size_t>(begin / block)] = static_cast<int>(next - processes.begin());
  }
  return owners;
}

std::vector<std::int64_t> block_counts(const std::vector<int>& owners, int processes) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(processes), 0);
  for (const int owner : owners)
    ++counts[static_cast<std::size_t>(owner)];
  return counts;
}

template <Axis axis>
BlockMap<axis>::BlockMap(const BlockCyclic<axis>& round_robin, std::vector<int> owners)
    : round_robin_(round_robin) {
  if (owners.empty()) return;
  HPL_ASSERT(std::ssize(owners) == (extent() + block() - 1) / block());
  Table table{.owners = std::move(owners)};
  std::int64_t count = 0;
  for (const int owner : table.owners) {
    table.before.push_back(count);
    if (owner == rank()) ++count;
  }
  table.before.push_back(count);
  table_ = std::make_shared<const Table>(std::move(table));
}

template <Axis axis>
int BlockMap<axis>::owner(GlobalIndex<axis> global) const {
  if (table_ == nullptr) return round_robin_.owner(global);
  return table_->owners[static_cast<std::size_t>(global.value / block())];
}

template <Axis axis>
LocalIndex<axis> BlockMap<axis>::lower_bound(GlobalIndex<axis> global) const {
  if (table_ == nullptr) return round_robin_.lower_bound(global);
  const auto number = static_cast<std::size_t>(global.value / block());
  if (number >= table_->owners.size()) return {table_->before.back() * block()};
  const bool within = table_->owners[number] == rank();
  return {table_->before[number] * block() + (within ? global.value % block() : 0)};
}

template <Axis axis>
GlobalIndex<axis> BlockMap<axis>::to_global(LocalIndex<axis> local) const {
  if (table_ == nullptr) return round_robin_.to_global(local);
  // This process's block with that local number.
  const auto& before = table_->before;
  const auto after = std::upper_bound(before.begin(), before.end() - 1, local.value / block());
  return {(after - before.begin() - 1) * block() + local.value % block()};
}

template <Axis axis>
std::vector<typename BlockMap<axis>::Run> BlockMap<axis>::runs() const {
  if (table_ == nullptr) return {{{0}, round_robin_.local_extent(), round_robin_.index_map()}};
  std::vector<Run> runs;
  for (std::size_t number = 0; number < table_->owners.size(); ++number) {
    if (table_->owners[number] != rank()) continue;
    const std::int64_t begin = static_cast<std::int64_t>(number) * block();
    runs.push_back(
        {lower_bound({begin}), std::min(block(), extent() - begin), {block(), block(), begin}});
  }
  return runs;
}

template class BlockMap<Axis::Row>;
template class BlockMap<Axis::Column>;

}  // namespace hpl
