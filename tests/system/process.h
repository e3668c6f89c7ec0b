#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace hpl::test {

/// A program to run to its end.
struct Command {
  std::vector<std::string> words;  ///< program (found through PATH) and arguments
  std::filesystem::path directory;
  std::vector<std::pair<std::string, std::string>> environment;  ///< added to this process's own
  std::chrono::seconds timeout{60};
};

/// The end of a program, and its output.
struct Outcome {
  int exit_code = -1;  ///< 128 + signal where a signal ended it
  bool timed_out = false;
  std::vector<std::string> children_left;  ///< processes that it had started and not ended by then
  std::string output;                      ///< standard output
  std::string errors;                      ///< standard error
};

/// Everything about an outcome, for the message of a failed expectation.
std::string describe(const Outcome& outcome);

/// Runs `command` with an empty standard input. When the time is over it is ended with SIGTERM,
/// which mpirun hands on to its ranks, and killed if that does not help. A launcher that has told
/// the exit code of its job and whose ranks have all ended has not timed out, and has that code.
/// Throws std::system_error if it cannot start.
Outcome run(const Command& command);

}  // namespace hpl::test
