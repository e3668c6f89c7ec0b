#pragma once

#include <csignal>

namespace hpl {

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
  /// Whether the signal has come since the last call.
  bool take() const noexcept;

 private:
  sigset_t former_mask_{};
  int descriptor_ = -1;
};

}  // namespace hpl
