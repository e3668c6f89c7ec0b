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

SystemSolver::SystemSolver(LinearSystem& system, const SolverSetup& setup, JobControl& control,
                           Recorder& recorder)
    : control_(control),
      pipeline_(setup.pipeline),
      host_(setup.host.create_stream(hpcx::Priority::High)),
      substitution_({.device = system.streams.panel,
                     .load = system.streams.load ? *system.streams.load : system.streams.panel,
                     .host = host_},
                    system.parts(), setup.settings.message_wait, setup.substitution),
      stages_({.device = setup.device,
               .host = setup.host,
               .grid = system.grid,
               .spec = system.spec,
               .matrix = system.matrix,
               .streams = system.streams,
               .transports = setup.transports,
               .settings = setup.settings,
               .checksums = system.checksums ? &*system.checksums : nullptr,
               .on_step = setup.on_step,
               .load_u = [this] { substitution_.load_ahead(); }},
              control, recorder) {}

bool SystemSolver::factorized() const {
  return stages_.steps() == step_count(stages_.context().matrix.shape()) &&
         !stages_.zero_pivot_column();
}

}  // namespace hpl
