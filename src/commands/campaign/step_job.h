#pragma once

#include <csignal>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "hpl/base/error/error.h"

namespace hpl::campaign {

/// The end of a program that was started.
struct JobEnd {
  int code = 0;           ///< as shells tell it: 128 and the number of the signal that ended it
  double seconds = 0;     ///< from start to end
  bool too_long = false;  ///< it was ended, since its time was over
};

/// SIGTERM, SIGINT or SIGHUP came: the program at work has ended, too.
class Interrupted : public RunError {
 public:
  explicit Interrupted(int signal);
};

/// Starts programs one after the other, each in a process group of its own. From the construction
/// of one on, SIGTERM, SIGINT and SIGHUP end the program at work, and then the campaign. A signal
/// that was ignored before, as by nohup, still is.
class JobStarter {
 public:
  JobStarter();

  /// Runs a program to its end; standard output and standard error go to `output`. After
  /// `most_seconds` it is ended. Throws Interrupted, or RunError where it cannot be started.
  JobEnd run(const std::vector<std::string>& words, const std::filesystem::path& output,
             std::optional<double> most_seconds = {}) const;

  /// The standard output of a program that fails only for bad input: its message is on standard
  /// error then. Empty: it has failed.
  std::optional<std::string> output_of(const std::vector<std::string>& words) const;

 private:
  sigset_t signals_;  // that are waited for
};

}  // namespace hpl::campaign
