#include "hpl/lu/panel/pivot_relay.h"

#include <vector>

#include "hpl/comm/mpi/request.h"

namespace hpl {

using hpcx::PanelPost;

void PivotRelay::carry(PanelPost& post) {
  while (const auto kind = post.next())
    exchange(post, *kind, column_.tag(exchanges_++));
}

void PivotRelay::exchange(PanelPost& post, PanelPost::Exchange kind, int tag) {
  const auto sends = [&](int member) {
    return kind == PanelPost::Exchange::Rows || post.leads(member);
  };
  struct Arriving {
    int member = 0;
    mpi::RequestSet letter{};
  };
  std::vector<int> others;
  std::vector<Arriving> arriving;
  for (int member = 0; member < post.members(); ++member) {
    if (post.group_of(member) == post.group_of(post.me())) continue;
    others.push_back(member);
    if (sends(member))
      arriving.emplace_back(Arriving{.member = member})
          .letter.irecv(column_, post.letter_from(member), member, tag);
  }
  mpi::RequestSet leaving;
  bool left = !sends(post.me());
  mpi::wait_until(policy_, [&] {
    if (!left && post.ready()) {
      left = true;
      for (const int member : others)
        leaving.isend(column_, post.letter(), member, tag);
    }
    std::erase_if(arriving, [&](Arriving& from) {
      if (!from.letter.test()) return false;
      post.arrived(from.member);
      return true;
    });
    return left && arriving.empty() && leaving.test();
  });
}

}  // namespace hpl
