#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

namespace hpl {

/// Finds out that this process was stopped (SIGSTOP, a suspended job, a frozen container) and let
/// go on. A thread that waits for a moment again and again looks at the clock each time: a wait
/// that took far longer was none of its own. The silence of others in that time is no silence.
class StopDetector {
 public:
  using Clock = std::chrono::steady_clock;

  /// From one look to the next: more than a crowded machine makes of a wait of 100 ms.
  static constexpr std::chrono::milliseconds kLeastStop{1000};
  /// Launchers let a stopped rank go on a second before they send it SIGTERM.
  static constexpr std::chrono::milliseconds kSettling{1500};

  explicit StopDetector(Clock::time_point now) : last_look_(now) {}

  void look(Clock::time_point now) {
    if (now - last_look_ >= kLeastStop) let_go_ = now;
    last_look_ = now;
  }
  /// The part of a silence that counts. The clock starts anew when the process has settled.
  Clock::duration counted(Clock::duration silence, Clock::time_point now) const {
    if (!let_go_) return silence;
    return std::clamp<Clock::duration>(now - *let_go_ - kSettling, Clock::duration::zero(),
                                       std::max(silence, Clock::duration::zero()));
  }
  /// It was let go on so lately that what ends it now goes back to the time when it was stopped.
  bool just_let_go(Clock::time_point now) const {
    return let_go_ && now - *let_go_ < 2 * kSettling;
  }

 private:
  Clock::time_point last_look_;
  std::optional<Clock::time_point> let_go_;
};

}  // namespace hpl
