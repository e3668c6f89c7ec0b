#include "hpl/job/failure/abort_report.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hpl/comm/mpi/side_channel.h"
#include "support/holds.h"

namespace hpl {
namespace {

/// Four ranks on two hosts as a 2 x 2 grid in row-major order; all answer and idle.
AbortReport job_of_four() {
  AbortReport end{.cause = AbortCause::Stall, .limit_seconds = 10};
  for (int rank = 0; rank < 4; ++rank) {
    end.places.push_back({rank < 2 ? "alpha" : "beta", GridPosition{rank / 2, rank % 2}});
    end.states.push_back(RankState{.rank = rank,
                                   .host = rank < 2 ? "alpha" : "beta",
                                   .activity = "factorizes the matrix",
                                   .run = "run 1 of 1"});
  }
  return end;
}

WorkerState swap_at(std::int64_t step, std::int64_t chunk) {
  return {Worker::Swap, "exchanges rows", step, chunk, Peers::Column};
}
WorkerState broadcast_at(std::int64_t step) {
  return {Worker::Panel, "broadcasts the panel", step, 0, Peers::Row};
}
WorkerState factorize_at(std::int64_t step) {
  return {Worker::Panel, "factorizes the panel", step, 0, Peers::Column};
}
WorkerState update_at(std::int64_t step, std::int64_t chunk) {
  return {Worker::Update, "updates the tail", step, chunk, Peers::None};
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}
TEST(AwaitedRanks, AreThoseOfTheRowThatHaveNotComeAsFar) {
  AbortReport end = job_of_four();
  end.states[0]->workers = {broadcast_at(5)};
  end.states[1]->workers = {factorize_at(5)};
  end.states[2]->workers = {factorize_at(5)};
  EXPECT_EQ(awaited_ranks(end, 0, broadcast_at(5)), std::vector<int>{1});
}

TEST(AwaitedRanks, AreNoneWhereTheOthersAreAsFarOrFarther) {
  AbortReport end = job_of_four();
  end.states[0]->workers = {broadcast_at(5)};
  end.states[1]->workers = {broadcast_at(5)};
  EXPECT_TRUE(awaited_ranks(end, 0, broadcast_at(5)).empty());
  end.states[1]->workers = {factorize_at(6)};
  EXPECT_TRUE(awaited_ranks(end, 0, broadcast_at(5)).empty());
}

TEST(AwaitedRanks, OfARowExchangeAreInTheColumn) {
  AbortReport end = job_of_four();
  for (auto& state : end.states)
    state->workers = {swap_at(7, 1)};
  EXPECT_EQ(awaited_ranks(end, 0, swap_at(7, 2)), std::vector<int>{2});
  EXPECT_EQ(awaited_ranks(end, 3, swap_at(7, 2)), std::vector<int>{1});
}

TEST(AwaitedRanks, AreNoneForAWorkerThatComputes) {
  AbortReport end = job_of_four();
  for (auto& state : end.states)
    state->workers = {update_at(1, 0)};
  EXPECT_TRUE(awaited_ranks(end, 0, update_at(7, 0)).empty());
}

TEST(AwaitedRanks, IncludeThoseThatDoNotAnswerIfTheyCouldBeAsked) {
  AbortReport end = job_of_four();
  end.states[2].reset();
  EXPECT_EQ(awaited_ranks(end, 0, swap_at(7, 0)), std::vector<int>{2});
  end.asked = false;
  EXPECT_TRUE(awaited_ranks(end, 0, swap_at(7, 0)).empty());
}

TEST(AwaitedRanks, LeaveOutRanksWithoutAPartInTheRun) {
  AbortReport end = job_of_four();
  end.places[2].position.reset();
  end.states[2].reset();
  EXPECT_TRUE(awaited_ranks(end, 0, swap_at(7, 0)).empty());
}

TEST(AwaitedRanks, KnowTheOrderOfASingleThread) {
  AbortReport end = job_of_four();
  const auto waits = [&](const WorkerState& mine, const WorkerState& theirs) {
    end.states[2]->workers = {theirs};
    return !awaited_ranks(end, 0, mine).empty();
  };
  EXPECT_TRUE(waits(swap_at(7, 0), broadcast_at(7)));
  EXPECT_TRUE(waits(swap_at(7, 2), update_at(7, 1)));
  EXPECT_FALSE(waits(swap_at(7, 1), update_at(7, 1)));
  EXPECT_TRUE(waits(swap_at(7, 1), factorize_at(8)));
  EXPECT_FALSE(waits(swap_at(7, 1), broadcast_at(8)));
  EXPECT_TRUE(waits(factorize_at(8), update_at(7, 0)));
}

TEST(DescribeEnd, NamesTheSilentRankItsHostAndWhoWaitsForIt) {
  AbortReport end = job_of_four();
  end.states[3].reset();
  end.states[1]->workers = {swap_at(12, 0)};
  const std::string text = describe_abort(end) + "\n";
  EXPECT_EQ(first_line(text),
            "no step finished in 10 s; no answer from rank 3 on beta: dead, stopped or cut "
            "off");
  EXPECT_TRUE(test::holds(text, {"  in run 1 of 1\n",
                                 "rank 1 on alpha: swap worker exchanges rows (step 12), waits for "
                                 "rank 3\n",
                                 "  rank 3 on beta: no answer\n"}));
}

TEST(DescribeEnd, NamesTheRankThatAllWaitForInTheEnd) {
  AbortReport end = job_of_four();
  end.states[0]->workers = {broadcast_at(5)};
  end.states[1]->workers = {factorize_at(5)};
  end.states[2]->workers = {broadcast_at(5)};
  end.states[3]->workers = {{Worker::Panel, "waits for the panel's columns", 5, 0, Peers::None}};
  EXPECT_EQ(first_line(describe_abort(end)),
            "no step finished in 10 s; the others wait for rank 3 on beta");
}

TEST(DescribeEnd, TellsAFailureBeforeAllElseAndCountsTheOthers) {
  AbortReport end = job_of_four();
  end.states[1]->failure = "the device is gone";
  end.states[2]->failure = "so is mine";
  EXPECT_EQ(first_line(describe_abort(end)),
            "rank 1 on alpha: the device is gone (and 1 more rank failed)");
  end.cause = AbortCause::Signal;
  EXPECT_EQ(first_cause(end), AbortCause::Failure);
}

TEST(DescribeEnd, SaysThatTheEndCameFromOutside) {
  AbortReport end = job_of_four();
  end.cause = AbortCause::Signal;
  end.states[0].reset();
  end.states[1].reset();
  EXPECT_EQ(first_line(describe_abort(end)),
            "ended from outside (SIGTERM); no answer from ranks 0 and 1 on alpha: dead, "
            "stopped or cut off");
  EXPECT_EQ(first_cause(end), AbortCause::Signal);
}

TEST(DescribeEnd, OutsideARunNamesTheFewThatDoSomethingElse) {
  AbortReport end = job_of_four();
  end.states[2]->activity = "checks the solution";
  EXPECT_EQ(first_line(describe_abort(end)),
            "no step finished in 10 s; the others wait for rank 2 on beta");
}

TEST(DescribeEnd, PutsRanksThatDoTheSameOnOneLine) {
  AbortReport end{.cause = AbortCause::Stall, .limit_seconds = 1};
  for (int rank = 0; rank < 1000; ++rank) {
    end.places.push_back({"node" + std::to_string(rank / 500), std::nullopt});
    end.states.push_back(RankState{.rank = rank, .activity = rank == 700 ? "measures" : "rests"});
  }
  const std::string text = describe_abort(end) + "\n";
  EXPECT_TRUE(
      test::holds(text, {"  ranks 0 to 499 on node0, ranks 500 to 699 and 701 to 999 on node1: "
                         "rests\n",
                         "  rank 700 on node1: measures\n"}));
}

TEST(DescribeEnd, SpeaksForItsOwnRankWhereTheOthersCouldNotBeAsked) {
  AbortReport end = job_of_four();
  end.asked = false;
  for (int rank = 1; rank < 4; ++rank)
    end.states[static_cast<std::size_t>(rank)].reset();
  end.states[0]->workers = {broadcast_at(5)};
  EXPECT_EQ(describe_abort(end),
            "no step finished in 10 s\n  in run 1 of 1\n  rank 0 on alpha: panel worker "
            "broadcasts the panel (step 5)");
}

TEST(BadEnds, NameRanksThatAreSilentAndThoseThatHaveWork) {
  AbortReport end = job_of_four();
  end.states[3].reset();
  end.states[1]->rests = end.states[2]->rests = true;
  const BadEnd told = bad_end(end);
  EXPECT_EQ(told.cause, AbortCause::Stall);
  EXPECT_EQ(told.silent, std::vector<int>{3});
  EXPECT_EQ(told.busy, std::vector<int>{0});
  EXPECT_EQ(told.message, describe_abort(end));
}

TEST(RankStateText, ComesBackAsItWas) {
  const RankState state{.rank = 3,
                        .host = "alpha",
                        .activity = "factorizes the matrix",
                        .run = "run 2 of 3",
                        .rests = true,
                        .silent_seconds = 1.5,
                        .failure = "it broke, \"badly\"",
                        .workers = {swap_at(7, 2), broadcast_at(8)}};
  const RankState back = rank_state(to_text(state));
  EXPECT_EQ(to_text(back), to_text(state));
  EXPECT_EQ(back.workers[0].chunk, 2);
  EXPECT_EQ(back.workers[1].peers, Peers::Row);
  EXPECT_EQ(back.failure, state.failure);
}

TEST(RankStateText, IsShortWhateverItHolds) {
  RankState state{.rank = 1,
                  .host = std::string(5000, 'h'),
                  .activity = std::string(5000, 'a'),
                  .run = std::string(5000, 'r'),
                  .failure = std::string(5000, 'f'),
                  .workers = {swap_at(7, 2), broadcast_at(8), update_at(6, 1), factorize_at(8)}};
  EXPECT_LT(to_text(state).size(), mpi::SideChannel::kLongestText);
}

TEST(RankStateText, OfNonsenseIsAStateWithoutWords) {
  EXPECT_TRUE(rank_state("{\"rank\":").activity.empty());
  EXPECT_TRUE(rank_state("").workers.empty());
}

TEST(DescribeEnd, ATimeBeyondTheLimitIsToldWithItsReason) {
  AbortReport end = job_of_four();
  for (auto& state : end.states) {
    state->activity = "generates the matrix";
    state->silent_seconds = 3;
  }
  end.states[2]->silent_seconds = 70.2;
  end.states[2]->allowance_seconds = 60;
  EXPECT_EQ(first_line(describe_abort(end)),
            "no progress for 70 s (--watchdog 10, and 60 s for what has no steps to show)");
}

TEST(DescribeEnd, StepsAreNamedWhereThereAreSome) {
  AbortReport end = job_of_four();
  EXPECT_EQ(first_line(describe_abort(end)), "no step finished in 10 s");
  for (auto& state : end.states)
    state->activity = "gathers the measurements";
  EXPECT_EQ(first_line(describe_abort(end)), "no progress for 10 s");
}

TEST(DescribeLoneEnd, WhileMpiStartsAndEndsSaysWhereAnotherRankIsMissing) {
  RankState here{
      .rank = 2, .host = "beta", .activity = activity::kStartsMpi, .allowance_seconds = 10.4};
  EXPECT_EQ(describe_lone_abort(AbortCause::Stall, here, 5),
            "rank 2 on beta: another rank has not entered or left MPI_Init for 15.4 s "
            "(--watchdog 5, and 10.4 s for what has no steps to show)");
  here.activity = activity::kEndsMpi;
  EXPECT_TRUE(test::holds(describe_lone_abort(AbortCause::Stall, here, 5),
                          {"another one has not entered or left MPI_Finalize for 15.4 s"}));
  here.activity = "prepares the job";
  EXPECT_TRUE(test::holds(describe_lone_abort(AbortCause::Stall, here, 5),
                          {"another rank has been behind for 15.4 s"}));
  EXPECT_EQ(describe_lone_abort(AbortCause::Signal, here, 5),
            "rank 2 on beta: ended from outside (SIGTERM) while it prepares the job");
  here.failure = "no memory";
  EXPECT_EQ(describe_lone_abort(AbortCause::Failure, here, 5), "rank 2 on beta: no memory");
}

}  // namespace
}  // namespace hpl
