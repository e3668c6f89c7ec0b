#pragma once

#include <cstdint>

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
  /// Those elements of x that belong to visited columns, and of y that go with them, in host
  /// memory.
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

/// Solves U x = y after the factorization; U and the transformed right-hand side y are in the
/// matrix (the work of netlib's HPL_pdtrsv). Goes block by block from the last: the process row of
/// a block adds up what its processes subtract from y, the owner of the diagonal block solves and
/// sends x along its process column. The host reads U of visited columns in host memory: copying it
/// to the device would take as long and need device memory. Collective over the grid; returns when
/// x is complete. U must have no zero on its diagonal.
void back_substitute(hpcx::StreamRef stream, hpcx::StreamRef host, const ProcessGrid& grid,
                     const DistributedMatrix& matrix, const mpi::WaitPolicy& wait,
                     const DistributedSolution& x);

}  // namespace hpl
