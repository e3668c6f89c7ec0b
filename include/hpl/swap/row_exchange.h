#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
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
  /// width x columns rows of U12 where they are made in one piece, RowMajor and dense.
  hpcx::MatrixView u12(std::int64_t width, std::int64_t columns) const {
    return {buffer_.as<double>(), width, columns, columns, hpcx::Layout::RowMajor};
  }
  /// The communication buffer of `columns` columns of a chunk that come after `before` others.
  std::span<double> messages(std::int64_t width, std::int64_t columns, std::int64_t before) const;

  /// Device bytes of one space.
  static std::int64_t bytes(std::int64_t width, std::int64_t columns, bool several_rows);

 private:
  hpcx::Buffer u_, buffer_;
};

/// Bytes of one column of a chunk in the communication buffer, at most.
constexpr std::int64_t exchange_column_bytes(std::int64_t width) {
  return 8 * exchange_buffer_rows(width);
}

/// Exchanges rows of column chunks along a process column, and has U12 made of them. Used by one
/// thread.
class RowExchange {
 public:
  /// Enqueues u12 := L11^-1 u in the exchange's stream, for some columns of a chunk. `u` is free to
  /// be overwritten; the two may be the same view.
  using Solve = std::function<void(hpcx::MatrixView u, hpcx::MatrixView u12)>;

  /// `column` joins the process column, ranked by process row, and must outlive this.
  RowExchange(Transport& column, const RunSpec& spec, mpi::WaitPolicy policy);

  /// Brings L11^-1 U of `chunk` (columns of the local matrix, all stored rows) into `u12` on every
  /// process of the column and writes the displaced rows to their places. Rows of the diagonal
  /// block are not written, unless `u12` is those. Enqueues in `stream`; with several process rows
  /// it may block on messages. Collective over the column, same order on every rank.
  void run(hpcx::StreamRef stream, hpcx::MatrixView chunk, const DeviceExchangePlan& plan,
           const ExchangeSpace& space, hpcx::MatrixView u12, const Solve& solve);
  /// Where chunks of so many columns are solved; `u12` is space.u() or outside of the space where
  /// that is divided.
  SolvePlace solve_place(std::int64_t columns) const;

 private:
  /// Some columns of a chunk, which travel as one pattern of messages or, divided, as two.
  struct Part;

  void exchange_rows(hpcx::StreamRef stream, hpcx::MatrixView chunk, const DeviceExchangePlan& plan,
                     const ExchangeSpace& space, hpcx::MatrixView u, hpcx::MatrixView u12,
                     const Solve& solve);
  std::unique_ptr<Transfer> send_off(hpcx::StreamRef stream, const Part& part,
                                     const DeviceExchangePlan& plan);
  void take_in(hpcx::StreamRef stream, const Part& part, const DeviceExchangePlan& plan);
  std::unique_ptr<Transfer> pass_round(hpcx::StreamRef stream, const Part& part,
                                       const DeviceExchangePlan& plan, const Solve& solve);
  void gather_solved(hpcx::StreamRef stream, const Part& part, const DeviceExchangePlan& plan);

  Transport& column_;
  RunSpec spec_;
  mpi::WaitPolicy policy_;
};

}  // namespace hpl
