#include "hpl/lu/panel/pivot_proxy.h"

namespace hpl {

using hpcx::PanelProxy;

void PivotProxy::carry(PanelProxy& proxy) {
  std::vector<int> leaders;
  for (int member = 0; member < proxy.members(); ++member)
    if (proxy.leads(member)) leaders.push_back(member);
  while (const auto kind = proxy.next()) {
    const int tag = column_.tag(exchanges_++);
    if (*kind == PanelProxy::Exchange::Rows)
      move_rows(proxy, tag);
    else if (proxy.leads(proxy.me()))
      agree(proxy, leaders, tag);
  }
}

void PivotProxy::agree(PanelProxy& proxy, const std::vector<int>& leaders, int tag) {
  const int groups = static_cast<int>(leaders.size());
  const int own = proxy.group_of(proxy.me());
  const hpcx::PivotRounds plan = hpcx::pivot_rounds(groups);
  mpi::RequestSet leaving;
  for (int round = 0; round < plan.rounds; ++round) {
    Peers peers;
    for (int d = 1; d <= plan.sends; ++d) {
      const int distance = d << round;
      peers.to.push_back(leaders[static_cast<std::size_t>((own + distance) % groups)]);
      peers.from.push_back(leaders[static_cast<std::size_t>((own + groups - distance) % groups)]);
    }
    leaving.wait(policy_);
    leaving = exchange(proxy, peers, tag);
    for (const int member : peers.from)
      proxy.arrived(member);
  }
  // The device need not wait for messages that are on their way.
  proxy.finish();
  leaving.wait(policy_);
}

void PivotProxy::move_rows(PanelProxy& proxy, int tag) {
  mpi::wait_until(policy_, [&] { return proxy.rows_known(); });
  Peers peers;
  for (int member = 0; member < proxy.members(); ++member) {
    if (proxy.moves_rows(proxy.me(), member)) peers.to.push_back(member);
    if (proxy.moves_rows(member, proxy.me())) peers.from.push_back(member);
  }
  mpi::RequestSet leaving = exchange(proxy, peers, tag);
  proxy.finish();
  leaving.wait(policy_);
}

mpi::RequestSet PivotProxy::exchange(PanelProxy& proxy, const Peers& peers, int tag) {
  mpi::RequestSet arriving, leaving;
  for (const int member : peers.from)
    arriving.irecv(column_, proxy.message_from(member), member, tag);
  bool left = peers.to.empty();
  mpi::wait_until(policy_, [&] {
    if (!left && proxy.ready()) {
      left = true;
      for (const int member : peers.to)
        leaving.isend(column_, proxy.message(), member, tag);
    }
    return arriving.test() && left;
  });
  return leaving;
}

}  // namespace hpl
