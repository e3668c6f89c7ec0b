#include "hpl/machine/host/termination_signal.h"

#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <functional>

#include <gtest/gtest.h>

namespace hpl {
namespace {

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
