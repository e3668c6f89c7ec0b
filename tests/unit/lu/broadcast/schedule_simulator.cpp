#include "schedule_simulator.h"

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

#include <fmt/format.h>

namespace hpl::test {
namespace {

using mpi::Message;
using mpi::Schedule;

struct RankState {
  std::size_t next_stage = 0;
  int open_receives = 0;
  int open_sends = 0;
};

class Simulator {
 public:
  Simulator(const std::vector<Schedule>& schedules, int root, std::int64_t bytes)
      : schedules_(schedules), states_(schedules.size()) {
    result_.deliveries.assign(schedules.size(),
                              std::vector<int>(static_cast<std::size_t>(bytes), 0));
    result_.sent.assign(schedules.size(), 0);
    root_ = static_cast<std::size_t>(root);
  }

  Simulation run() {
    bool moved = true;
    while (moved && result_.fault.empty()) {
      moved = false;
      for (std::size_t rank = 0; rank < states_.size(); ++rank)
        moved |= enter_stages(rank);
      moved |= match();
    }
    for (std::size_t rank = 0; rank < states_.size() && result_.fault.empty(); ++rank) {
      const RankState& state = states_[rank];
      if (state.next_stage < schedules_[rank].size() || state.open_receives + state.open_sends > 0)
        result_.fault = fmt::format("rank {} waits for ever", rank);
    }
    return std::move(result_);
  }

 private:
  using Pair = std::pair<std::size_t, std::size_t>;  // sender, receiver

  bool enter_stages(std::size_t rank) {
    RankState& state = states_[rank];
    bool moved = false;
    while (state.next_stage < schedules_[rank].size() && state.open_receives == 0) {
      const mpi::Stage& stage = schedules_[rank][state.next_stage];
      if (stage.after_sends && state.open_sends > 0) break;
      for (const Message& message : stage.messages)
        post(rank, message);
      ++state.next_stage;
      moved = true;
    }
    return moved;
  }

  void post(std::size_t rank, const Message& message) {
    const auto peer = static_cast<std::size_t>(message.peer);
    if (message.peer < 0 || peer >= states_.size() || peer == rank)
      return fail(fmt::format("rank {} talks to {}", rank, message.peer));
    const auto length = static_cast<std::int64_t>(result_.deliveries[rank].size());
    if (message.bytes <= 0 || message.offset < 0 || message.offset % 8 != 0 ||
        message.offset + message.bytes > length)
      return fail(fmt::format("rank {} has bytes {} + {}", rank, message.offset, message.bytes));
    if (message.direction == Message::Direction::Receive) {
      ++states_[rank].open_receives;
      receives_[{peer, rank}].push_back(message);
      return;
    }
    for (std::int64_t i = message.offset; i < message.offset + message.bytes; ++i)
      if (rank != root_ && result_.deliveries[rank][static_cast<std::size_t>(i)] == 0)
        return fail(fmt::format("rank {} sends byte {} before it has it", rank, i));
    ++states_[rank].open_sends;
    result_.sent[rank] += message.bytes;
    sends_[{rank, peer}].push_back(message);
  }

  bool match() {
    bool moved = false;
    for (auto& [pair, sends] : sends_) {
      std::deque<Message>& receives = receives_[pair];
      while (!sends.empty() && !receives.empty()) {
        deliver(pair, sends.front(), receives.front());
        sends.pop_front();
        receives.pop_front();
        moved = true;
      }
    }
    return moved;
  }

  void deliver(const Pair& pair, const Message& send, const Message& receive) {
    if (send.offset != receive.offset || send.bytes != receive.bytes)
      return fail(fmt::format("{} sends {} + {} where {} expects {} + {}", pair.first, send.offset,
                              send.bytes, pair.second, receive.offset, receive.bytes));
    --states_[pair.first].open_sends;
    --states_[pair.second].open_receives;
    for (std::int64_t i = receive.offset; i < receive.offset + receive.bytes; ++i)
      ++result_.deliveries[pair.second][static_cast<std::size_t>(i)];
  }

  void fail(std::string fault) {
    if (result_.fault.empty()) result_.fault = std::move(fault);
  }

  const std::vector<Schedule>& schedules_;
  std::size_t root_;
  std::vector<RankState> states_;
  std::map<Pair, std::deque<Message>> sends_, receives_;
  Simulation result_;
};

}  // namespace

Simulation simulate(const std::vector<Schedule>& schedules, int root, std::int64_t bytes) {
  return Simulator(schedules, root, bytes).run();
}

}  // namespace hpl::test
