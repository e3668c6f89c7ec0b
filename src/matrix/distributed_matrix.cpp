#include "hpl/matrix/distributed_matrix.h"

#include <algorithm>
#include <bit>

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

LocalShape local_shape(const RunSpec& spec, GridPosition position) {
  LocalShape shape{
      .rows = {spec.order, spec.block_size, spec.grid_rows, position.row},
      .columns = {{spec.order + 1, spec.block_size, spec.grid_columns, position.column},
                  spec.column_weights},
  };
  shape.local_rows = shape.rows.local_extent();
  shape.local_columns = shape.columns.local_extent();
  shape.stored_rows = round_up(shape.local_rows, kPadding);
  shape.checksum_columns = spec.checksums ? 1 : 0;
  shape.stored_columns = round_up(shape.local_columns + shape.checksum_columns, kPadding);
  shape.leading_dimension = padded_leading_dimension(shape.stored_columns, spec.alignment);
  return shape;
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
  for (const ColumnMap::Run& run : columns.runs())
    kernels.generate(stream, order(), rows.index_map(), run.map,
                     view_.block(0, run.begin.value, m, run.count));
  kernels.fill(stream, 0.0, view_.block(0, n, m, stored_n - n));
  kernels.fill(stream, 0.0, view_.row_range(m, stored_m - m));
}

}  // namespace hpl
