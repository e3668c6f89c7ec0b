#include "hpl/lu/update/tail_chunks.h"

#include <algorithm>

namespace hpl {

std::vector<ColumnRange> tail_chunks(const LocalShape& shape, LocalColumn begin,
                                     std::int64_t most_columns) {
  std::vector<ColumnRange> chunks;
  const std::int64_t columns = shape.stored_columns - begin.value;
  const std::int64_t block = shape.columns.block();
  const std::int64_t blocks = (columns + block - 1) / block;
  const std::int64_t most_blocks = std::max<std::int64_t>(1, most_columns / block);
  const std::int64_t count = (blocks + most_blocks - 1) / most_blocks;
  for (std::int64_t c = 0; c < count; ++c) {
    const std::int64_t first = blocks * c / count * block;
    const std::int64_t last = std::min(blocks * (c + 1) / count * block, columns);
    chunks.push_back({{begin.value + first}, last - first});
  }
  return chunks;
}

std::int64_t widest_chunk(const LocalShape& shape, std::int64_t most_columns) {
  const std::int64_t block = shape.columns.block();
  const std::int64_t whole_blocks = std::max<std::int64_t>(1, most_columns / block) * block;
  return std::min(whole_blocks, shape.stored_columns);
}

}  // namespace hpl
