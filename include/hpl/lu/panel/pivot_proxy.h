#pragma once

#include <vector>

#include "hpcx/panel.h"
#include "hpl/comm/mpi/communicator.h"
#include "hpl/comm/mpi/request.h"
#include "hpl/comm/mpi/wait_policy.h"

namespace hpl {

/// Carries messages between the groups of a process column's devices that cannot access each
/// other's memory: a column's pivot candidates between the leaders of groups, and moved rows. Used
/// by one thread.
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
  /// Members that receive this one's message, and members whose messages arrive here.
  struct Peers {
    std::vector<int> to, from;
  };
  void agree(hpcx::PanelProxy& proxy, const std::vector<int>& leaders, int tag);
  void move_rows(hpcx::PanelProxy& proxy, int tag);
  /// Returns when all messages have arrived. The result is those that are still leaving.
  mpi::RequestSet exchange(hpcx::PanelProxy& proxy, const Peers& peers, int tag);

  const mpi::Communicator& column_;
  mpi::WaitPolicy policy_;
  std::int64_t exchanges_ = 0;
};

}  // namespace hpl
