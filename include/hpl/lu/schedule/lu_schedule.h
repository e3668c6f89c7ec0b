#pragma once

#include <cstdint>
#include <limits>

#include "hpl/input/run_spec/run_spec.h"
#include "hpl/lu/matrix/distributed_matrix.h"
#include "hpl/lu/schedule/schedule.h"

namespace hpl {

/// A part of the matrix that does not fit the device lives in host memory, block column by block
/// column from the left: the columns that are done first. A *visit* brings a block column, or a
/// part of it, to the device, applies all steps to it that it has missed, and takes it back. With s
/// steps a visit moves 16 bytes for 2 s NB operations.
struct VisitPolicy {
  /// Local columns that stay on the device, the last ones; the others are visited.
  std::int64_t resident_columns = std::numeric_limits<std::int64_t>::max();
  /// s, at least 1.
  int steps = 1;
  /// Columns of one visit, a divisor of NB; 0: NB. Fewer take less of the device's memory.
  std::int64_t columns = 0;
};

/// What may differ between two orders of the same factorization.
struct SchedulePolicy {
  /// Where the columns of the matrix are, and how often those in host memory are brought to the
  /// device.
  VisitPolicy visits;
  /// d: so many panels are factorized ahead of the tail update. HPL.dat's DEPTH.
  int look_ahead = 1;
  /// Most columns of the tail that are exchanged, solved and updated as one.
  std::int64_t chunk_columns = 4096;
  /// Steps to make, the rest is left out; 0: all.
  std::int64_t step_limit = 0;
  /// Steps whose work the host may enqueue before the device has finished the step before them.
  int host_ahead = 1;
};

/// More brings nothing, and costs a panel workspace each.
inline constexpr int kDeepestLookAhead = 8;

/// Chunks whose rows have been exchanged but which are not yet updated, at most.
inline constexpr int kExchangeBuffers = 3;

/// Panels that are in memory at once: one in use, and d ahead of it. Two at least, so that a panel
/// can arrive while the last one is still in use.
/// Visits of s steps need the last s panels.
int panel_workspaces(const SchedulePolicy& policy);

/// Local columns that live in host memory: whole block columns, and never that of b.
std::int64_t visited_columns(const LocalShape& shape, const SchedulePolicy& policy);
/// Columns of one visit, at most NB.
std::int64_t visit_columns(const LocalShape& shape, const SchedulePolicy& policy);
/// Places on the device for the columns of as many visits: two that are updated, one that comes and
/// one that goes, and the next panel's.
int visit_slots(const LocalShape& shape, const SchedulePolicy& policy);
/// All three of them.
VisitedPart visited_part(const LocalShape& shape, const SchedulePolicy& policy);

std::int64_t steps_to_make(const LocalShape& shape, const SchedulePolicy& policy);

/// The LU factorization of [A|b] with partial pivoting, as the process with this part of the matrix
/// carries it out. Pure: all processes of a row or column get the same order of what they do
/// together.
Schedule lu_schedule(const RunSpec& spec, const LocalShape& shape, const SchedulePolicy& policy);

}  // namespace hpl
