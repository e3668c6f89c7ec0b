#pragma once

#include <cstdint>
#include <vector>

#include "hpcx/device.h"
#include "hpl/mpi/wait_policy.h"
#include "hpl/swap/row_exchange_plan.h"
#include "hpl/transport/transport.h"

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

/// Memory in which one chunk's rows travel, on the device: `width` rows of U in order, and, when
/// there are several process rows, the communication buffer.
class ExchangeSpace {
 public:
  ExchangeSpace(hpcx::Device& device, std::int64_t width, std::int64_t columns, bool several_rows);

  /// See PanelWorkspace::touch().
  void touch(hpcx::StreamRef stream) const;

  /// width x columns rows of U, in the storage HPL.dat's line 29 asks for.
  hpcx::MatrixView u(std::int64_t width, std::int64_t columns, bool transposed) const;
  /// Rows of the communication buffer, RowMajor and dense, so that rows are contiguous messages.
  hpcx::MatrixView buffer(std::int64_t rows, std::int64_t columns) const {
    return buffer(rows, columns, 0);
  }
  /// The same for part of a chunk: rows are as long as `columns`, and `before` columns of the same
  /// height lie before them.
  hpcx::MatrixView buffer(std::int64_t rows, std::int64_t columns, std::int64_t before) const;

  /// Device bytes of one space.
  static std::int64_t bytes(std::int64_t width, std::int64_t columns, bool several_rows);

 private:
  hpcx::Buffer u_, buffer_;
};

/// Bytes of one column of a chunk in the communication buffer, at most.
std::int64_t exchange_column_bytes(std::int64_t width);

/// Exchanges rows of column chunks along a process column. Used by one thread.
class RowExchange {
 public:
  /// `column` joins the process column, ranked by process row, and must outlive this.
  RowExchange(Transport& column, const RunSpec& spec, mpi::WaitPolicy policy);

  /// Brings the rows of U of `chunk` (columns of the local matrix, all stored rows) into
  /// space.u(...) on every process of the column and writes the displaced rows to their places.
  /// Rows of the diagonal block are not written. Enqueues in `stream`; with several process rows it
  /// may block on messages. Collective over the column, same order on every rank.
  void run(hpcx::StreamRef stream, hpcx::MatrixView chunk, const DeviceExchangePlan& plan,
           const ExchangeSpace& space);

 private:
  /// Some columns of a chunk, which travel as one pattern of messages.
  struct Part {
    hpcx::MatrixView chunk, buffer, u;
  };
  void exchange_rows(hpcx::StreamRef stream, hpcx::MatrixView chunk, const DeviceExchangePlan& plan,
                     const ExchangeSpace& space, hpcx::MatrixView u);
  std::unique_ptr<Transfer> send_off(hpcx::StreamRef stream, const Part& part,
                                     const DeviceExchangePlan& plan);

  Transport& column_;
  RunSpec spec_;
  mpi::WaitPolicy policy_;
};

}  // namespace hpl
