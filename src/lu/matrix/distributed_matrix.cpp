#include "hpl/lu/matrix/distributed_matrix.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "hpl/base/error/error.h"

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

namespace {

std::int64_t resident_leading_dimension(const LocalShape& shape, const RunSpec& spec,
                                        std::int64_t visited_columns) {
  return visited_columns == 0
             ? shape.leading_dimension
             : padded_leading_dimension(shape.stored_columns - visited_columns, spec.alignment);
}

std::int64_t slot_leading_dimension(const RunSpec& spec) {
  return padded_leading_dimension(spec.block_size, spec.alignment);
}

}  // namespace

std::int64_t DistributedMatrix::resident_bytes(const LocalShape& shape, const RunSpec& spec,
                                               std::int64_t visited_columns) {
  return 8 * shape.stored_rows * resident_leading_dimension(shape, spec, visited_columns);
}

std::int64_t DistributedMatrix::block_column_bytes(const LocalShape& shape, const RunSpec& spec) {
  return 8 * shape.stored_rows * slot_leading_dimension(spec);
}

DistributedMatrix::DistributedMatrix(hpcx::Device& device, const RunSpec& spec,
                                     GridPosition position, std::int64_t visited_columns, int slots)
    : shape_(local_shape(spec, position)),
      visited_columns_(visited_columns),
      resident_ld_(resident_leading_dimension(shape_, spec, visited_columns)),
      slot_ld_(slot_leading_dimension(spec)),
      resident_(device.allocate(
          static_cast<std::size_t>(resident_bytes(shape_, spec, visited_columns)))) {
  if (visited_columns == 0) return;
  const auto bytes = static_cast<std::size_t>(block_column_bytes(shape_, spec));
  for (int slot = 0; slot < slots; ++slot)
    slots_.push_back(device.allocate(bytes));
  for (std::int64_t column = 0; column < visited_columns; column += shape_.columns.block())
    visited_.push_back(device.allocate_pinned(bytes));
}

hpcx::MatrixView DistributedMatrix::view() const {
  HPL_ASSERT(visited_columns_ == 0);
  return resident(resident_columns());
}

hpcx::MatrixView DistributedMatrix::resident(const ColumnRange& columns) const {
  HPL_ASSERT(columns.begin.value >= visited_columns_);
  return {resident_.as<double>() + columns.begin.value - visited_columns_, shape_.stored_rows,
          columns.count, resident_ld_, hpcx::Layout::RowMajor};
}

hpcx::MatrixView DistributedMatrix::slot(int number, std::int64_t columns) const {
  return {slots_[static_cast<std::size_t>(number)].as<double>(), shape_.stored_rows, columns,
          slot_ld_, hpcx::Layout::RowMajor};
}

hpcx::MatrixView DistributedMatrix::visited(const ColumnRange& block_column) const {
  const auto block = static_cast<std::size_t>(block_column.begin.value / shape_.columns.block());
  return {visited_[block].as<double>(), shape_.stored_rows, block_column.count, slot_ld_,
          hpcx::Layout::RowMajor};
}

namespace {

void copy_rows(hpcx::StreamRef stream, const hpcx::MatrixView& from, const hpcx::MatrixView& to,
               const RowRange& rows) {
  const std::int64_t begin = from.offset(rows.begin.value, 0);
  stream.copy(to.data + begin, from.data + begin,
              static_cast<std::size_t>(8 * rows.count * from.ld));
}

}  // namespace

void DistributedMatrix::load(hpcx::StreamRef stream, const ColumnRange& block_column,
                             const RowRange& rows, int to) const {
  copy_rows(stream, visited(block_column), slot(to, block_column.count), rows);
}

void DistributedMatrix::store(hpcx::StreamRef stream, const ColumnRange& block_column,
                              const RowRange& rows, int from) const {
  copy_rows(stream, slot(from, block_column.count), visited(block_column), rows);
}

namespace {

/// That of the indices from `offset` on, which begins a block.
hpcx::IndexMap from_index(const hpcx::IndexMap& map, std::int64_t offset) {
  HPL_ASSERT(offset % map.block == 0);
  return {map.block, map.stride, map(offset)};
}

}  // namespace

void DistributedMatrix::generate(hpcx::StreamRef stream) const {
  const std::int64_t block = shape_.columns.block();
  for (std::int64_t begin = 0; begin < visited_columns_; begin += block) {
    const ColumnRange columns{{begin}, block};
    generate(stream, columns, slot(0, block));
    store(stream, columns, {{0}, shape_.stored_rows}, 0);
  }
  generate(stream, resident_columns(), resident(resident_columns()));
}

void DistributedMatrix::generate(hpcx::StreamRef stream, const ColumnRange& columns,
                                 hpcx::MatrixView destination) const {
  hpcx::Kernels& kernels = stream.device().kernels();
  const std::int64_t rows = shape_.local_rows;
  const std::int64_t end = std::min(columns.end(), shape_.local_columns);
  const std::vector<ColumnMap::Run> column_runs = shape_.columns.runs();
  for (const RowMap::Run& row : shape_.rows.runs())
    for (const ColumnMap::Run& run : column_runs) {
      // The part of the run that is asked for.
      const std::int64_t first = std::max(run.begin.value, columns.begin.value);
      const std::int64_t last = std::min(run.begin.value + run.count, end);
      if (first >= last) continue;
      kernels.generate(
          stream, order(), row.map, from_index(run.map, first - run.begin.value),
          destination.block(row.begin.value, first - columns.begin.value, row.count, last - first));
    }
  const std::int64_t filled = std::max<std::int64_t>(end - columns.begin.value, 0);
  kernels.fill(stream, 0.0, destination.block(0, filled, rows, columns.count - filled));
  kernels.fill(stream, 0.0, destination.row_range(rows, shape_.stored_rows - rows));
}

}  // namespace hpl
