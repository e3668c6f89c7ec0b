#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "hpl/comm/mpi/schedule.h"

namespace hpl::test {

/// Runs one schedule a rank by the rules of mpi::ScheduleRun with the least helpful MPI there is: a
/// message moves only when both sides have posted it, receives are posted as late as the stages
/// allow, and messages between two ranks match in order.
///
/// Buffers hold numbers that stand for `unit` bytes each.
class MessageSimulator {
 public:
  using Buffers = std::vector<std::vector<std::int64_t>>;
  static constexpr std::int64_t kNothing = -1;  ///< a number that is not there yet

  MessageSimulator(const std::vector<mpi::Schedule>& schedules, Buffers& buffers, std::int64_t unit)
      : schedules_(schedules),
        buffers_(buffers),
        unit_(unit),
        ranks_(schedules.size()),
        sent_(schedules.size(), 0) {
    for (const auto& buffer : buffers)
      received_.emplace_back(buffer.size(), 0);
  }

  /// Empty, or the first thing that went wrong.
  std::string run() {
    for (bool moved = true; moved && fault_.empty();) {
      moved = false;
      for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
        while (may_enter_stage(rank)) {
          for (const mpi::Message& message : schedules_[rank][ranks_[rank].stage++].messages)
            post(rank, message);
          moved = true;
        }
      moved |= match();
    }
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
      if (ranks_[rank].stage < schedules_[rank].size() || ranks_[rank].receives > 0 ||
          ranks_[rank].sends > 0)
        fail("rank " + std::to_string(rank) + " waits for ever");
    return fault_;
  }

  /// By rank: bytes, and how often each number was received.
  const std::vector<std::int64_t>& sent() const { return sent_; }
  const std::vector<std::vector<int>>& received() const { return received_; }

 private:
  struct Rank {
    std::size_t stage = 0;        // the next
    int receives = 0, sends = 0;  // that are open
  };
  using Pair = std::pair<std::size_t, std::size_t>;  // sender, receiver

  bool may_enter_stage(std::size_t rank) const {
    const Rank& state = ranks_[rank];
    if (state.stage == schedules_[rank].size() || state.receives > 0 || !fault_.empty())
      return false;
    return state.sends == 0 || !schedules_[rank][state.stage].after_sends;
  }

  void post(std::size_t rank, const mpi::Message& message) {
    const auto peer = static_cast<std::size_t>(message.peer);
    const auto length = static_cast<std::int64_t>(buffers_[rank].size()) * unit_;
    if (message.peer < 0 || peer >= ranks_.size() || peer == rank)
      return fail("rank " + std::to_string(rank) + " talks to " + std::to_string(message.peer));
    if (message.bytes <= 0 || message.offset < 0 || message.offset % 8 != 0 ||
        message.bytes % unit_ != 0 || message.offset + message.bytes > length)
      return fail("rank " + std::to_string(rank) + " has bytes " + std::to_string(message.offset) +
                  " + " + std::to_string(message.bytes));
    if (message.direction == mpi::Message::Direction::Receive) {
      ++ranks_[rank].receives;
      receives_[{peer, rank}].push_back(message);
    } else {
      ++ranks_[rank].sends;
      sent_[rank] += message.bytes;
      sends_[{rank, peer}].push_back(message);
    }
  }

  bool match() {
    bool moved = false;
    for (auto& [pair, sends] : sends_) {
      std::deque<mpi::Message>& receives = receives_[pair];
      for (; !sends.empty() && !receives.empty(); moved = true) {
        deliver(pair, sends.front(), receives.front());
        sends.pop_front();
        receives.pop_front();
      }
    }
    return moved;
  }

  void deliver(const Pair& pair, const mpi::Message& send, const mpi::Message& receive) {
    const auto& [from, to] = pair;
    if (send.bytes != receive.bytes)
      return fail("rank " + std::to_string(from) + " sends " + std::to_string(send.bytes) +
                  " bytes where " + std::to_string(to) + " expects " +
                  std::to_string(receive.bytes));
    --ranks_[from].sends;
    --ranks_[to].receives;
    for (std::int64_t i = 0; i < send.bytes / unit_; ++i) {
      const std::int64_t number = buffers_[from][send.offset / unit_ + i];
      if (number == kNothing)
        return fail("rank " + std::to_string(from) + " sends what it does not have");
      buffers_[to][receive.offset / unit_ + i] = number;
      ++received_[to][receive.offset / unit_ + i];
    }
  }

  void fail(const std::string& fault) {
    if (fault_.empty()) fault_ = fault;
  }

  const std::vector<mpi::Schedule>& schedules_;
  Buffers& buffers_;
  std::int64_t unit_;
  std::vector<Rank> ranks_;
  std::vector<std::int64_t> sent_;
  std::vector<std::vector<int>> received_;
  std::map<Pair, std::deque<mpi::Message>> sends_, receives_;
  std::string fault_;
};

}  // namespace hpl::test
