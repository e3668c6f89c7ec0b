#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "hpcx/device.h"
#include "hpl/base/number/memory_account.h"
#include "hpl/comm/mpi/wait_policy.h"
#include "hpl/lu/grid/process_grid.h"
#include "hpl/lu/matrix/distributed_matrix.h"

namespace hpl {

/// The solution x of A x = b, distributed like the columns of A: every process of a process column
/// holds the elements of its local columns. Also owns the memory that back substitution needs, so
/// that it is allocated before the clock runs.
class DistributedSolution {
 public:
  /// `visited_columns`: of the matrix, see DistributedMatrix.
  DistributedSolution(hpcx::Device& device, const LocalShape& shape,
                      std::int64_t visited_columns = 0);

  /// Bytes that it allocates.
  static MemoryBytes bytes(const LocalShape& shape, std::int64_t visited_columns,
                           bool shares_host_memory);

  /// In device memory.
  hpcx::VectorView view() const { return {memory_.as<double>(), size_, 1}; }
  /// y, the right-hand side that back substitution subtracts from: by local rows, in device memory.
  hpcx::VectorView right_side() const { return {right_side_.as<double>(), rows_, 1}; }
  /// In host memory: the elements of x that belong to visited columns; the host's part of y, by
  /// local rows.
  hpcx::VectorView visited_view() const { return {visited_.as<double>(), visited_columns_, 1}; }
  hpcx::VectorView visited_right_side() const {
    return {visited_.as<double>() + visited_columns_, visited_columns_ == 0 ? 0 : rows_, 1};
  }
  /// A message in the host's memory, of up to NB elements: one for each process of the row, and
  /// one for x.
  double* message(int which) const { return messages_.as<double>() + which * block_; }

 private:
  std::int64_t size_, rows_, block_, visited_columns_;
  hpcx::Buffer memory_, right_side_, messages_, visited_;
};

/// [A|b] on the processes of a grid, and its solution.
struct SystemParts {
  const ProcessGrid& grid;
  const DistributedMatrix& matrix;
  const DistributedSolution& x;
};

/// The reading of U of visited columns if device and host have memories of their own.
struct SubstitutionPolicy {
  /// The device takes a part of it over the link; else it reads all of it in place, in host memory.
  bool over_link = false;
  /// The device's part, which is fixed then; empty: device and host take what they come to, so the
  /// order of sums follows the time of day.
  std::optional<double> link_share = {};
};
/// Over the link where host and device have memories of their own; with a fixed share where results
/// are to be the same bit for bit. `host_threads`: that read U.
SubstitutionPolicy substitution_policy(bool shares_host_memory, bool reproducible,
                                       int host_threads);

struct SubstitutionStreams {
  hpcx::StreamRef device;
  hpcx::StreamRef load;  ///< of the device, for copies from host memory
  hpcx::StreamRef host;  ///< of the device that the host is
};

/// Solves U x = y once; U and the transformed right-hand side y are in the matrix after the
/// factorization (the work of netlib's HPL_pdtrsv). Goes block by block from the last: the process
/// row of a block adds up what its processes subtract from y, the owner of the diagonal block
/// solves and sends x along its process column. U of visited columns is read by host and device
/// together: the device has what the next step waits for.
class BackSubstitution {
 public:
  /// The parts of the system must outlive it; nothing is read yet.
  BackSubstitution(const SubstitutionStreams& streams, const SystemParts& system,
                   const mpi::WaitPolicy& wait, const SubstitutionPolicy& policy = {});
  ~BackSubstitution();
  BackSubstitution(const BackSubstitution&) = delete;
  BackSubstitution& operator=(const BackSubstitution&) = delete;

  /// Enqueues copies of U of visited columns in the load stream, as far as the slots hold it and
  /// the updates of resident columns leave time. Visited columns must be final in host memory for
  /// what is behind the stream's tasks; none may visit any more. Returns at once. May be left out.
  void load_ahead();
  /// Collective over the grid; returns when x is complete. U must have no zero on its diagonal.
  void run();

 private:
  class Solver;
  std::unique_ptr<Solver> solver_;
};

}  // namespace hpl
