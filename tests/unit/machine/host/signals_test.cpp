#include "hpl/machine/host/stop_detector.h"

#include <array>
#include <functional>

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hpl/machine/host/termination_signal.h"

namespace hpl {
namespace {

using namespace std::chrono_literals;
using Clock = StopDetector::Clock;

constexpr Clock::time_point kBegin{};

/// Looks every 100 ms from the one time to the other.
void look_all_the_time(StopDetector& stops, Clock::duration from, Clock::duration to) {
  for (auto at = from; at <= to; at += 100ms)
    stops.look(kBegin + at);
}

TEST(StopDetector, ARankThatWasNeverStoppedCountsAllOfASilence) {
  StopDetector stops(kBegin);
  look_all_the_time(stops, 0s, 20s);
  stops.look(kBegin + 20900ms);  // a crowded machine
  EXPECT_EQ(stops.counted(20s, kBegin + 20900ms), 20s);
  EXPECT_FALSE(stops.just_let_go(kBegin + 20900ms));
}

TEST(StopDetector, TheTimeOfAStopIsNoSilenceOfTheOthers) {
  StopDetector stops(kBegin);
  look_all_the_time(stops, 0s, 1s);
  stops.look(kBegin + 9s);
  EXPECT_EQ(stops.counted(9s, kBegin + 9s), 0s);
  // The launcher has the time to say that it ends the rank.
  look_all_the_time(stops, 9s, 10400ms);
  EXPECT_EQ(stops.counted(10400ms, kBegin + 10400ms), 0s);
  EXPECT_TRUE(stops.just_let_go(kBegin + 10400ms));
  // Then the clock goes again, and a later signal has nothing to do with the stop.
  look_all_the_time(stops, 10500ms, 14500ms);
  EXPECT_EQ(stops.counted(14500ms, kBegin + 14500ms), 4s);
  EXPECT_FALSE(stops.just_let_go(kBegin + 14500ms));
}

TEST(StopDetector, ASilenceThatBeganAfterTheStopCountsAsItIs) {
  StopDetector stops(kBegin);
  stops.look(kBegin + 5s);
  look_all_the_time(stops, 5s, 20s);
  EXPECT_EQ(stops.counted(3s, kBegin + 20s), 3s);
}

TEST(StopDetector, EveryStopCounts) {
  StopDetector stops(kBegin);
  stops.look(kBegin + 5s);
  look_all_the_time(stops, 5s, 20s);
  stops.look(kBegin + 30s);
  EXPECT_EQ(stops.counted(30s, kBegin + 30s), 0s);
  EXPECT_TRUE(stops.just_let_go(kBegin + 30s));
}

enum Told { kNothing = 10, kLauncher, kOutside };

Told told(const std::optional<SignalSender>& sender) {
  return !sender ? kNothing : *sender == SignalSender::Launcher ? kLauncher : kOutside;
}

int exit_code_of(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// The sender that a process finds for a SIGTERM from `send`. It has one thread alone, which takes
/// the signal.
int heard_by_child(const std::function<void(pid_t)>& send) {
  std::array<int, 2> ready{};
  EXPECT_EQ(pipe(ready.data()), 0);
  const pid_t child = fork();
  if (child == 0) {
    const TerminationSignal signal;
    if (signal.take()) _exit(1);
    if (write(ready[1], "!", 1) != 1) _exit(2);
    pollfd end{signal.descriptor(), POLLIN, 0};
    if (poll(&end, 1, 30000) != 1) _exit(3);
    const Told first = told(signal.take());
    _exit(signal.take() ? 4 : first);
  }
  char word = 0;
  EXPECT_EQ(read(ready[0], &word, 1), 1);
  close(ready[0]);
  close(ready[1]);
  send(child);
  return exit_code_of(child);
}

TEST(TerminationSignal, OfTheParentIsTheLaunchers) {
  EXPECT_EQ(heard_by_child([](pid_t child) { kill(child, SIGTERM); }), kLauncher);
}

TEST(TerminationSignal, OfAnybodyElseComesFromOutside) {
  EXPECT_EQ(heard_by_child([](pid_t child) {
              const pid_t other = fork();
              if (other == 0) _exit(kill(child, SIGTERM) == 0 ? 0 : 1);
              EXPECT_EQ(exit_code_of(other), 0);
            }),
            kOutside);
}

TEST(TerminationSignal, DoesNotEndAProcessThatHasDoneItsWork) {
  const pid_t child = fork();
  if (child == 0) {
    { const TerminationSignal signal; }
    _exit(kill(getpid(), SIGTERM) == 0 ? kNothing : 1);
  }
  EXPECT_EQ(exit_code_of(child), kNothing);
}

}  // namespace
}  // namespace hpl
