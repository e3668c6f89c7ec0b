#pragma once

#include <cstdint>

#include "hpcx/device.h"
#include "hpl/grid/process_grid.h"
#include "hpl/matrix/distributed_matrix.h"
#include "hpl/mpi/wait_policy.h"

namespace hpl {

/// The solution x of A x = b, distributed like the columns of A: every process of a process column
/// holds the elements that belong to its local columns.
class DistributedSolution {
 public:
  DistributedSolution(hpcx::Device& device, const LocalShape& shape)
      : size_(shape.columns.lower_bound({shape.rows.extent()}).value),
        memory_(device.allocate(static_cast<std::size_t>(8 * size_))) {}

  /// In device memory.
  hpcx::VectorView view() const { return {memory_.as<double>(), size_, 1}; }

 private:
  std::int64_t size_;
  hpcx::Buffer memory_;
};

/// Solves U x = y after the factorization, where U and the transformed right-hand side y stand in
/// the matrix (the work of netlib's HPL_pdtrsv). Block by block from the last: the process row of a
/// block adds up what its processes subtract from y, the owner of the diagonal block solves, and
/// hands x down its process column. Collective over the grid; returns when x is complete. U must
/// have no zero on its diagonal.
void back_substitute(hpcx::StreamRef stream, const ProcessGrid& grid,
                     const DistributedMatrix& matrix, const mpi::WaitPolicy& wait,
                     const DistributedSolution& x);

}  // namespace hpl
