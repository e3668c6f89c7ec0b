#pragma once

#include <sys/types.h>

#include <functional>
#include <string>

namespace hpl {

/// Libraries that cannot go on end the process with exit codes of their own, MPI without file
/// descriptors for instance. While this object lives, an exit() or _exit() by others is reported
/// and becomes ExitCode::Broken. One object at a time.
class ExitGuard {
 public:
  /// `message` reports an end with that exit code. Called in the thread that ends the process.
  explicit ExitGuard(std::function<std::string(int code)> message);
  ~ExitGuard();
  ExitGuard(const ExitGuard&) = delete;
  ExitGuard& operator=(const ExitGuard&) = delete;

  /// Reports and ends the process. Returns where the exit is the program's own or a child's.
  void at_exit(int code) const;

 private:
  std::function<std::string(int)> message_;
  pid_t process_;  // a child that could not start its program ends by _exit() as well
};

}  // namespace hpl
