#include "roll_call.h"

#include <algorithm>

namespace hpl {

namespace {

/// Questions within the time after which a rank counts as missing.
constexpr int kQuestions = 4;

}  // namespace

RollCall::RollCall(int rank, int size, double limit_seconds)
    : rank_(rank),
      silence_(std::max<Clock::duration>(kLeastSilence,
                                         std::chrono::duration_cast<Clock::duration>(
                                             std::chrono::duration<double>(limit_seconds)))),
      ranks_(static_cast<std::size_t>(size)) {}

bool RollCall::is_due(Clock::time_point now) const {
  return !last_asked_ || now - *last_asked_ >= silence_ / kQuestions;
}

void RollCall::asked(Clock::time_point now) {
  last_asked_ = now;
  for (Rank& rank : ranks_)
    if (!rank.owes_since) rank.owes_since = now;
  answered(rank_, true);
}

void RollCall::answered(int rank, bool rests) {
  ranks_[rank] = {.owes_since = std::nullopt, .rests = rests};
}

void RollCall::cancel() {
  last_asked_.reset();
  std::ranges::fill(ranks_, Rank{});
}

std::vector<int> RollCall::missing(Clock::time_point now) const {
  std::vector<int> missing;
  for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) {
    const auto& [owes_since, rests] = ranks_[rank];
    if (owes_since && now - *owes_since >= silence_)
      missing.push_back(rank);
    else if (owes_since || !rests)
      return {};
  }
  return missing;
}

}  // namespace hpl
