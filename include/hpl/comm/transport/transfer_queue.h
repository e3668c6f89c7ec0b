#pragma once

#include <deque>
#include <memory>

#include "hpl/comm/transport/transport.h"

namespace hpl {

/// Transfers of one transport in flight, oldest first.
class TransferQueue {
 public:
  void add(std::unique_ptr<Transfer> transfer) { transfers_.push_back(std::move(transfer)); }
  bool empty() const { return transfers_.empty(); }
  int size() const { return static_cast<int>(transfers_.size()); }

  /// Moves all of them on without blocking; true when the oldest is done, which then is gone.
  /// Later ones that are done sooner wait for their turn.
  bool pop_done() {
    bool oldest_done = false;
    for (std::size_t i = 0; i < transfers_.size(); ++i) {
      const bool done = transfers_[i]->progress();
      if (i == 0) oldest_done = done;
    }
    if (oldest_done) transfers_.pop_front();
    return oldest_done;
  }

 private:
  std::deque<std::unique_ptr<Transfer>> transfers_;
};

}  // namespace hpl
