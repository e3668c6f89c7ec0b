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
  // Nothing narrower than the padding is ever stored.
  std::int64_t ld = round_up(std::max(size, kPadding), alignment);
  while (unlucky(ld))
    ld += alignment;
  return ld;
}

namespace {

/// The process with most rows or columns. Among equals: the owner of the last block where that is
/// whole, since b may be added to it; another one where the last block is partial.
int with_most(const std::vector<int>& owners, int processes, bool last_is_whole) {
  if (owners.empty()) return 0;  // round-robin
  const std::vector<std::int64_t> counts = block_counts(owners, processes);
  int most = owners.back();
  for (int process = 0; process < processes; ++process) {
    const std::int64_t more =
        counts[static_cast<std::size_t>(process)] - counts[static_cast<std::size_t>(most)];
    if (more > 0 || (more == 0 && most == owners.back() && !last_is_whole)) most = process;
  }
  return most;
}

/// Bytes that the rows of a matrix in few bits are multiples of: a cache line of a GPU.
constexpr std::int64_t kMixedAlignment = 128;

}  // namespace

LocalShape local_shape(const RunSpec& spec, GridPosition position) {
  std::vector<int> owner_columns =
      distribute_blocks(spec.order, spec.block_size, spec.column_weights);
  // Columns of HPL-MxP are those of A alone: b is no part of what is factorized in few bits.
  const std::int64_t columns = spec.order + (spec.mixed ? 0 : 1);
  // A b that would be alone in a block goes to the owner of the block before.
  if (!spec.mixed && !owner_columns.empty() && spec.order % spec.block_size == 0)
    owner_columns.push_back(owner_columns.back());
  LocalShape shape{
      .rows = RowMap({spec.order, spec.block_size, spec.grid_rows, position.row},
                     distribute_blocks(spec.order, spec.block_size, spec.row_weights)),
      .columns = ColumnMap({columns, spec.block_size, spec.grid_columns, position.column},
                           std::move(owner_columns)),
  };
  shape.local_rows = shape.rows.local_extent();
  shape.local_columns = shape.columns.local_extent();
  shape.stored_rows = round_up(shape.local_rows, kPadding);
  shape.checksum_columns = spec.checksums ? 1 : 0;
  shape.stored_columns = round_up(shape.local_columns + shape.checksum_columns, kPadding);
  std::int64_t alignment = spec.alignment;
  if (spec.mixed) {
    shape.element_bytes = hpcx::bytes_of(spec.mixed->storage);
    alignment = std::max<std::int64_t>(alignment, kMixedAlignment / shape.element_bytes);
  }
  shape.leading_dimension = padded_leading_dimension(shape.stored_columns, alignment);
  return shape;
}

LocalShape largest_local_shape(const RunSpec& spec) {
  const bool whole = spec.order % spec.block_size == 0;
  const auto most = [&](const std::vector<double>& weights, int processes) {
    return with_most(distribute_blocks(spec.order, spec.block_size, weights), processes, whole);
  };
  return local_shape(
      spec, {most(spec.row_weights, spec.grid_rows), most(spec.column_weights, spec.grid_columns)});
}

namespace {

std::int64_t resident_leading_dimension(const LocalShape& shape, const RunSpec& spec,
                                        std::int64_t visited_columns) {
  return visited_columns == 0
             ? shape.leading_dimension
             : padded_leading_dimension(shape.stored_columns - visited_columns, spec.alignment);
}

std::size_t bytes_of(std::int64_t elements) {
  return static_cast<std::size_t>(8 * elements);
}

}  // namespace

MemoryBytes DistributedMatrix::bytes(const LocalShape& shape, const RunSpec& spec,
                                     const VisitedPart& visited) {
  MemoryBytes bytes{
      8 * shape.stored_rows * resident_leading_dimension(shape, spec, visited.columns), 0};
  if (visited.columns == 0) return bytes;
  const std::int64_t block = spec.block_size;
  const std::int64_t slot =
      shape.stored_rows * padded_leading_dimension(visited.slot_columns, spec.alignment);
  bytes.device += 8 * (visited.slots * slot + block * block);
  bytes.host = visited.columns / block * 8 * shape.stored_rows *
               padded_leading_dimension(block, spec.alignment);
  return bytes;
}

namespace {

/// Pieces of it are large against a page and small against all of it, so that several threads pin,
/// and a limit that is reached leaves most of what was below it.
hpcx::HostMemorySpec with_sizes(hpcx::HostMemorySpec host, std::int64_t bytes) {
  constexpr std::size_t kMegabyte = std::size_t{1} << 20;
  host.bytes = static_cast<std::size_t>(bytes);
  if (host.piece_bytes == 0)
    host.piece_bytes = std::clamp(host.bytes / 16, kMegabyte, 2048 * kMegabyte);
  if (host.staging_bytes == 0) host.staging_bytes = 64 * kMegabyte;
  return host;
}

}  // namespace

DistributedMatrix::DistributedMatrix(hpcx::Device& device, const RunSpec& spec,
                                     GridPosition position, const VisitedPart& visited,
                                     hpcx::HostMemorySpec host)
    : shape_(local_shape(spec, position)),
      visited_part_(visited),
      resident_ld_(resident_leading_dimension(shape_, spec, visited.columns)),
      slot_ld_(padded_leading_dimension(visited.slot_columns, spec.alignment)),
      visited_ld_(padded_leading_dimension(spec.block_size, spec.alignment)),
      resident_(device.allocate(bytes_of(shape_.stored_rows * resident_ld_))) {
  if (visited.columns == 0) return;
  diagonal_ = device.allocate(bytes_of(spec.block_size * spec.block_size));
  slots_ = device.allocate(bytes_of(visited.slots * shape_.stored_rows * slot_ld_));
  visited_ =
      hpcx::HostMemory(device, with_sizes(std::move(host), bytes(shape_, spec, visited).host));
}

std::vector<ColumnRange> DistributedMatrix::visits() const {
  std::vector<ColumnRange> visits;
  for (std::int64_t c = 0; c < visited_columns(); c += visited_part_.slot_columns)
    visits.push_back({{c}, visited_part_.slot_columns});
  return visits;
}

hpcx::MatrixView DistributedMatrix::view() const {
  HPL_ASSERT(visited_columns() == 0);
  return resident(resident_columns());
}

hpcx::MatrixView DistributedMatrix::resident(const ColumnRange& columns) const {
  HPL_ASSERT(columns.begin.value >= visited_columns());
  const hpcx::MatrixView all{resident_.as<double>(), shape_.stored_rows, resident_columns().count,
                             resident_ld_, hpcx::Layout::RowMajor};
  return all.col_range(columns.begin.value - visited_columns(), columns.count);
}

hpcx::MatrixView DistributedMatrix::slot(int number, std::int64_t columns) const {
  return {slots_.as<double>() + number * shape_.stored_rows * slot_ld_, shape_.stored_rows, columns,
          slot_ld_, hpcx::Layout::RowMajor};
}

hpcx::MatrixView DistributedMatrix::slot_memory() const {
  const std::int64_t block = shape_.columns.block();
  const std::int64_t elements = visited_part_.slots * shape_.stored_rows * slot_ld_;
  return {slots_.as<double>(), elements / block, block, block, hpcx::Layout::RowMajor};
}

hpcx::MatrixView DistributedMatrix::visited(const ColumnRange& columns) const {
  const std::int64_t block = shape_.columns.block(), number = columns.begin.value / block;
  HPL_ASSERT(columns.end() <= std::min((number + 1) * block, visited_columns()));
  return {visited_.as<double>() + number * shape_.stored_rows * visited_ld_ +
              columns.begin.value % block,
          shape_.stored_rows, columns.count, visited_ld_, hpcx::Layout::RowMajor};
}

void DistributedMatrix::load(hpcx::StreamRef stream, const ColumnRange& columns,
                             const RowRange& rows, int to) const {
  load(stream, columns, rows, slot(to, columns.count).row_range(rows.begin.value, rows.count));
}

void DistributedMatrix::load(hpcx::StreamRef stream, const ColumnRange& columns,
                             const RowRange& rows, hpcx::MatrixView destination) const {
  visited_.load(stream, visited(columns).row_range(rows.begin.value, rows.count), destination);
}

void DistributedMatrix::store(hpcx::StreamRef stream, const ColumnRange& columns,
                              const RowRange& rows, int from) const {
  visited_.store(stream, slot(from, columns.count).row_range(rows.begin.value, rows.count),
                 visited(columns).row_range(rows.begin.value, rows.count));
}

void DistributedMatrix::store_diagonal(hpcx::StreamRef stream, const ColumnRange& block_column,
                                       const RowRange& rows, hpcx::ConstMatrixView block) const {
  const hpcx::MatrixView by_rows{diagonal_.as<double>(), rows.count, block_column.count,
                                 block_column.count, hpcx::Layout::RowMajor};
  stream.device().kernels().copy(stream, block, by_rows);
  visited_.store(stream, by_rows, visited(block_column).row_range(rows.begin.value, rows.count));
}

namespace {

/// The map of the indices from `offset` on; those within one block where `offset` is not its start.
hpcx::IndexMap from_index(const hpcx::IndexMap& map, std::int64_t offset) {
  return {map.block, map.stride, map(offset)};
}

}  // namespace

void DistributedMatrix::generate(hpcx::StreamRef stream) const {
  for (const ColumnRange& columns : visits()) {
    generate(stream, columns, slot(0, columns.count));
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
      // The part of the run within `columns`.
      const std::int64_t first = std::max(run.begin.value, columns.begin.value);
      const std::int64_t last = std::min(run.begin.value + run.count, end);
      if (first >= last) continue;
      kernels.generate(
          stream, {order(), row.map, from_index(run.map, first - run.begin.value)},
          destination.block(row.begin.value, first - columns.begin.value, row.count, last - first));
    }
  const std::int64_t filled = std::max<std::int64_t>(end - columns.begin.value, 0);
  kernels.fill(stream, 0.0, destination.block(0, filled, rows, columns.count - filled));
  kernels.fill(stream, 0.0, destination.row_range(rows, shape_.stored_rows - rows));
}

}  // namespace hpl
