#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hpl/comm/mpi/communicator.h"
#include "hpl/comm/mpi/wait_policy.h"

namespace hpl {

/// Agrees, column by column, on the pivot row among the processes of a process column (the work of
/// netlib's HPL_pdmxswp). One exchange carries the largest value, the row that holds it and the row
/// that gives way to it, so that a column costs one latency.
class PivotExchange {
 public:
  /// Uses `column`, ranked by process row, from one thread at a time; it must outlive this.
  PivotExchange(const mpi::Communicator& column, mpi::WaitPolicy policy);

  /// Rows of `width` doubles from now on.
  void resize(std::int64_t width);

  /// The row this process proposes; write before exchange(), read the winner's after it.
  std::span<double> candidate() { return {row(0), static_cast<std::size_t>(width_)}; }
  /// The row that gives way: written by the process row of the diagonal, read by all afterwards.
  std::span<double> current() { return {row(1), static_cast<std::size_t>(width_)}; }

  struct Winner {
    double magnitude = 0;  ///< |pivot|, 0 when every process proposed 0
    std::int64_t row = 0;  ///< its global row
  };
  /// Collective over the column; same call order on every rank. The largest magnitude wins, the
  /// lowest row among equals. Exactly one process has `owns_current`.
  Winner exchange(Winner proposal, bool owns_current);

 private:
  struct Header {
    double magnitude;
    std::int64_t row;
    std::int64_t has_current;
  };
  double* row(int which) {
    return reinterpret_cast<double*>(mine_.data() + sizeof(Header)) + which * width_;
  }
  void combine();
  void swap_with(int peer);
  void send_to(int peer);
  void receive_from(int peer, std::vector<std::byte>& into);

  const mpi::Communicator& column_;
  mpi::WaitPolicy policy_;
  std::int64_t width_ = 0;
  std::int64_t count_ = 0;  // exchanges so far
  std::vector<std::byte> mine_, theirs_;
};

}  // namespace hpl
