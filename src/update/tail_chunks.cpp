#include "hpl/update/tail_chunks.h"

#include <algorithm>

namespace hpl {

std::vector<Chunk> tail_chunks(const LocalShape& shape, std::int64_t step, bool look_ahead,
                               std::int64_t most_columns) {
  std::vector<Chunk> chunks;
  const StepGeometry g = step_geometry(shape, step);
  std::int64_t begin = g.tail_begin.value, columns = g.tail_columns;
  if (columns == 0) return chunks;
  if (look_ahead && step + 1 < step_count(shape)) {
    const StepGeometry next = step_geometry(shape, step + 1);
    if (next.on_owner_column) {
      chunks.push_back({{begin}, next.width, true});
      begin += next.width;
      columns -= next.width;
    }
  }
  if (columns == 0) return chunks;
  const std::int64_t block = shape.columns.block();
  const std::int64_t blocks = (columns + block - 1) / block;
  const std::int64_t most_blocks = std::max<std::int64_t>(1, most_columns / block);
  const std::int64_t count = (blocks + most_blocks - 1) / most_blocks;
  for (std::int64_t c = 0; c < count; ++c) {
    const std::int64_t first = blocks * c / count * block;
    const std::int64_t last = std::min(blocks * (c + 1) / count * block, columns);
    chunks.push_back({{begin + first}, last - first, false});
  }
  return chunks;
}

std::int64_t widest_chunk(const LocalShape& shape, std::int64_t most_columns) {
  const std::int64_t block = shape.columns.block();
  const std::int64_t whole_blocks = std::max<std::int64_t>(1, most_columns / block) * block;
  return std::min(whole_blocks, shape.stored_columns);
}

}  // namespace hpl
