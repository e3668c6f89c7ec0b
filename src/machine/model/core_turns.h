#pragma once

#include <algorithm>
#include <deque>

namespace hpl {

/// Who has a core when, of those that take turns on it. What is asked for later may come earlier:
/// workers are simulated one after the other.
class CoreTurns {
 public:
  /// Work that is ready at `ready` and is not interrupted for `seconds` gets the first pause that
  /// holds it. Returns when it begins.
  double take(double ready, double seconds) {
    auto next = std::upper_bound(turns_.begin(), turns_.end(), ready,
                                 [](double at, const Turn& turn) { return at < turn.end; });
    for (; next != turns_.end() && ready + seconds > next->begin; ++next)
      ready = next->end;
    turns_.insert(next, {ready, ready + seconds});
    if (turns_.size() > kRemembered) turns_.pop_front();
    return ready;
  }

 private:
  struct Turn {
    double begin = 0, end = 0;
  };
  static constexpr std::size_t kRemembered = 64;  // more than workers are ahead of each other

  std::deque<Turn> turns_;  // one after the other
};

}  // namespace hpl
