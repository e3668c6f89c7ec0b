#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "hpl/base/result/verification.h"
#include "hpl/lu/pipeline/factorization.h"
#include "hpl/lu/solve/back_substitution.h"

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

/// Choices for the solution of a system.
struct SolverSetup {
  hpcx::Device& device;  ///< of the factorization
  hpcx::Device& host;    ///< see FactorizationContext
  StageTransports transports;
  PipelineKind pipeline;
  PipelineSettings settings;
  SubstitutionPolicy substitution = {};
  std::function<void(const StepRecord&)> on_step = {};  ///< see FactorizationContext
};

/// Factorization and back substitution of a system, with all memory, connections and library
/// handles of theirs: they are there before the clock runs.
class SystemSolver {
 public:
  /// Collective over the grid.
  SystemSolver(LinearSystem& system, const SolverSetup& setup, JobControl& control,
               Recorder& recorder);

  /// Collective over the grid, as the next.
  void factorize() { hpl::factorize(pipeline_, stages_, control_); }
  /// After a factorization to its end, without a zero pivot.
  void substitute() { substitution_.run(); }

  const Stages& stages() const { return stages_; }
  /// The factorization has gone to its end, and has met no zero pivot.
  bool factorized() const;

 private:
  JobControl& control_;
  PipelineKind pipeline_;
  hpcx::Stream host_;
  BackSubstitution substitution_;
  Stages stages_;
};

}  // namespace hpl
