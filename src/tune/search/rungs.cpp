#include "rungs.h"

#include <algorithm>

#include "hpl/base/number/statistics.h"

namespace hpl {

namespace {

double cost_of(const Rungs& rungs, const TrialCost& cost) {
  double sum = 0;
  std::size_t count = rungs.candidates;
  for (int level = rungs.first; level >= rungs.last; --level) {
    // About two candidates of the last rung are measured again.
    const std::size_t again = level == rungs.last && count > 1 ? 2 : 0;
    sum += static_cast<double>(count + again) * cost.at(level);
    count = third_of(count);
  }
  return sum;
}

}  // namespace

double TrialCost::at(int level) const {
  return whole_ * share_of_level(level) + overhead_;
}

void TrialCost::learn(double whole, int level, double cost) {
  wholes_.push_back(whole);
  whole_ = median(wholes_);
  beside_.push_back(std::max(0.0, cost - whole_ * share_of_level(level)));
  overhead_ = median(beside_);
}

void rank(std::vector<Scored>& rung) {
  std::stable_sort(rung.begin(), rung.end(),
                   [](const Scored& a, const Scored& b) { return a.seconds < b.seconds; });
  if (rung.empty()) return;
  auto first = rung.begin();
  for (auto other = rung.begin(); other != rung.end(); ++other)
    if (other->seconds <= rung.front().seconds * (1 + kTie) && other->index < first->index)
      first = other;
  std::rotate(rung.begin(), first, first + 1);
}

std::size_t third_of(std::size_t count) {
  return (count + 2) / 3;
}

Rungs affordable_rungs(const TrialCost& cost, std::size_t candidates, double seconds,
                       int shortest) {
  constexpr std::size_t kFew = 6;
  const bool panels = shortest == kShortestPanelTrial;
  for (std::size_t count = candidates;; count = count * 2 / 3) {
    // Of many candidates the last are compared by trials that tell something.
    const int last_of_many = panels || count > kFew ? 2 : shortest;
    for (int last = panels ? 0 : 1; last <= last_of_many; ++last)
      for (int first = last; first <= shortest; ++first)
        if (const Rungs rungs{first, last, count}; cost_of(rungs, cost) <= seconds) return rungs;
    if (count <= 2) return {};
  }
}

}  // namespace hpl
