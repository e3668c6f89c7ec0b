#pragma once

#include <cstdint>
#include <vector>

#include "hpl/comm/mpi/schedule.h"
#include "hpl/input/run_spec/run_spec.h"

namespace hpl {

/// Rings forward in segments of this length unless told otherwise: long enough for full bandwidth,
/// short enough that the last process of a ring is only a few of them behind the first.
inline constexpr std::int64_t kDefaultSegmentBytes = std::int64_t{1} << 20;

/// The members of a broadcast, and the bytes that travel.
struct BroadcastShape {
  int rank = 0;            ///< the rank of the part, 0 <= rank < size
  int root = 0;            ///< the owner of the data at the start, 0 <= root < size
  int size = 1;            ///< processes of the row
  std::int64_t bytes = 0;  ///< length of the message
  std::int64_t segment_bytes =
      kDefaultSegmentBytes;  ///< of the rings; rounded up to a multiple of 8
};

/// One rank's part in broadcasting a message of `shape.bytes` from `shape.root` along a process
/// row. Pure. Every process receives each byte exactly once and nothing is empty; the receives may
/// be posted early. The variants are those of netlib HPL (src/comm/HPL_1ring.c, HPL_1rinM.c,
/// HPL_2ring.c, HPL_2rinM.c, HPL_blong.c, HPL_blonM.c). Below, d is the distance (rank - root) mod
/// size: 0 is the root, 1 owns the next panel.
///
/// Ring1: one ring; each process sends once, the last hears last.
///
///     0 -> 1 -> 2 -> 3 -> 4 -> 5
///
/// Ring1M: the next panel's owner gets its copy first, alone, and forwards nothing: it goes on to
/// factorize.
///
///     0 -> 1
///     0 -> 2 -> 3 -> 4 -> 5
///
/// Ring2: two rings of half the length; the second starts at d = (size + 1) / 2.
///
///     0 -> 1 -> 2
///     0 -> 3 -> 4 -> 5
///
/// Ring2M: first d = 1 alone, then two rings over the rest; the second starts at d = size / 2 + 1.
///
///     0 -> 1
///     0 -> 2 -> 3
///     0 -> 4 -> 5
///
/// Long: spread, then roll. The message is cut into one piece a process. Spread: a binomial tree
/// hands every process its own piece (a process that passes on the pieces of its subtree keeps
/// them). Roll: the pieces go round the ring, size - 1 steps, each process handing on what came
/// last; what the receiver holds is not sent again. Nobody sends more than about twice the message,
/// whatever the size of the row: best for long messages.
///
///     spread  0 -[4..5]-> 4, 0 -[2..3]-> 2, 0 -[1]-> 1, then 4 -[5]-> 5, 2 -[3]-> 3
///     roll    0 -> 1 -> 2 -> 3 -> 4 -> 5, in step t process d sends piece (d - t + 1) mod size
///
/// LongM: first the whole message to d = 1, then Long over the others.
///
///     0 -> 1
///     Long over 0, 2, 3, 4, 5
mpi::Schedule broadcast_schedule(BroadcastVariant variant, const BroadcastShape& shape);

/// The other ranks of a row of `size` that `rank` sends to or receives from in broadcasts of this
/// variant, from whichever root; ascending. Long names those at a distance of a power of two: about
/// 2 log2(size) of them. Pure.
std::vector<int> broadcast_peers(BroadcastVariant variant, int rank, int size);

/// A short message by the shortest path: a binomial tree, ceil(log2(size)) hops. Pure; as above.
mpi::Schedule tree_schedule(const BroadcastShape& shape);

}  // namespace hpl
