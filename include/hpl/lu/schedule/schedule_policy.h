#pragma once

#include <cstdint>

#include "hpl/base/choice/choices.h"
#include "hpl/input/run_spec/run_spec.h"
#include "hpl/lu/matrix/distributed_matrix.h"
#include "hpl/lu/schedule/visits.h"

namespace hpl {

/// Choices that differ between two orders of the same factorization.
struct SchedulePolicy {
  /// The place of the matrix's columns, and the visits of those in host memory to the device.
  VisitPolicy visits;
  /// d: so many panels are factorized ahead of the tail update. HPL.dat's DEPTH.
  int look_ahead = 1;
  /// Most columns of the tail that are exchanged, solved and updated as one.
  std::int64_t chunk_columns = 4096;
  /// As the tail gets narrower, so do the chunks: it is to have so many, as long as none is
  /// narrower than `least_chunk_columns`.
  int chunks_of_tail = 1;
  std::int64_t least_chunk_columns = 1;
  /// Steps to make, the rest is left out; 0: all.
  std::int64_t step_limit = 0;
  /// Steps whose work the host may enqueue before the device has finished the step before them.
  int host_ahead = 1;
  /// The host's cores take part in the updates of columns in host memory.
  bool host_takes_part = false;
  /// Block columns that are ahead of the tail are updated by the worker that fetches them, before
  /// other columns are exchanged and solved: the next panel waits for them. One process column, and
  /// no columns in host memory.
  bool fetcher_updates = false;
};

/// Most columns of a chunk of a tail with so many local columns of blocks of NB. Pure.
std::int64_t chunk_width(const SchedulePolicy& policy, std::int64_t tail_columns,
                         std::int64_t block_size);
/// Of the widest chunk of all steps.
std::int64_t widest_chunk(const LocalShape& shape, const SchedulePolicy& policy);

/// Sets the widths of chunks that xhpl chooses. On processors: wide enough that a product packs its
/// operands for little, narrow enough that exchange and update of different chunks overlap. A GPU
/// wants wider ones; where there are other ranks to wait for, four in every tail, so that the rows
/// of one are exchanged and solved beside the products of the others, until they become too narrow
/// for products at full rate. Pure.
void choose_chunks(SchedulePolicy& policy, ProcessorKind kind, int ranks);

/// SchedulePolicy::fetcher_updates of a run: where the device makes its panels and no other process
/// column waits for them. The emulated product has no workspace that two streams could use at once,
/// and checksums follow the tail. Pure.
bool fetcher_updates(const RunSpec& spec, const SchedulePolicy& policy, bool device_panel);

/// More brings nothing, and costs a panel workspace each.
inline constexpr int kDeepestLookAhead = 8;

/// Chunks whose rows have been exchanged but which are not yet updated, at most.
inline constexpr int kExchangeBuffers = 3;

/// Panels that are in memory at once: those in use, one or as many as a visit has steps, and d
/// ahead of them. Two at least, so that a panel can arrive while the last one is still in use.
int panel_workspaces(const SchedulePolicy& policy);

std::int64_t steps_to_make(const LocalShape& shape, const SchedulePolicy& policy);

}  // namespace hpl
