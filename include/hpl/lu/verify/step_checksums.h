#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hpcx/device.h"
#include "hpl/base/number/memory_account.h"
#include "hpl/base/result/verification.h"
#include "hpl/lu/matrix/distributed_matrix.h"
#include "hpl/lu/matrix/step_geometry.h"
#include "hpl/lu/schedule/schedule_policy.h"

namespace hpl {

/// The comparisons of StepChecksums.
struct ChecksumRule {
  std::int64_t interval = 1;  ///< steps between two
  int emulated_moduli = 0;    ///< of the tail update, see RunSpec
};

/// Finds silent errors in the factorization of one process (algorithm-based fault tolerance after
/// Huang and Abraham, IEEE Trans. Comput. C-33, 1984).
///
/// A column c of the padding holds the sum of each local row of [A|b]. It is treated like any other
/// column: exchanged with its row, solved and updated with the tail. So but for rounding it stays
/// the sum of the row's columns right of the panel, as long as every result is right:
///
///     c2 - L21 L11^-1 c1 = (A22 - L21 U12) e + (A21 - L21 U11) e,    the last term being 0
///
/// A21 and U11 are on the process column that owns the panel only; a wrong L21 shows there.
/// Carrying c costs nothing. A comparison reads the tail once, every `interval` steps. Two errors
/// are not seen: a panel that arrives wrong in another process column, where the sums agree with
/// it, and rows of U that change after their step.
class StepChecksums {
 public:
  /// For a matrix whose spec asks for checksums. Compares after every `interval` steps, and after
  /// the last of the policy's steps that leaves this process a part of the tail: rows below the
  /// panel, with columns right of it.
  StepChecksums(hpcx::Device& device, const DistributedMatrix& matrix, const ChecksumRule& rule,
                const SchedulePolicy& policy);

  /// Memory that this takes beside the matrix.
  static MemoryBytes bytes(const LocalShape& shape, int panels, bool shares_host_memory);

  /// Sums up the matrix as it is. Asynchronous.
  void begin(hpcx::StreamRef stream);

  /// Call for all columns of a step, in any order, in the stream of the updates, right after the
  /// panel in workspace `panel` has updated them. `stored`: these columns, all stored rows, on the
  /// device. Asynchronous; does nothing in most steps.
  void updated(hpcx::StreamRef stream, const StepGeometry& geometry, const ColumnRange& chunk,
               hpcx::ConstMatrixView stored, int panel);

  /// The first disagreement, without its rank. Wait for the stream first, as for comparisons().
  const std::optional<ChecksumFault>& fault() const { return fault_; }
  /// Comparisons of sums in steps before `end`, up to the first disagreement. Empty if no step
  /// leaves this process a part of the tail.
  std::optional<std::int64_t> comparisons(std::int64_t end) const;

 private:
  bool has_tail(const StepGeometry& geometry) const;
  bool due(const StepGeometry& geometry) const;
  void compare(const StepGeometry& geometry, std::int64_t first_step);
  void add_to_scale(const double* sums, std::int64_t count);
  double* sums(int panel) const { return sums_.as<double>() + panel * matrix_.shape().stored_rows; }
  double* carried(int panel) const {
    return carried_.as<double>() + panel * matrix_.shape().stored_rows;
  }
  hpcx::ConstVectorView ones(std::int64_t columns) const {
    return {ones_.as<double>(), columns, 1};
  }

  const DistributedMatrix& matrix_;
  ChecksumRule rule_;
  std::int64_t steps_;
  std::int64_t next_step_ = 0;  // the first that has not been compared yet
  hpcx::Buffer ones_;
  hpcx::Buffer carried_, sums_;       // by panel: what c says; of the columns updated so far
  hpcx::Buffer host_;                 // sums, then what was carried
  std::vector<std::int64_t> summed_;  // by panel: columns so far
  double scale_ = 1;                  // largest sum so far: rounding grows with it
  std::optional<ChecksumFault> fault_;
  std::vector<std::int64_t> compared_;  // steps, up to the fault
};

/// The largest difference that rounding makes between the carried and the made sum of a row.
/// `largest_sum`: the largest sum of a row of the matrix so far, in magnitude. Pure.
double checksum_tolerance(std::int64_t order, double largest_sum, int emulated_moduli);

/// Steps between two comparisons for which reading the tail takes between 0.4 and 1.3 % of the
/// products' time.
std::int64_t checksum_interval(std::int64_t block_size);

}  // namespace hpl
