#include "hpl/job/failure/rank_state.h"

namespace hpl {

namespace {

// With this limit a state fits one message of mpi::SideChannel.
constexpr std::size_t kLongestFailure = 1200;
constexpr std::size_t kLongestName = 200;

}  // namespace

void describe(Record& record, WorkerState& worker) {
  record.internal(worker.worker);
  record.internal(worker.what);
  record.internal(worker.step);
  record.internal(worker.chunk);
  record.internal(worker.peers);
  record.internal(worker.sequence);
}

void describe(Record& record, RankState& state) {
  record.internal(state.rank);
  record.internal(state.host);
  record.internal(state.activity);
  record.internal(state.run);
  record.internal(state.silent_seconds);
  record.internal(state.allowance_seconds);
  record.internal(state.failure);
  record.internal(state.workers);
}

std::string to_text(RankState state) {
  for (std::string* const name : {&state.host, &state.activity, &state.run})
    *name = name->substr(0, kLongestName);
  state.failure = state.failure.substr(0, kLongestFailure);
  return pack(state);
}

RankState rank_state(const std::string& text) {
  try {
    return unpack<RankState>(text);
  } catch (const std::exception&) {
    return {};
  }
}

}  // namespace hpl
