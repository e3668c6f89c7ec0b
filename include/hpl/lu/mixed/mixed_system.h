#pragma once

#include <cstdint>
#include <vector>

#include "hpcx/device.h"
#include "hpcx/mixed.h"
#include "hpl/base/number/memory_account.h"
#include "hpl/base/result/verification.h"
#include "hpl/lu/grid/process_grid.h"
#include "hpl/lu/matrix/distributed_matrix.h"
#include "hpl/lu/mixed/mixed_rule.h"
#include "hpl/lu/pipeline/stage_streams.h"

namespace hpl {

/// A x = b of HPL-MxP on the processes of a grid: 2^e A in few bits, where it is factorized, and A
/// as a rule in FP64, by which products make it anew. Vectors have all elements, on every rank.
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
  const std::vector<double>& right_side() const { return rule_.right_side; }

  /// A x. Collective over the grid.
  std::vector<double> product(const std::vector<double>& x) const;
  /// ||A||_oo, of each process's first `most_rows` rows. Collective over the grid.
  double norm(std::int64_t most_rows) const;
  /// Judges a solution as the rules do. NaN or infinity anywhere makes it fail. Collective over the
  /// grid.
  Residual verify(const std::vector<double>& x, double threshold) const;

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
  /// Numbers in device memory by local row, summed over the process row, by global row.
  std::vector<double> by_global_row(const double* values, std::int64_t rows) const;
  std::vector<double> row_sums(std::int64_t most_rows, bool diagonal) const;
  void generate();

  MixedRule rule_;
  int exponent_ = 0;
  hpcx::Buffer matrix_;
  hpcx::Buffer diagonal_;  // of a dominant matrix, by global row
  hpcx::Buffer x_, y_;     // by global column; by local row
};

/// The most rows whose sums a norm is estimated by.
inline constexpr std::int64_t kRowsOfNorm = 256;

}  // namespace hpl
