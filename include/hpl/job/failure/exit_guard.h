#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

namespace hpl {

/// Libraries end the process when they cannot go on, with exit codes of their own: MPI that finds
/// no file descriptor left, say. While the object lives, an exit() or _exit() that is not this
/// program's is told of and becomes ExitCode::Broken. One at a time.
class ExitGuard {
 public:
  /// `message` tells of an end with that exit code, in whichever thread ends the process.
  explicit ExitGuard(std::function<std::string(int code)> message);
  ~ExitGuard();
  ExitGuard(const ExitGuard&) = delete;
  ExitGuard& operator=(const ExitGuard&) = delete;

  /// Returns where the end with that exit code is none of the guard's business.
  void at_exit(int code) const;

 private:
  std::function<std::string(int)> message_;
  pid_t process_;  // a child that could not start its program ends by _exit() as well
};

}  // namespace hpl
