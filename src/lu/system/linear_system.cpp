#include "hpl/lu/system/linear_system.h"

#include <utility>

#include "hpl/lu/matrix/step_geometry.h"
#include "hpl/lu/solve/solution_hash.h"
#include "hpl/lu/verify/residual.h"

namespace hpl {

LinearSystem::LinearSystem(hpcx::Device& on, const mpi::Communicator& ranks, const RunSpec& run,
                           SystemMemory memory)
    : device(on),
      spec(run),
      grid(ranks, spec.grid_rows, spec.grid_columns, spec.rank_order),
      visited(visited_part(local_shape(spec, grid.position()), memory.visits)),
      matrix(device, spec, grid.position(), visited, std::move(memory.visited_part)),
      x(device, matrix.shape(), visited.columns),
      streams(device, visited.columns > 0) {
  matrix.generate(streams.update);
  streams.update.ref().synchronize();
}

void LinearSystem::carry_checksums(std::int64_t interval, const SchedulePolicy& schedule) {
  checksums.emplace(device, matrix, ChecksumRule{interval, spec.emulated_moduli}, schedule);
  checksums->begin(streams.update);
  streams.update.ref().synchronize();
}

Residual LinearSystem::verify() const {
  return verify_solution(device, parts(), spec.threshold);
}

std::uint64_t LinearSystem::solution_hash() const {
  return hpl::solution_hash(streams.panel, parts());
}

}  // namespace hpl
