#pragma once

#include <cstdint>
#include <vector>

#include "hpcx/device.h"
#include "hpl/input/run_spec/run_spec.h"
#include "hpl/lu/grid/block_map.h"
#include "hpl/lu/grid/process_grid.h"

namespace hpl {

/// Every dimension of local storage is a multiple of it: GEMM leaves its fast kernels when a
/// dimension is odd, so the right-hand side rides along with a few columns of zeros.
inline constexpr std::int64_t kPadding = 16;

/// Shape of one process's part of [A|b], an order x (order + 1) matrix. Pure arithmetic.
struct LocalShape {
  RowMap rows;                                       ///< extent N
  ColumnMap columns;                                 ///< extent N + 1: column N is b
  std::int64_t local_rows = 0, local_columns = 0;    ///< what this process owns
  std::int64_t stored_rows = 0, stored_columns = 0;  ///< rounded up to kPadding, the rest is zero
  std::int64_t checksum_columns = 0;   ///< of the padding, first in it: not zero, but sums of rows
  std::int64_t leading_dimension = 0;  ///< of the row-major storage

  std::int64_t bytes() const { return 8 * stored_rows * leading_dimension; }
};
LocalShape local_shape(const RunSpec& spec, GridPosition position);
/// That of the process which has most.
LocalShape largest_local_shape(const RunSpec& spec);

/// At least `size`, a multiple of `alignment`, and neither a power of two nor a multiple of 256
/// where the alignment leaves the choice: neighbouring rows must not fall into one cache set.
std::int64_t padded_leading_dimension(std::int64_t size, std::int64_t alignment);

std::int64_t round_up(std::int64_t value, std::int64_t multiple);

/// This process's part of [A|b]: on the device, or, as far as it does not fit there, block columns
/// from the left in host memory, which visit the device in *slots*.
///
/// Stored by rows: the row exchanges of the factorization move contiguous memory, and
/// A22 -= L21 U12 becomes the GEMM form that is fastest (its first operand plain, its second
/// transposed) without any transposition. A block column in host memory and a slot have the same
/// rows, so that a copy of some of them is one of contiguous memory.
class DistributedMatrix {
 public:
  /// Allocates; throws hpcx::OutOfMemory. `visited_columns`, a multiple of NB, live in host memory
  /// and have so many slots.
  DistributedMatrix(hpcx::Device& device, const RunSpec& spec, GridPosition position,
                    std::int64_t visited_columns = 0, int slots = 0);

  const LocalShape& shape() const { return shape_; }
  std::int64_t order() const { return shape_.rows.extent(); }
  std::int64_t visited_columns() const { return visited_columns_; }
  /// stored_rows x stored_columns, RowMajor, in device memory, where all of it is there.
  hpcx::MatrixView view() const;
  /// Some columns that are always in device memory, all stored rows.
  hpcx::MatrixView resident(const ColumnRange& columns) const;
  /// Those that are.
  ColumnRange resident_columns() const {
    return {{visited_columns_}, shape_.stored_columns - visited_columns_};
  }
  /// A slot: stored_rows x `columns`, RowMajor, in device memory.
  hpcx::MatrixView slot(int number, std::int64_t columns) const;
  /// A visited block column, all stored rows, in host memory.
  hpcx::MatrixView visited(const ColumnRange& block_column) const;
  /// Some rows of a visited block column: from host memory to a slot, and back. Asynchronous.
  void load(hpcx::StreamRef stream, const ColumnRange& block_column, const RowRange& rows,
            int slot) const;
  void store(hpcx::StreamRef stream, const ColumnRange& block_column, const RowRange& rows,
             int slot) const;

  /// Fills the benchmark's random [A|b]; the padding becomes zero. Asynchronous.
  void generate(hpcx::StreamRef stream) const;
  /// The same of some columns only, into `destination` in device memory.
  void generate(hpcx::StreamRef stream, const ColumnRange& columns,
                hpcx::MatrixView destination) const;

  /// Bytes of the two memories.
  static std::int64_t resident_bytes(const LocalShape& shape, const RunSpec& spec,
                                     std::int64_t visited_columns);
  static std::int64_t block_column_bytes(const LocalShape& shape, const RunSpec& spec);

 private:
  LocalShape shape_;
  std::int64_t visited_columns_;
  std::int64_t resident_ld_, slot_ld_;
  hpcx::Buffer resident_;
  std::vector<hpcx::Buffer> slots_, visited_;
};

}  // namespace hpl
