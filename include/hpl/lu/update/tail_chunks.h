#pragma once

#include <cstdint>
#include <vector>

#include "hpl/lu/matrix/distributed_matrix.h"

namespace hpl {

/// The columns from `begin` to the end of the storage, in equal chunks of whole blocks, none wider
/// than `most_columns` (at least one block). The last chunk holds b and padding. Pure; the same on
/// all processes of a process column.
std::vector<ColumnRange> tail_chunks(const LocalShape& shape, LocalColumn begin,
                                     std::int64_t most_columns);

/// The widest chunk that tail_chunks makes of this shape for `most_columns`.
std::int64_t widest_chunk(const LocalShape& shape, std::int64_t most_columns);

}  // namespace hpl
