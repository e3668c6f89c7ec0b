#pragma once

#include <cstdint>
#include <optional>

#include "hpl/base/result/verification.h"
#include "hpl/lu/matrix/distributed_matrix.h"
#include "hpl/lu/solve/back_substitution.h"
#include "hpl/lu/system/stage_streams.h"
#include "hpl/lu/verify/step_checksums.h"

namespace hpl {

/// The place of the matrix of a system.
struct SystemMemory {
  VisitPolicy visits = {};              ///< of columns in host memory
  hpcx::HostMemorySpec visited_part{};  ///< memory of these
};

/// [A|b] on the processes of a grid, generated, with room for x.
class LinearSystem {
 public:
  /// Allocates and generates. Collective over `ranks`, exactly P x Q of them.
  LinearSystem(hpcx::Device& device, const mpi::Communicator& ranks, const RunSpec& run,
               SystemMemory memory);
  LinearSystem(const LinearSystem&) = delete;
  LinearSystem& operator=(const LinearSystem&) = delete;

  /// Checksums of the matrix as it is now, compared every `interval` steps.
  void carry_checksums(std::int64_t interval, const SchedulePolicy& schedule);

  /// See residual.h and solution_hash.h: of the solution in x. Collective over the grid.
  Residual verify() const;
  std::uint64_t solution_hash() const;

  const LocalShape& shape() const { return matrix.shape(); }
  SystemParts parts() const { return {grid, matrix, x}; }

  hpcx::Device& device;
  const RunSpec spec;
  const ProcessGrid grid;
  const VisitedPart visited;
  const DistributedMatrix matrix;
  const DistributedSolution x;
  const StageStreams streams;
  std::optional<StepChecksums> checksums;
};

}  // namespace hpl
