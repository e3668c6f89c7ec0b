#pragma once

#include "hpcx/panel.h"
#include "hpl/comm/mpi/communicator.h"
#include "hpl/comm/mpi/wait_policy.h"

namespace hpl {

/// Carries pivot messages between the devices of a process column that cannot access each other's
/// memory: one small message a column from every group of devices. Used by one thread.
class PivotProxy {
 public:
  /// `column` joins the process column, ranked by process row, carries nothing else meanwhile, and
  /// must outlive this.
  PivotProxy(const mpi::Communicator& column, mpi::WaitPolicy policy)
      : column_(column), policy_(policy) {}

  /// Returns when the messages of all panels enqueued so far have been carried. Collective over the
  /// column. Throws Stopped.
  void carry(hpcx::PanelProxy& proxy);

 private:
  void exchange(hpcx::PanelProxy& proxy, hpcx::PanelProxy::Exchange kind, int tag);

  const mpi::Communicator& column_;
  mpi::WaitPolicy policy_;
  std::int64_t exchanges_ = 0;
};

}  // namespace hpl
