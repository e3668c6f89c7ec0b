#include "hpl/machine/host/termination_signal.h"

#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>

namespace hpl {

TerminationSignal::TerminationSignal() noexcept : launcher_(getppid()) {
  sigset_t mask, former;
  sigemptyset(&mask);
  sigaddset(&mask, SIGTERM);
  if (pthread_sigmask(SIG_BLOCK, &mask, &former) != 0) return;
  descriptor_ = signalfd(-1, &mask, SFD_NONBLOCK | SFD_CLOEXEC);
  if (descriptor_ < 0) pthread_sigmask(SIG_SETMASK, &former, nullptr);
}

TerminationSignal::~TerminationSignal() {
  if (descriptor_ >= 0) close(descriptor_);
}

std::optional<SignalSender> TerminationSignal::take() const noexcept {
  if (descriptor_ < 0) return std::nullopt;
  std::optional<SignalSender> sender;
  signalfd_siginfo info{};
  while (read(descriptor_, &info, sizeof info) == static_cast<ssize_t>(sizeof info))
    sender = static_cast<pid_t>(info.ssi_pid) == launcher_ ? SignalSender::Launcher
                                                           : SignalSender::Outside;
  return sender;
}

}  // namespace hpl
