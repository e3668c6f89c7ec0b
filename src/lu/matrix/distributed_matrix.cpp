#include "hpl/lu/matrix/distributed_matrix.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace hpl {

std::int64_t round_up(std::int64_t value, std::int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

std::int64_t padded_leading_dimension(std::int64_t size, std::int64_t alignment) {
  const auto unlucky = [alignment](std::int64_t ld) {
    return std::has_single_bit(static_cast<std::uint64_t>(ld)) ||
           (alignment % 256 != 0 && ld % 256 == 0);
  };
  // One is a power of two as well; nothing smaller than the padding is ever stored.
  std::int64_t ld = round_up(std::max(size, kPadding), alignment);
  while (unlucky(ld))
    ld += alignment;
  return ld;
}

namespace {

/// The process with most of the rows or columns: of equals the one that has the last block, where
/// that is whole and b may come on top, and one that has not where it is partial.
int with_most(const std::vector<int>& owners, int processes, bool last_is_whole) {
  if (owners.empty()) return 0;  // in turn
  const std::vector<std::int64_t> counts = block_counts(owners, processes);
  int most = owners.back();
  for (int process = 0; process < processes; ++process) {
    const std::int64_t more =
        counts[static_cast<std::size_t>(process)] - counts[static_cast<std::size_t>(most)];
    if (more > 0 || (more == 0 && most == owners.back() && !last_is_whole)) most = process;
  }
  return most;
}

}  // namespace

LocalShape local_shape(const RunSpec& spec, GridPosition position) {
  const std::int64_t blocks = step_count(spec);
  std::vector<int> owner_columns = distribute_blocks(blocks, spec.column_weights);
  // Where b is alone in a block, that goes with the one before.
  if (!owner_columns.empty() && spec.order % spec.block_size == 0)
    owner_columns.push_back(owner_columns.back());
  LocalShape shape{
      .rows = RowMap({spec.order, spec.block_size, spec.grid_rows, position.row},
                     distribute_blocks(blocks, spec.row_weights)),
      .columns = ColumnMap({spec.order + 1, spec.block_size, spec.grid_columns, position.column},
                           std::move(owner_columns)),
  };
  shape.local_rows = shape.rows.local_extent();
  shape.local_columns = shape.columns.local_extent();
  shape.stored_rows = round_up(shape.local_rows, kPadding);
  shape.checksum_columns = spec.checksums ? 1 : 0;
  shape.stored_columns = round_up(shape.local_columns + shape.checksum_columns, kPadding);
  shape.leading_dimension = padded_leading_dimension(shape.stored_columns, spec.alignment);
  return shape;
}

LocalShape largest_local_shape(const RunSpec& spec) {
  const std::int64_t blocks = step_count(spec);
  const bool whole = spec.order % spec.block_size == 0;
  return local_shape(
      spec, {with_most(distribute_blocks(blocks, spec.row_weights), spec.grid_rows, whole),
             with_most(distribute_blocks(blocks, spec.column_weights), spec.grid_columns, whole)});
}

DistributedMatrix::DistributedMatrix(hpcx::Device& device, const RunSpec& spec,
                                     GridPosition position)
    : shape_(local_shape(spec, position)),
      memory_(device.allocate(static_cast<std::size_t>(shape_.bytes()))),
      view_{memory_.as<double>(), shape_.stored_rows, shape_.stored_columns,
            shape_.leading_dimension, hpcx::Layout::RowMajor} {}

void DistributedMatrix::generate(hpcx::StreamRef stream) const {
  hpcx::Kernels& kernels = stream.device().kernels();
  const auto& [rows, columns, m, n, stored_m, stored_n, checksums, ld] = shape_;
  const std::vector<ColumnMap::Run> column_runs = columns.runs();
  for (const RowMap::Run& row : rows.runs())
    for (const ColumnMap::Run& column : column_runs)
      kernels.generate(stream, order(), row.map, column.map,
                       view_.block(row.begin.value, column.begin.value, row.count, column.count));
  kernels.fill(stream, 0.0, view_.block(0, n, m, stored_n - n));
  kernels.fill(stream, 0.0, view_.row_range(m, stored_m - m));
}

}  // namespace hpl
