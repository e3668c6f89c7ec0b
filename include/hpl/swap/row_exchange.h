#pragma once

#include <cstdint>
#include <vector>

#include "hpcx/device.h"
#include "hpl/mpi/communicator.h"
#include "hpl/mpi/wait_policy.h"
#include "hpl/swap/row_exchange_plan.h"

namespace hpl {

/// A plan with its row lists in device memory.
class DeviceExchangePlan {
 public:
  /// For panels of up to `width` columns.
  DeviceExchangePlan(hpcx::Device& device, std::int64_t width);
  /// See PanelWorkspace::touch().
  void touch(hpcx::StreamRef stream) const;
  /// Takes over a plan. Asynchronous in `stream`; the last plan must no longer be in use.
  void assign(hpcx::StreamRef stream, RowExchangePlan plan);

  const RowExchangePlan& plan() const { return plan_; }
  const std::int64_t* u_rows() const { return list(0); }
  const std::int64_t* slot_of() const { return list(1); }
  const std::int64_t* displaced_from() const { return list(2); }
  const std::int64_t* displaced_to() const { return list(3); }
  /// 0, 1, 2, ...: rows of the communication buffer in their order.
  const std::int64_t* counting() const { return list(4); }

  static std::int64_t bytes(std::int64_t width) { return 5 * 8 * width; }

 private:
  const std::int64_t* list(int which) const {
    return device_lists_.as<std::int64_t>() + which * width_;
  }

  RowExchangePlan plan_;
  std::int64_t width_;
  hpcx::Buffer host_lists_, device_lists_;
};

/// Memory in which one chunk's rows travel: `width` rows of U in order, and, when there are several
/// process rows, the communication buffer (on the device, and a pinned copy where MPI cannot reach
/// device memory).
class ExchangeSpace {
 public:
  ExchangeSpace(hpcx::Device& device, std::int64_t width, std::int64_t columns, bool several_rows);

  /// See PanelWorkspace::touch().
  void touch(hpcx::StreamRef stream) const;

  /// width x columns rows of U, in the storage HPL.dat's line 29 asks for.
  hpcx::MatrixView u(std::int64_t width, std::int64_t columns, bool transposed) const;
  /// Rows of the communication buffer, RowMajor and dense, so that rows are contiguous messages.
  hpcx::MatrixView buffer(std::int64_t rows, std::int64_t columns) const;
  std::byte* host_buffer() const;
  bool staged() const { return staged_; }

  /// Device bytes of one space.
  static std::int64_t bytes(std::int64_t width, std::int64_t columns, bool several_rows);

 private:
  bool staged_ = false;
  hpcx::Buffer u_, buffer_, host_;
};

/// Exchanges rows of column chunks along a process column. Used by one thread.
class RowExchange {
 public:
  RowExchange(const mpi::Communicator& column, const RunSpec& spec, mpi::WaitPolicy policy);

  /// Brings the rows of U of `chunk` (columns of the local matrix, all stored rows) into
  /// space.u(...) on every process of the column and writes the displaced rows to their places.
  /// Rows of the diagonal block are not written. Enqueues in `stream`; with several process rows it
  /// blocks on messages. Collective over the column, same order on every rank.
  void run(hpcx::StreamRef stream, hpcx::MatrixView chunk, const DeviceExchangePlan& plan,
           const ExchangeSpace& space);

 private:
  void exchange_rows(hpcx::StreamRef stream, hpcx::MatrixView chunk, const DeviceExchangePlan& plan,
                     const ExchangeSpace& space, hpcx::MatrixView u);

  const mpi::Communicator& column_;
  RunSpec spec_;
  mpi::WaitPolicy policy_;
  std::int64_t operation_ = 0;
};

}  // namespace hpl
