#pragma once

#include <cstdint>
#include <vector>

#include "hpl/matrix/step_geometry.h"

namespace hpl {

/// Columns of the tail that are swapped and updated together.
struct Chunk {
  LocalColumn begin;
  std::int64_t columns = 0;
  bool look_ahead = false;  ///< the next panel's columns: done first, then factorized meanwhile
};

/// The tail of a step in the order in which it is updated: with `look_ahead` the columns of the
/// next panel first (on the process column that owns them), then the rest in equal chunks of whole
/// blocks, none wider than `most_columns` (at least one block). The last chunk holds b and padding.
/// Pure; the same on all processes of a process column.
std::vector<Chunk> tail_chunks(const LocalShape& shape, std::int64_t step, bool look_ahead,
                               std::int64_t most_columns);

/// The widest chunk that tail_chunks makes of this shape for `most_columns`.
std::int64_t widest_chunk(const LocalShape& shape, std::int64_t most_columns);

}  // namespace hpl
