#include "hpl/job/failure/rank_state.h"

#include <nlohmann/json.hpp>

namespace hpl {

namespace {

using Json = nlohmann::json;

// With this limit a state fits one message of mpi::SideChannel.
constexpr std::size_t kLongestFailure = 1200;
constexpr std::size_t kLongestName = 200;

}  // namespace

std::string to_text(const RankState& state) {
  Json workers = Json::array();
  for (const WorkerState& w : state.workers)
    workers.push_back({static_cast<int>(w.worker), w.what, w.step, w.chunk,
                       static_cast<int>(w.peers), w.sequence});
  const Json whole{{"rank", state.rank},
                   {"host", state.host.substr(0, kLongestName)},
                   {"activity", state.activity.substr(0, kLongestName)},
                   {"run", state.run.substr(0, kLongestName)},
                   {"silent", state.silent_seconds},
                   {"allowance", state.allowance_seconds},
                   {"failure", state.failure.substr(0, kLongestFailure)},
                   {"workers", workers}};
  // The system's messages need not be UTF-8.
  return whole.dump(-1, ' ', false, Json::error_handler_t::replace);
}

RankState rank_state(const std::string& text) {
  RankState state;
  try {
    const Json whole = Json::parse(text);
    state.rank = whole.at("rank");
    state.host = whole.at("host");
    state.activity = whole.at("activity");
    state.run = whole.at("run");
    state.silent_seconds = whole.at("silent");
    state.allowance_seconds = whole.at("allowance");
    state.failure = whole.at("failure");
    for (const Json& w : whole.at("workers"))
      state.workers.push_back({static_cast<Worker>(w.at(0).get<int>()), w.at(1), w.at(2), w.at(3),
                               static_cast<Peers>(w.at(4).get<int>()), w.at(5)});
  } catch (const Json::exception&) {
  }
  return state;
}

}  // namespace hpl
