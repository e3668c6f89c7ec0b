#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hpcx/device.h"
#include "hpcx/host_memory.h"
#include "hpl/base/number/memory_account.h"
#include "hpl/input/run_spec/run_spec.h"
#include "hpl/lu/grid/block_map.h"
#include "hpl/lu/grid/process_grid.h"

namespace hpl {

/// Every dimension of local storage is a multiple of it. A GEMM with an odd dimension leaves its
/// fast kernels, so b is stored with a few columns of zeros beside it.
inline constexpr std::int64_t kPadding = 16;

/// Shape of one process's part of [A|b], an order x (order + 1) matrix; of HPL-MxP: of A. Pure
/// arithmetic.
struct LocalShape {
  RowMap rows;                                       ///< extent N
  ColumnMap columns;                                 ///< extent N + 1: column N is b; of HPL-MxP: N
  std::int64_t local_rows = 0, local_columns = 0;    ///< owned by this process
  std::int64_t stored_rows = 0, stored_columns = 0;  ///< rounded up to kPadding, the rest is zero
  std::int64_t checksum_columns = 0;                 ///< first columns of the padding: sums of rows
  std::int64_t leading_dimension = 0;                ///< of the row-major storage
  std::int64_t element_bytes = 8;

  std::int64_t bytes() const { return element_bytes * stored_rows * leading_dimension; }
};
LocalShape local_shape(const RunSpec& spec, GridPosition position);
/// The shape of the process with the largest part.
LocalShape largest_local_shape(const RunSpec& spec);

/// The smallest multiple of `alignment` that is at least `size`, no power of two and, where the
/// alignment leaves the choice, no multiple of 256: neighbouring rows must not share a cache set.
std::int64_t padded_leading_dimension(std::int64_t size, std::int64_t alignment);

std::int64_t round_up(std::int64_t value, std::int64_t multiple);

/// The part of a process's columns that lives in host memory.
struct VisitedPart {
  std::int64_t columns = 0;       ///< the first ones, a multiple of NB
  std::int64_t slot_columns = 0;  ///< width of a slot, a divisor of NB
  int slots = 0;
};

/// This process's part of [A|b]: on the device, or, as far as it does not fit there, block columns
/// from the left in host memory, which visit the device in *slots*.
///
/// Stored by rows: the row exchanges of the factorization move contiguous memory, and
/// A22 -= L21 U12 becomes the GEMM form that is fastest (its first operand plain, its second
/// transposed) without any transposition.
class DistributedMatrix {
 public:
  /// Allocates; throws hpcx::OutOfMemory. `host` says how to hold the visited part: sizes that it
  /// leaves open are chosen here.
  DistributedMatrix(hpcx::Device& device, const RunSpec& spec, GridPosition position,
                    const VisitedPart& visited = {}, hpcx::HostMemorySpec host = {});

  const LocalShape& shape() const { return shape_; }
  std::int64_t order() const { return shape_.rows.extent(); }
  std::int64_t visited_columns() const { return visited_part_.columns; }
  /// The visited columns, cut to the width of slots, from the left.
  std::vector<ColumnRange> visits() const;
  /// The memory of the visited part.
  const hpcx::HostMemory& host_memory() const { return visited_; }
  /// The whole part: stored_rows x stored_columns, RowMajor. Only where nothing is visited.
  hpcx::MatrixView view() const;
  /// Columns that are always in device memory, all stored rows.
  hpcx::MatrixView resident(const ColumnRange& columns) const;
  /// All columns that are always in device memory.
  ColumnRange resident_columns() const {
    return {{visited_columns()}, shape_.stored_columns - visited_columns()};
  }
  /// A slot: stored_rows x `columns`, RowMajor, in device memory.
  hpcx::MatrixView slot(int number, std::int64_t columns) const;
  /// Visited columns of one block column, all stored rows, in host memory.
  hpcx::MatrixView visited(const ColumnRange& columns) const;
  /// Some rows of visited columns: from host memory to a slot, and back. Asynchronous.
  void load(hpcx::StreamRef stream, const ColumnRange& columns, const RowRange& rows,
            int slot) const;
  void store(hpcx::StreamRef stream, const ColumnRange& columns, const RowRange& rows,
             int slot) const;
  /// Some rows of visited columns of one block column to anywhere in device memory, by rows.
  /// Asynchronous.
  void load(hpcx::StreamRef stream, const ColumnRange& columns, const RowRange& rows,
            hpcx::MatrixView destination) const;
  /// The memory of all slots as lines of a block column, at least as many as a diagonal block has:
  /// for whoever knows that no column visits.
  hpcx::MatrixView slot_memory() const;
  /// A diagonal block to host memory, from device memory in any layout. Asynchronous; one stream
  /// alone may do so.
  void store_diagonal(hpcx::StreamRef stream, const ColumnRange& block_column, const RowRange& rows,
                      hpcx::ConstMatrixView block) const;

  /// Fills the benchmark's random [A|b]; the padding becomes zero. Asynchronous.
  void generate(hpcx::StreamRef stream) const;
  /// Fills only `columns` of it, into `destination` in device memory.
  void generate(hpcx::StreamRef stream, const ColumnRange& columns,
                hpcx::MatrixView destination) const;

  static MemoryBytes bytes(const LocalShape& shape, const RunSpec& spec,
                           const VisitedPart& visited);

 private:
  LocalShape shape_;
  VisitedPart visited_part_;
  std::int64_t resident_ld_, slot_ld_, visited_ld_;
  hpcx::Buffer resident_, diagonal_, slots_;
  hpcx::HostMemory visited_;  // block column by block column
};

}  // namespace hpl
