#pragma once

#include <sys/types.h>

#include <optional>

namespace hpl {

/// The sender of a signal.
enum class SignalSender {
  Launcher,  ///< the process that has started this one
  Outside    ///< anybody else: a user, a batch system, a launcher behind a shell script
};

/// SIGTERM as an event to wait for: a launcher sends it to the ranks that are left when one has
/// died. Constructed by the main thread before any other thread exists, since threads inherit what
/// is blocked. The signal stays blocked when the object is gone: the process has done its work by
/// then, and its exit code says how that went. Where the kernel refuses, SIGTERM ends the process
/// as ever.
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
  int descriptor_ = -1;
  pid_t launcher_;  // of the beginning: another one adopts a process whose launcher has died
};

}  // namespace hpl
