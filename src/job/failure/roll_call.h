#pragma once

#include <chrono>
#include <optional>
#include <vector>

namespace hpl {

/// Finds the ranks that are dead, stopped or cut off, for a rank that waits for the work of others.
/// It asks all ranks now and then. The watchdog's thread answers, so a rank that computes does too,
/// however slow it is. Pure: the caller asks, hears and reads the clock.
class RollCall {
 public:
  using Clock = std::chrono::steady_clock;

  /// A shorter silence never counts: on a crowded machine threads wake up late.
  static constexpr std::chrono::seconds kLeastSilence{5};

  /// `limit_seconds`: the watchdog's.
  RollCall(int rank, int size, double limit_seconds);

  /// Whether all ranks are to be asked now.
  bool is_due(Clock::time_point now) const;
  void asked(Clock::time_point now);
  /// `rests`: that rank waits for the work of others as well.
  void answered(int rank, bool rests);
  /// This rank has work of its own, or was stopped itself: earlier questions do not count.
  void cancel();

  /// The ranks that have owed an answer for the limit. Empty as long as another rank is at work:
  /// its result is worth the wait.
  std::vector<int> missing(Clock::time_point now) const;

 private:
  struct Rank {
    std::optional<Clock::time_point> owes_since{};  ///< the first question without an answer
    bool rests = false;                             ///< by its last answer
  };

  int rank_;
  Clock::duration silence_;
  std::vector<Rank> ranks_;
  std::optional<Clock::time_point> last_asked_;
};

}  // namespace hpl
