#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>
#include <vector>

#include "hpcx/panel.h"

namespace hpcx {

inline void deliver_message(const PanelProxy& from, PanelProxy& to) {
  const std::span<const std::byte> message = from.message();
  const std::span<std::byte> place = to.message_from(from.me());
  ASSERT_EQ(message.size(), place.size());
  std::memcpy(place.data(), message.data(), message.size());
}

/// The hosts' part for a team whose members are all in this process: the messages of all panels
/// enqueued so far. `pause()` lets the members go on.
template <class Pause>
void carry_messages(const std::vector<PanelProxy*>& proxies, Pause pause) {
  using Exchange = PanelProxy::Exchange;
  for (;;) {
    std::optional<Exchange> exchange;
    for (PanelProxy* proxy : proxies)
      exchange = proxy->next();
    if (!exchange) return;
    std::vector<PanelProxy*> members;
    for (PanelProxy* proxy : proxies) {
      if (*exchange == Exchange::Pivot && !proxy->leads(proxy->me())) continue;
      members.push_back(proxy);
      while (*exchange == Exchange::Rows ? !proxy->rows_known() : !proxy->ready())
        pause();
    }
    for (PanelProxy* to : members)
      for (PanelProxy* from : members) {
        if (*exchange == Exchange::Rows ? !from->moves_rows(from->me(), to->me()) : from == to)
          continue;
        while (!from->ready())
          pause();
        deliver_message(*from, *to);
        to->arrived(from->me());
      }
    for (PanelProxy* member : members)
      member->finish();
  }
}

}  // namespace hpcx
