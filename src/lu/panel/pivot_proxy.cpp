#include "hpl/lu/panel/pivot_proxy.h"

#include <vector>

#include "hpl/comm/mpi/request.h"

namespace hpl {

using hpcx::PanelProxy;

void PivotProxy::carry(PanelProxy& proxy) {
  while (const auto kind = proxy.next())
    exchange(proxy, *kind, column_.tag(exchanges_++));
}

void PivotProxy::exchange(PanelProxy& proxy, PanelProxy::Exchange kind, int tag) {
  const auto sends = [&](int member) {
    return kind == PanelProxy::Exchange::Rows || proxy.leads(member);
  };
  struct Arriving {
    int member = 0;
    mpi::RequestSet message{};
  };
  std::vector<int> others;
  std::vector<Arriving> arriving;
  for (int member = 0; member < proxy.members(); ++member) {
    if (proxy.group_of(member) == proxy.group_of(proxy.me())) continue;
    others.push_back(member);
    if (sends(member))
      arriving.emplace_back(Arriving{.member = member})
          .message.irecv(column_, proxy.message_from(member), member, tag);
  }
  mpi::RequestSet leaving;
  bool left = !sends(proxy.me());
  mpi::wait_until(policy_, [&] {
    if (!left && proxy.ready()) {
      left = true;
      for (const int member : others)
        leaving.isend(column_, proxy.message(), member, tag);
    }
    std::erase_if(arriving, [&](Arriving& from) {
      if (!from.message.test()) return false;
      proxy.arrived(from.member);
      return true;
    });
    return left && arriving.empty() && leaving.test();
  });
}

}  // namespace hpl
