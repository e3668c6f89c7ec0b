#pragma once

#include <sys/types.h>

#include <csignal>
#include <optional>

namespace hpl {

/// Who has sent a signal.
enum class SignalSender {
  Launcher,  ///< the process that has started this one
  Outside    ///< anybody else: a user, a batch system, a launcher behind a shell script
};

/// SIGTERM as something to wait for instead of sudden death, for the life of the object: a launcher
/// sends it to the ranks that are left when one has died. Made by the main thread before any other
/// thread exists, since threads inherit what they block. Where the kernel refuses, SIGTERM ends the
/// process as ever.
class TerminationSignal {
 public:
  TerminationSignal() noexcept;
  ~TerminationSignal();
  TerminationSignal(const TerminationSignal&) = delete;
  TerminationSignal& operator=(const TerminationSignal&) = delete;

  /// Readable, for poll(), once the signal has come; -1 where nobody waits for it.
  int descriptor() const { return descriptor_; }
  /// The sender of the signal, if it has come since the last call; of several the last.
  std::optional<SignalSender> take() const noexcept;

 private:
  sigset_t former_mask_{};
  int descriptor_ = -1;
  pid_t launcher_;  // of the beginning: another one adopts a process whose launcher has died
};

}  // namespace hpl
