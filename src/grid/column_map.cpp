#include "hpl/grid/column_map.h"

#include <algorithm>

#include "hpl/base/error.h"

namespace hpl {

std::vector<int> deal_blocks(std::int64_t blocks, const std::vector<double>& weights) {
  std::vector<int> owners(static_cast<std::size_t>(blocks));
  std::vector<double> counts(weights.size(), 0.0);
  // From the last one on, each to who would then be least above its share (Webster's method).
  for (auto owner = owners.rbegin(); owner != owners.rend(); ++owner) {
    std::size_t next = 0;
    for (std::size_t q = 1; q < weights.size(); ++q)
      if ((counts[q] + 0.5) / weights[q] < (counts[next] + 0.5) / weights[next]) next = q;
    ++counts[next];
    *owner = static_cast<int>(next);
  }
  return owners;
}

ColumnMap::ColumnMap(const BlockCyclic<Axis::Column>& in_turn, const std::vector<double>& weights)
    : in_turn_(in_turn) {
  if (weights.empty()) return;
  HPL_ASSERT(std::ssize(weights) == in_turn.processes);
  Table table{.owners = deal_blocks((in_turn.extent + in_turn.block - 1) / in_turn.block, weights)};
  std::int64_t count = 0;
  for (const int owner : table.owners) {
    table.before.push_back(count);
    if (owner == in_turn.rank) ++count;
  }
  table.before.push_back(count);
  table_ = std::make_shared<const Table>(std::move(table));
}

int ColumnMap::owner(GlobalColumn global) const {
  if (table_ == nullptr) return in_turn_.owner(global);
  return table_->owners[static_cast<std::size_t>(global.value / block())];
}

LocalColumn ColumnMap::lower_bound(GlobalColumn global) const {
  if (table_ == nullptr) return in_turn_.lower_bound(global);
  const auto number = static_cast<std::size_t>(global.value / block());
  if (number >= table_->owners.size()) return {table_->before.back() * block()};
  const bool within = table_->owners[number] == rank();
  return {table_->before[number] * block() + (within ? global.value % block() : 0)};
}

GlobalColumn ColumnMap::to_global(LocalColumn local) const {
  if (table_ == nullptr) return in_turn_.to_global(local);
  // The last block that no more than so many of this process's come before.
  const auto& before = table_->before;
  const auto after = std::upper_bound(before.begin(), before.end() - 1, local.value / block());
  return {(after - before.begin() - 1) * block() + local.value % block()};
}

std::vector<ColumnMap::Run> ColumnMap::runs() const {
  if (table_ == nullptr) return {{{0}, in_turn_.local_extent(), in_turn_.index_map()}};
  std::vector<Run> runs;
  for (std::size_t number = 0; number < table_->owners.size(); ++number) {
    if (table_->owners[number] != rank()) continue;
    const std::int64_t begin = static_cast<std::int64_t>(number) * block();
    runs.push_back({lower_bound({begin}),
                    std::min(block(), in_turn_.extent - begin),
                    {block(), block(), begin}});
  }
  return runs;
}

}  // namespace hpl
