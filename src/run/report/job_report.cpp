#include "hpl/run/report/job_report.h"

#include <algorithm>

#include "hpl/base/record/record.h"

namespace hpl {
namespace {

template <typename T>
void append_new(std::vector<T>& values, T value) {
  if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
}

}  // namespace

ParameterBlock parameter_block(std::span<const RunSpec> plan) {
  ParameterBlock block;
  std::vector<std::pair<int, int>> grids;
  for (const RunSpec& spec : plan) {
    append_new(block.orders, spec.order);
    append_new(block.block_sizes, spec.block_size);
    append_new(grids, {spec.grid_rows, spec.grid_columns});
    append_new(block.panel_variants, spec.panel_variant);
    append_new(block.recursion_stops, spec.recursion_stop);
    append_new(block.recursion_divisors, spec.recursion_divisor);
    append_new(block.recursive_variants, spec.recursive_variant);
    append_new(block.broadcasts, spec.broadcast);
    append_new(block.depths, spec.depth);
  }
  for (const auto& [rows, columns] : grids) {
    block.grid_rows.push_back(rows);
    block.grid_columns.push_back(columns);
  }
  if (!plan.empty()) {
    const RunSpec& first = plan.front();
    block.rank_order = first.rank_order;
    block.swap = first.swap;
    block.swap_threshold = first.swap_threshold;
    block.transposed_l1 = first.transposed_l1;
    block.transposed_u = first.transposed_u;
    block.equilibrate = first.equilibrate;
    block.alignment = first.alignment;
    block.mixed = first.mixed;
    block.threshold = first.threshold;
  }
  return block;
}

}  // namespace hpl
