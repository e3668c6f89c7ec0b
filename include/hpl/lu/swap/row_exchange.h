#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "hpcx/device.h"
#include "hpl/comm/mpi/wait_policy.h"
#include "hpl/comm/transport/transport.h"
#include "hpl/lu/swap/row_exchange_plan.h"

namespace hpl {

/// A plan, and its row lists where a device reads them.
class ExchangeLists {
 public:
  ExchangeLists(const RowExchangePlan& plan, const std::int64_t* lists, std::int64_t width)
      : plan_(&plan), lists_(lists), width_(width) {}

  const RowExchangePlan& plan() const { return *plan_; }
  const std::int64_t* u_rows() const { return list(0); }
  const std::int64_t* slot_of() const { return list(1); }
  const std::int64_t* displaced_from() const { return list(2); }
  const std::int64_t* displaced_to() const { return list(3); }
  /// 0, 1, 2, ...: rows of the communication buffer in their order.
  const std::int64_t* counting() const { return list(4); }

 private:
  const std::int64_t* list(int which) const { return lists_ + which * width_; }

  const RowExchangePlan* plan_;
  const std::int64_t* lists_;
  std::int64_t width_;
};

/// A plan with its row lists in the memories of a device and of the host.
class DeviceExchangePlan {
 public:
  /// For panels of up to `width` columns.
  DeviceExchangePlan(hpcx::Device& device, std::int64_t width);
  /// See PanelWorkspace::touch().
  void touch(hpcx::StreamRef stream) const;
  /// Takes over a plan. Asynchronous in `stream`; the last plan must no longer be in use.
  void assign(hpcx::StreamRef stream, RowExchangePlan plan);

  ExchangeLists on_device() const { return {plan_, device_lists_.as<std::int64_t>(), width_}; }
  ExchangeLists on_host() const { return {plan_, host_lists_.as<std::int64_t>(), width_}; }

  static std::int64_t bytes(std::int64_t width) { return 5 * 8 * width; }

 private:
  RowExchangePlan plan_;
  std::int64_t width_;
  hpcx::Buffer host_lists_, device_lists_;
};

/// Memory in which one chunk's rows travel, on the device: `width` rows of U in order, and, when
/// there are several process rows, the communication buffer.
class ExchangeBuffers {
 public:
  ExchangeBuffers(hpcx::Device& device, std::int64_t width, std::int64_t columns,
                  bool several_rows);

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

  /// The memory of messages(); empty with one process row.
  const hpcx::Buffer& message_memory() const { return buffer_; }

  /// Device bytes of one space.
  static std::int64_t bytes(std::int64_t width, std::int64_t columns, bool several_rows);

 private:
  hpcx::Buffer u_, buffer_;
};

/// Bytes of one column of a chunk in the communication buffer, at most.
constexpr std::int64_t exchange_column_bytes(std::int64_t width) {
  return 8 * exchange_buffer_rows(width);
}

/// Exchanges rows of column chunks along a process column. Used by one thread.
///
/// Of each chunk: exchange(), then L11^-1 u for every piece of to_solve(), then all_gather() where
/// solve_site() says that the pieces are divided among the processes.
class RowExchange {
 public:
  /// Rows of U, and where U12 = L11^-1 U of them belongs; the two may be the same. `u` is free to
  /// be overwritten.
  struct Piece {
    hpcx::MatrixView u, u12;
  };

  /// `column` joins the process column, ranked by process row, and must outlive this.
  RowExchange(Transport& column, const RunSpec& spec, mpi::WaitPolicy policy);

  /// Brings the rows of U that this process solves into `space` and writes the displaced rows of
  /// `chunk` (columns of the local matrix, all stored rows) to their places. Rows of the diagonal
  /// block are not written. Enqueues in `stream`; with several process rows it may block on
  /// messages. Collective over the column, same order on every rank.
  void exchange(hpcx::StreamRef stream, hpcx::MatrixView chunk, const ExchangeLists& plan,
                const ExchangeBuffers& space);
  /// This process's part of the solve of a chunk of `columns` columns that was exchanged in
  /// `space`. U12 stands in `u12` in the end.
  std::vector<Piece> to_solve(std::int64_t columns, const ExchangeLists& plan,
                              const ExchangeBuffers& space, hpcx::MatrixView u12) const;
  /// For divided solves: brings the part of every process into `u12` on all of them. Collective and
  /// blocking as exchange().
  void all_gather(hpcx::StreamRef stream, const ExchangeLists& plan, const ExchangeBuffers& space,
                  hpcx::MatrixView u12);
  /// The place where chunks of `columns` columns are solved. For divided solves `u12` is space.u()
  /// or outside of the space.
  SolveSite solve_site(std::int64_t columns) const;

 private:
  /// Some columns of a chunk, which travel as one pattern of messages.
  struct Part;

  /// All ranks cut a chunk alike, though each fills its buffer to a height of its own.
  std::vector<Part> cut(std::int64_t columns, const ExchangeLists& plan,
                        const ExchangeBuffers& space) const;
  template <class Send, class Receive>
  void pass(const std::vector<Part>& parts, Send send, Receive receive);
  std::unique_ptr<Transfer> send_off(hpcx::StreamRef stream, const Part& part,
                                     hpcx::MatrixView chunk, const ExchangeLists& plan);
  void take_in(hpcx::StreamRef stream, const Part& part, hpcx::MatrixView chunk,
               const ExchangeLists& plan);

  Transport& column_;
  RunSpec spec_;
  mpi::WaitPolicy policy_;
};

}  // namespace hpl
