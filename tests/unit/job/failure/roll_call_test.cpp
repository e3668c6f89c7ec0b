#include "job/failure/roll_call.h"

#include <vector>

#include <gtest/gtest.h>

namespace hpl {
namespace {

using namespace std::chrono_literals;
using Ranks = std::vector<int>;

/// Rank 0 of four waits with a limit of 20 s. Nothing here waits: the clock is a number.
class RollCallOfFour : public testing::Test {
 protected:
  /// All ranks are asked every 5 s until `end`; those of `present` answer a second later.
  void ask_until(std::chrono::seconds end, const Ranks& present, const Ranks& at_work = {}) {
    for (; now_ < begin_ + end; now_ += 1s) {
      if (call_.is_due(now_)) {
        call_.asked(now_);
      } else {
        for (const int rank : present)
          call_.answered(rank, std::ranges::find(at_work, rank) == at_work.end());
      }
    }
  }
  Ranks missing() const { return call_.missing(now_); }

  const RollCall::Clock::time_point begin_{100h};
  RollCall::Clock::time_point now_ = begin_;
  RollCall call_{0, 4, 20};
};

TEST_F(RollCallOfFour, NobodyIsMissingBeforeTheLimitIsOver) {
  ask_until(19s, {1, 2});
  EXPECT_EQ(missing(), Ranks{});
}

TEST_F(RollCallOfFour, RanksWithoutAnAnswerForTheLimitAreMissing) {
  ask_until(22s, {2});
  EXPECT_EQ(missing(), (Ranks{1, 3}));
}

TEST_F(RollCallOfFour, ASlowRankThatAnswersIsNeverMissing) {
  ask_until(3600s, {1, 2, 3}, {3});
  EXPECT_EQ(missing(), Ranks{});
}

TEST_F(RollCallOfFour, NobodyIsGivenUpWhileAnotherRankIsAtWork) {
  ask_until(3600s, {1, 2}, {2});
  EXPECT_EQ(missing(), Ranks{}) << "the result of rank 2 is worth the wait";
  ask_until(3610s, {1, 2});
  EXPECT_EQ(missing(), Ranks{3});
}

TEST_F(RollCallOfFour, AnAnswerEndsASilence) {
  ask_until(18s, {1, 2});
  call_.answered(3, true);
  ask_until(30s, {1, 2});
  EXPECT_EQ(missing(), Ranks{}) << "it owes an answer for 10 s";
  ask_until(42s, {1, 2});
  EXPECT_EQ(missing(), Ranks{3});
}

TEST_F(RollCallOfFour, TheSilenceOfOthersWhileThisRankWasStoppedDoesNotCount) {
  ask_until(3s, {1, 2, 3});
  now_ += 1h;
  call_.cancel();
  EXPECT_EQ(missing(), Ranks{});
  EXPECT_TRUE(call_.is_due(now_));
}

TEST(RollCall, AShortLimitIsNoReasonToGiveUpSoon) {
  const RollCall::Clock::time_point begin{1h};
  RollCall call(1, 2, 0.5);
  call.asked(begin);
  EXPECT_EQ(call.missing(begin + 4900ms), Ranks{});
  EXPECT_EQ(call.missing(begin + 5s), Ranks{0});
}

}  // namespace
}  // namespace hpl
