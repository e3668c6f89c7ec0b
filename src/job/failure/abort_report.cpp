#include "hpl/job/failure/abort_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "hpl/base/text/quantity.h"

namespace hpl {

namespace {

constexpr std::size_t kShownRanks = 8;
constexpr std::size_t kShownLines = 12;
constexpr const char* kEndedFromOutside = "ended from outside (SIGTERM)";

/// "rank 3 on node02", "ranks 2 and 3 on node02", "ranks 1 on a, 2 on b" as single phrases.
std::string with_hosts(const AbortReport& end, const std::vector<int>& ranks) {
  std::vector<std::pair<std::string, std::vector<int>>> by_host;
  for (const int rank : ranks) {
    const std::string& host = end.places[rank].host;
    const auto known = std::find_if(by_host.begin(), by_host.end(),
                                    [&](const auto& entry) { return entry.first == host; });
    if (known == by_host.end())
      by_host.push_back({host, {rank}});
    else
      known->second.push_back(rank);
  }
  std::string text;
  for (std::size_t i = 0; i < by_host.size(); ++i) {
    if (i == kShownRanks) return text + fmt::format(", and {} more hosts", by_host.size() - i);
    text += fmt::format("{}{} on {}", i == 0 ? "" : ", ", rank_list(by_host[i].second),
                        by_host[i].first);
  }
  return text;
}

const RankState* state_of(const AbortReport& end, int rank) {
  const auto& state = end.states[rank];
  return state ? &*state : nullptr;
}

/// The progress of a worker with a thread of its own. Within a step the panel worker computes, then
/// works with its column, then with its row; the swap worker computes, then works with its column.
std::tuple<std::int64_t, std::int64_t, std::int64_t, int> progress_of(const WorkerState& worker) {
  const int stage = worker.peers == Peers::Column ? 1 : worker.peers == Peers::Row ? 2 : 0;
  return {worker.sequence, worker.step, worker.chunk, stage};
}

/// The progress of a thread that plays all workers: broadcast, place, then the chunks of the tail,
/// among which (serial pipeline) or behind which (coarse) the next panel is factorized.
std::pair<std::int64_t, int> place_round_robin(const WorkerState& worker) {
  switch (worker.worker) {
    case Worker::Panel:
      return worker.peers == Peers::Column ? std::pair(worker.step - 1, 2)
                                           : std::pair(worker.step, 0);
    case Worker::Transfer:
      return {worker.step, 1};
    case Worker::Swap:
    case Worker::Update:
    case Worker::Load:
    case Worker::Store:
    case Worker::Host:
      break;
  }
  return {worker.step, 2};
}

bool is_behind(const WorkerState& other, const WorkerState& worker) {
  if (other.worker == worker.worker) return progress_of(other) < progress_of(worker);
  const auto theirs = place_round_robin(other), mine = place_round_robin(worker);
  if (theirs != mine) return theirs < mine;
  const bool panel = worker.worker == Worker::Panel || other.worker == Worker::Panel;
  return panel || other.chunk < worker.chunk;
}

bool is_behind(const RankState& other, const WorkerState& worker) {
  const auto same = std::find_if(other.workers.begin(), other.workers.end(),
                                 [&](const WorkerState& w) { return w.worker == worker.worker; });
  if (same != other.workers.end()) return is_behind(*same, worker);
  return !other.workers.empty() && is_behind(other.workers.front(), worker);
}

std::vector<int> silent_ranks(const AbortReport& end) {
  std::vector<int> silent;
  for (std::size_t rank = 0; rank < end.states.size(); ++rank)
    if (end.asked && !end.states[rank]) silent.push_back(static_cast<int>(rank));
  return silent;
}

std::string describe_worker(const AbortReport& end, int rank, const WorkerState& worker) {
  std::string text =
      fmt::format("{} worker {} (step {})", to_string(worker.worker), worker.what, worker.step);
  if (const auto awaited = awaited_ranks(end, rank, worker); !awaited.empty())
    text += fmt::format(", waits for {}", rank_list(awaited));
  return text;
}

std::string describe_rank(const AbortReport& end, int rank) {
  const RankState* state = state_of(end, rank);
  if (state == nullptr) return "no answer";
  if (state->workers.empty()) return state->activity;
  std::string text;
  for (const WorkerState& worker : state->workers)
    text += (text.empty() ? "" : "; ") + describe_worker(end, rank, worker);
  return text;
}

/// Ranks that others wait for and that wait for nobody: the hang starts there.
std::vector<int> roots_of(const AbortReport& end) {
  std::set<int> awaited, waiting;
  std::map<std::string, std::vector<int>> by_activity;
  for (int rank = 0; rank < static_cast<int>(end.states.size()); ++rank) {
    const RankState* state = state_of(end, rank);
    if (state == nullptr || !end.places[rank].position) continue;
    by_activity[state->activity].push_back(rank);
    for (const WorkerState& worker : state->workers) {
      const auto others = awaited_ranks(end, rank, worker);
      awaited.insert(others.begin(), others.end());
      if (!others.empty()) waiting.insert(rank);
    }
  }
  std::vector<int> roots;
  std::set_difference(awaited.begin(), awaited.end(), waiting.begin(), waiting.end(),
                      std::back_inserter(roots));
  if (!roots.empty() || by_activity.size() < 2) return roots;
  // Outside the factorization all ranks do the same: they wait for those few that do something
  // else.
  const auto common = std::max_element(
      by_activity.begin(), by_activity.end(),
      [](const auto& a, const auto& b) { return a.second.size() < b.second.size(); });
  for (const auto& [activity, ranks] : by_activity)
    if (activity != common->first) roots.insert(roots.end(), ranks.begin(), ranks.end());
  std::sort(roots.begin(), roots.end());
  return roots;
}

/// "65 s (--watchdog 5, and 60 s for what has no steps to show)".
std::string allowed(double limit_seconds, double allowance_seconds) {
  if (allowance_seconds <= 0) return fmt::format("{:g} s", limit_seconds);
  return fmt::format("{:.4g} s (--watchdog {:g}, and {:.4g} s for what has no steps to show)",
                     limit_seconds + allowance_seconds, limit_seconds, allowance_seconds);
}

/// The state of a rank that has found the job stuck; otherwise of the one that is silent longest.
std::string describe_stall(const AbortReport& end) {
  const RankState* stuck = nullptr;
  double most = 0;
  for (const auto& state : end.states) {
    if (!state) continue;
    const double beyond = state->silent_seconds - state->allowance_seconds;
    if (stuck != nullptr && beyond <= most) continue;
    stuck = &*state;
    most = beyond;
  }
  const bool steps = stuck == nullptr || stuck->activity == activity::kFactorizes;
  return fmt::format("{} {}", steps ? "no step finished in" : "no progress for",
                     allowed(end.limit_seconds, stuck == nullptr ? 0 : stuck->allowance_seconds));
}

std::string headline(const AbortReport& end) {
  std::vector<int> failed;
  for (int rank = 0; rank < static_cast<int>(end.states.size()); ++rank)
    if (const RankState* state = state_of(end, rank); state != nullptr && !state->failure.empty())
      failed.push_back(rank);
  const std::vector<int> silent = silent_ranks(end);
  std::string text;
  if (!failed.empty()) {
    text = fmt::format("{}: {}", with_hosts(end, {failed.front()}),
                       state_of(end, failed.front())->failure);
    if (failed.size() > 1)
      text += fmt::format(" (and {} more rank{} failed)", failed.size() - 1,
                          failed.size() > 2 ? "s" : "");
  } else if (end.cause == AbortCause::Signal) {
    text = kEndedFromOutside;
  } else {
    text = describe_stall(end);
  }
  if (!silent.empty())
    return text +
           fmt::format("; no answer from {}: dead, stopped or cut off", with_hosts(end, silent));
  if (!failed.empty() || end.states.size() == 1) return text;
  if (const std::vector<int> roots = roots_of(end); !roots.empty())
    return text + fmt::format("; the others wait for {}", with_hosts(end, roots));
  return text;
}

// With this limit a state fits one message of mpi::SideChannel.
constexpr std::size_t kLongestFailure = 1200;
constexpr std::size_t kLongestName = 200;

}  // namespace

AbortCause first_cause(const AbortReport& end) {
  const bool failed = std::ranges::any_of(
      end.states, [](const auto& state) { return state && !state->failure.empty(); });
  return failed ? AbortCause::Failure : end.cause;
}

std::vector<int> awaited_ranks(const AbortReport& end, int rank, const WorkerState& worker) {
  std::vector<int> awaited;
  const auto& mine = end.places[rank].position;
  if (worker.peers == Peers::None || !mine) return awaited;
  for (int other = 0; other < static_cast<int>(end.places.size()); ++other) {
    const auto& place = end.places[other].position;
    if (other == rank || !place) continue;
    const bool together =
        worker.peers == Peers::Row ? place->row == mine->row : place->column == mine->column;
    if (!together) continue;
    const RankState* state = state_of(end, other);
    if (state == nullptr ? end.asked : is_behind(*state, worker)) awaited.push_back(other);
  }
  return awaited;
}

std::string describe_abort(const AbortReport& end) {
  std::string text = headline(end);
  const auto in_run = std::find_if(end.states.begin(), end.states.end(),
                                   [](const auto& state) { return state && !state->run.empty(); });
  if (in_run != end.states.end()) text += fmt::format("\n  in {}", (*in_run)->run);

  std::vector<std::pair<std::string, std::vector<int>>> lines;
  for (int rank = 0; rank < static_cast<int>(end.states.size()); ++rank) {
    if (!end.asked && state_of(end, rank) == nullptr) continue;
    std::string line = describe_rank(end, rank);
    const auto known = std::find_if(lines.begin(), lines.end(),
                                    [&](const auto& entry) { return entry.first == line; });
    if (known == lines.end())
      lines.push_back({std::move(line), {rank}});
    else
      known->second.push_back(rank);
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (i == kShownLines)
      return text + fmt::format("\n  and {} more kinds of state", lines.size() - i);
    text += fmt::format("\n  {}: {}", with_hosts(end, lines[i].second), lines[i].first);
  }
  return text;
}

BadEnd bad_end(const AbortReport& end) {
  BadEnd told{first_cause(end), describe_abort(end), silent_ranks(end)};
  for (const auto& state : end.states)
    if (state && !state->rests) told.busy.push_back(state->rank);
  return told;
}

std::string describe_lone_abort(AbortCause cause, const RankState& here, double limit_seconds) {
  const std::string rank = fmt::format("rank {} on {}: ", here.rank, here.host);
  if (cause == AbortCause::Signal)
    return rank + fmt::format("{} while it {}", kEndedFromOutside, here.activity);
  if (cause == AbortCause::Failure) return rank + here.failure;
  const std::string time = allowed(limit_seconds, here.allowance_seconds);
  if (here.activity == activity::kStartsMpi)
    return rank + fmt::format("another rank has not entered or left MPI_Init for {}", time);
  if (here.activity == activity::kEndsMpi)
    return rank +
           fmt::format(
               "this rank is done, but another one has not entered or left MPI_Finalize for {}",
               time);
  return rank +
         fmt::format("another rank has been behind for {}; this one {}", time, here.activity);
}

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
  record.internal(state.rests);
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
