#pragma once

#include <memory>

#include "hpcx/device.h"
#include "hpl/base/number/memory_account.h"
#include "hpl/comm/mpi/communicator.h"
#include "hpl/comm/mpi/wait_policy.h"
#include "hpl/comm/transport/transport.h"
#include "hpl/lu/matrix/distributed_matrix.h"
#include "hpl/lu/panel/panel_workspace.h"
#include "hpl/lu/swap/row_exchange.h"

namespace hpl {

/// The host's part of the tail update. Its cores eliminate columns that live in host memory where
/// they lie, with the panel as it is in host memory. Used by one thread.
class HostUpdate {
 public:
  /// For up to `columns` columns at a time. `column` joins the process column; no other thread uses
  /// it. Collective over it.
  HostUpdate(hpcx::Device& host, const DistributedMatrix& matrix, const RunSpec& spec,
             const mpi::Communicator& column, std::int64_t columns, mpi::WaitPolicy wait);
  /// Waits for what is still enqueued: after a failure it may use the buffer.
  ~HostUpdate();
  HostUpdate(const HostUpdate&) = delete;
  HostUpdate& operator=(const HostUpdate&) = delete;

  /// Bytes of host memory that it allocates.
  static std::int64_t bytes(const LocalShape& shape, std::int64_t columns);

  /// A(k:, c) := P A(k:, c), U(k, c) := L(k, k)^-1 A(k, c), A(k+1:, c) -= L(k+1:, k) U(k, c) for
  /// the panel of step k and columns c in host memory. Returns when it is done. Collective over the
  /// process column, same order and columns on every rank.
  void eliminate(const PanelWorkspace& panel, const ColumnRange& c);

 private:
  const DistributedMatrix& matrix_;
  bool transposed_u_;
  mpi::Communicator column_;
  std::unique_ptr<Transport> transport_;
  RowExchange row_exchange_;
  ExchangeBuffers buffer_;
  hpcx::Stream stream_;
};

}  // namespace hpl
