#include "hpl/lu/schedule/schedule_policy.h"

#include <algorithm>

#include "hpl/lu/matrix/step_geometry.h"
#include "hpl/lu/update/tail_chunks.h"

namespace hpl {

std::int64_t chunk_width(const SchedulePolicy& policy, std::int64_t tail_columns,
                         std::int64_t block_size) {
  if (policy.chunks_of_tail == 1) return policy.chunk_columns;
  const std::int64_t parts = policy.chunks_of_tail * block_size;
  const std::int64_t wanted = (tail_columns + parts - 1) / parts * block_size;
  return std::min(policy.chunk_columns, std::max(policy.least_chunk_columns, wanted));
}

std::int64_t widest_chunk(const LocalShape& shape, const SchedulePolicy& policy) {
  return widest_chunk(shape, chunk_width(policy, shape.stored_columns, shape.columns.block()));
}

void choose_chunks(SchedulePolicy& policy, ProcessorKind kind, int ranks) {
  const bool gpu = kind == ProcessorKind::Gpu;
  policy.chunk_columns = gpu ? 32768 : 4096;
  policy.chunks_of_tail = gpu && ranks > 1 ? 4 : 1;
  policy.least_chunk_columns = gpu ? 8192 : 1;
}

bool fetcher_updates(const RunSpec& spec, const SchedulePolicy& policy, bool device_panel) {
  return device_panel && spec.grid_columns == 1 && spec.emulated_moduli == 0 && !spec.checksums &&
         visited_part(largest_local_shape(spec), policy.visits).columns == 0;
}

int panel_workspaces(const SchedulePolicy& policy) {
  return std::max(2, policy.look_ahead + policy.visits.steps);
}

std::int64_t steps_to_make(const LocalShape& shape, const SchedulePolicy& policy) {
  const std::int64_t all = step_count(shape);
  return policy.step_limit > 0 ? std::min(policy.step_limit, all) : all;
}

}  // namespace hpl
