#include "hpl/job/live/rank_board.h"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "rate_text.h"

namespace hpl {
namespace {

/// The pulse for which `value`, times `sign`, is largest; null when no rank has told any.
const RankPulse* extreme(const std::vector<RankPulse>& pulses, double RankPulse::*value,
                         double sign) {
  const RankPulse* best = nullptr;
  for (const RankPulse& pulse : pulses) {
    if (!(pulse.*value > 0)) continue;  // nor NaN
    if (best == nullptr || sign * pulse.*value > sign * best->*value) best = &pulse;
  }
  return best;
}

}  // namespace

RankBoard::RankBoard(std::vector<std::string> names)
    : names_(std::move(names)), last_(names_.size()) {
  for (std::size_t rank = 0; rank < last_.size(); ++rank)
    last_[rank].rank = static_cast<std::int32_t>(rank);
}

void RankBoard::put(const RankPulse& pulse) {
  if (pulse.rank < 0 || static_cast<std::size_t>(pulse.rank) >= last_.size()) return;
  RankPulse& last = last_[static_cast<std::size_t>(pulse.rank)];
  const double before = last.gflops;
  last = pulse;
  if (!(pulse.gflops > 0)) last.gflops = before;
}

std::string RankBoard::text() const {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
  const auto name = [&](const RankPulse* pulse) {
    return names_[static_cast<std::size_t>(pulse->rank)];
  };
  const RankPulse* const slowest = extreme(last_, &RankPulse::gflops, -1);
  const RankPulse* const fastest = extreme(last_, &RankPulse::gflops, 1);
  if (slowest != nullptr && slowest != fastest)
    add(fmt::format("slowest {} {}, fastest {} {}", name(slowest), rate_text(slowest->gflops),
                    name(fastest), rate_text(fastest->gflops)));
  if (const RankPulse* const hottest = extreme(last_, &RankPulse::celsius, 1))
    add(fmt::format("hottest {} {:.0f} C", name(hottest), hottest->celsius));
  if (const RankPulse* const hungriest = extreme(last_, &RankPulse::watts, 1))
    add(fmt::format("most power {} {:.0f} W", name(hungriest), hungriest->watts));
  return text;
}

}  // namespace hpl
