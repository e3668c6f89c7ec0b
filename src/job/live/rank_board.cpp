#include "hpl/job/live/rank_board.h"
#include "hpl/base/text/quantity.h"

#include <utility>

#include <fmt/format.h>

namespace hpl {
namespace {

/// The sample for which `value`, times `sign`, is largest; null when no rank has told any.
const ProgressSample* extreme(const std::vector<ProgressSample>& progress_samples,
                              double ProgressSample::*value, double sign) {
  const ProgressSample* best = nullptr;
  for (const ProgressSample& sample : progress_samples) {
    if (!(sample.*value > 0)) continue;  // nor NaN
    if (best == nullptr || sign * sample.*value > sign * best->*value) best = &sample;
  }
  return best;
}

}  // namespace

RankBoard::RankBoard(std::vector<std::string> names)
    : names_(std::move(names)), last_(names_.size()) {
  for (std::size_t rank = 0; rank < last_.size(); ++rank)
    last_[rank].rank = static_cast<std::int32_t>(rank);
}

void RankBoard::put(const ProgressSample& sample) {
  if (sample.rank < 0 || static_cast<std::size_t>(sample.rank) >= last_.size()) return;
  ProgressSample& last = last_[sample.rank];
  const double before = last.gflops;
  last = sample;
  if (!(sample.gflops > 0)) last.gflops = before;
}

std::vector<std::string> RankBoard::fields() const {
  std::vector<std::string> fields;
  const auto name = [&](const ProgressSample* sample) { return names_[sample->rank]; };
  const ProgressSample* const slowest = extreme(last_, &ProgressSample::gflops, -1);
  const ProgressSample* const fastest = extreme(last_, &ProgressSample::gflops, 1);
  if (slowest != nullptr && slowest != fastest)
    fields = {fmt::format("slowest {} {}", name(slowest), rate_text(slowest->gflops)),
              fmt::format("fastest {} {}", name(fastest), rate_text(fastest->gflops))};
  if (const ProgressSample* const hottest = extreme(last_, &ProgressSample::celsius, 1))
    fields.push_back(fmt::format("hottest {} {:.0f} C", name(hottest), hottest->celsius));
  if (const ProgressSample* const hungriest = extreme(last_, &ProgressSample::watts, 1))
    fields.push_back(fmt::format("most power {} {:.0f} W", name(hungriest), hungriest->watts));
  return fields;
}

}  // namespace hpl
