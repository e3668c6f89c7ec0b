#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hpcx/device.h"
#include "hpcx/mixed.h"
#include "hpl/base/number/memory_account.h"
#include "hpl/base/result/verification.h"
#include "hpl/lu/grid/process_grid.h"
#include "hpl/lu/matrix/distributed_matrix.h"
#include "hpl/lu/matrix/step_geometry.h"
#include "hpl/lu/mixed/mixed_rule.h"
#include "hpl/lu/system/stage_streams.h"

namespace hpl {

/// A x = b of HPL-MxP on the processes of a grid: 2^e A in few bits, where it is factorized, and A
/// as a rule in FP64, by which products make it anew. Vectors are distributed like the rows of A: a
/// process has the elements of its local rows, the same as all of its process row.
class MixedSystem {
 public:
  /// Allocates and generates. Collective over `ranks`, exactly P x Q of them; `run.mixed` is set,
  /// and the device has mixed_precision().
  MixedSystem(hpcx::Device& device, const mpi::Communicator& ranks, const RunSpec& run);
  MixedSystem(const MixedSystem&) = delete;
  MixedSystem& operator=(const MixedSystem&) = delete;

  /// Device memory that it allocates.
  static MemoryAccount memory(const LocalShape& shape, const MixedSpec& spec,
                              bool shares_host_memory);

  /// Some of the stored matrix.
  hpcx::MixedView local(const RowRange& rows, const ColumnRange& columns) const;
  /// e: 2^e A is stored.
  int exponent() const { return exponent_; }
  const std::vector<double>& right_side() const { return right_side_; }

  /// y := A x. Collective over the grid.
  void product(std::span<const double> x, std::span<double> y) const;
  /// Completes a vector of which each process has the elements of its diagonal blocks. Collective
  /// over the process row.
  void spread(std::span<double> vector) const;
  /// ||A||_oo, of each process's first `most_rows` rows. Collective over the grid.
  double norm(std::int64_t most_rows) const;
  /// Judges a solution as the rules do. NaN or infinity anywhere makes it fail. Collective over the
  /// grid.
  Residual verify(std::span<const double> x, double threshold) const;

  hpcx::Device& device;
  hpcx::MixedPrecision& arithmetic;
  const RunSpec spec;
  const ProcessGrid grid;
  const LocalShape shape;
  const StageStreams streams;

 private:
  /// For each piece of local rows and columns that one index map covers.
  template <class Body>
  void for_each_tile(Body body) const;
  /// The first elements of y_, summed over the process row.
  void sum_over_row(std::span<double> sums) const;
  /// Sums of magnitudes in the first local rows, over the whole rows.
  std::vector<double> row_sums(std::int64_t most_rows, bool diagonal) const;
  void generate();

  /// The part of a vector that belongs to a block of local rows or columns.
  struct BlockPart {
    StepGeometry block;
    int owner = 0;          ///< process of the line with the diagonal block
    std::size_t place = 0;  ///< of the part in a vector that is sorted by owner
  };
  /// The parts along a process row, or column.
  struct LineParts {
    std::vector<BlockPart> parts;
    std::vector<std::int64_t> counts;  ///< elements by owner
    std::size_t elements = 0;
  };
  static LineParts line_parts(const LocalShape& shape, Axis axis);

  MixedRule rule_;
  std::vector<double> right_side_;
  LineParts row_parts_, column_parts_;
  int exponent_ = 0;
  hpcx::Buffer matrix_;
  hpcx::Buffer diagonal_;  // of a dominant matrix, by global row
  hpcx::Buffer x_, y_;     // by global column; by local row
  hpcx::Buffer exchange_;  // pinned: a vector on its way along a line of processes
};

/// The most rows whose sums a norm is estimated by.
inline constexpr std::int64_t kRowsOfNorm = 256;

}  // namespace hpl
