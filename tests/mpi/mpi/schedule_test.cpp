#include "hpl/comm/mpi/schedule.h"

#include <cstddef>
#include <stdexcept>
#include <vector>

#include <gtest/gtest.h>

namespace hpl::mpi {
namespace {

constexpr auto kSend = Message::Direction::Send;
constexpr auto kReceive = Message::Direction::Receive;
using Bytes = std::vector<std::byte>;

TEST(ReceivesMayStartEarly, WhenWhatArrivesIsOnlySentOn) {
  EXPECT_TRUE(receives_may_start_early({}));
  EXPECT_TRUE(receives_may_start_early({{.messages = {{0, 0, 8, kReceive}}},
                                        {.messages = {{0, 8, 8, kReceive}, {2, 0, 8, kSend}}},
                                        {.messages = {{2, 0, 16, kSend}}}}));
}

TEST(ReceivesMayStartEarly, NotWhenAnEarlierSendStillNeedsThePlace) {
  EXPECT_FALSE(receives_may_start_early(
      {{.messages = {{1, 0, 64, kSend}}}, {.messages = {{1, 56, 8, kReceive}}}}));
  EXPECT_FALSE(receives_may_start_early({{.messages = {{1, 0, 64, kSend}, {1, 56, 8, kReceive}}}}));
}

TEST(ReceivesMayStartEarly, NotWhenTwoReceivesShareAPlace) {
  EXPECT_FALSE(receives_may_start_early(
      {{.messages = {{1, 0, 16, kReceive}}}, {.messages = {{2, 8, 16, kReceive}}}}));
}

TEST(InPieces, CutsEveryMessageInItsPlaceAndKeepsTheStages) {
  const Schedule whole{{.messages = {{1, 0, 20, kSend}, {2, 32, 8, kReceive}}},
                       {.messages = {{1, 40, 0, kSend}}, .after_sends = true}};
  const Schedule cut{
      {.messages = {{1, 0, 8, kSend}, {1, 8, 8, kSend}, {1, 16, 4, kSend}, {2, 32, 8, kReceive}}},
      {.messages = {{1, 40, 0, kSend}}, .after_sends = true}};
  EXPECT_EQ(in_pieces(whole, 8), cut);
  EXPECT_EQ(in_pieces(whole, 20), whole);
}

TEST(ScheduleRun, CarriesOutAPatternInPieces) {
  const Communicator comm = Communicator::world();
  const int size = comm.size();
  const int next = (comm.rank() + 1) % size, previous = (comm.rank() + size - 1) % size;
  constexpr std::int64_t kBytes = 100'003;
  Bytes buffer(2 * kBytes);
  for (std::int64_t i = 0; i < kBytes; ++i)
    buffer[static_cast<std::size_t>(i)] = static_cast<std::byte>(i * 7 + comm.rank());

  const Schedule whole{
      {.messages = {{next, 0, kBytes, kSend}, {previous, kBytes, kBytes, kReceive}}}};
  ScheduleRun run(comm, in_pieces(whole, 4096), buffer, comm.tag(0));
  run.wait(WaitPolicy::sleeping());

  for (std::int64_t i = 0; i < kBytes; ++i)
    ASSERT_EQ(buffer[static_cast<std::size_t>(kBytes + i)],
              static_cast<std::byte>(i * 7 + previous));
}

TEST(ScheduleRun, ReusesAPlaceInTheOrderOfTheStages) {
  // Each rank's byte travels once round the ring through one place: in, out, in, out.
  const Communicator comm = Communicator::world();
  const int size = comm.size();
  const int next = (comm.rank() + 1) % size, previous = (comm.rank() + size - 1) % size;
  Schedule schedule;
  for (int step = 0; step < size; ++step) {
    schedule.push_back(
        {.messages = {{next, step % 2, 1, kSend}, {previous, (step + 1) % 2, 1, kReceive}}});
    schedule.push_back({.after_sends = true});
  }
  Bytes buffer{static_cast<std::byte>(10 + comm.rank()), std::byte{0}};

  ScheduleRun run(comm, schedule, buffer, comm.tag(0));
  run.wait(WaitPolicy::sleeping());

  EXPECT_TRUE(run.done());
  EXPECT_EQ(buffer[static_cast<std::size_t>(size % 2)], static_cast<std::byte>(10 + comm.rank()));
}

TEST(ScheduleRun, BeginsAStageAfterTheSendsOfTheStagesBeforeWhereThatIsAsked) {
  const Communicator comm = Communicator::world();
  if (comm.size() == 1) GTEST_SKIP() << "alone there is nobody to send to";
  constexpr std::int64_t kLong = std::int64_t{1} << 24;  // waits for its receiver
  const auto direction = comm.rank() == 0 ? kSend : kReceive;
  const int peer = 1 - comm.rank();
  Bytes buffer(kLong + 1);
  if (comm.rank() < 2) {
    ScheduleRun run(comm,
                    {{.messages = {{peer, 0, kLong, direction}}},
                     {.messages = {{peer, kLong, 1, direction}}, .after_sends = true}},
                    buffer, comm.tag(0));
    if (comm.rank() == 0) {
      run.start();
      for (int i = 0; i < 100; ++i)
        EXPECT_FALSE(run.progress());
      buffer.back() = std::byte{7};
    }
    comm.barrier();
    run.wait(WaitPolicy::sleeping());
    EXPECT_EQ(buffer.back(), std::byte{7});
  } else {
    comm.barrier();
  }
}

TEST(ScheduleRun, AnEmptyScheduleIsDoneAtOnce) {
  const Communicator comm = Communicator::world();
  ScheduleRun run(comm, {}, {}, 0);
  run.start();
  EXPECT_TRUE(run.progress());
}

TEST(ScheduleRun, RefusesAMessageThatLeavesTheBuffer) {
  const Communicator comm = Communicator::world();
  Bytes buffer(8);
  const Schedule outside{{.messages = {{0, 4, 5, kSend}}}};
  EXPECT_THROW(ScheduleRun(comm, outside, buffer, 0), std::logic_error);
}

}  // namespace
}  // namespace hpl::mpi
