#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <mutex>
#include <stop_token>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "hpl/base/power/power_series.h"

namespace hpl {

/// Runs a program that prints watts, a number a line, for the life of the object. A program that
/// ends after a reading is started again a second after its start: so one that reads a meter once
/// serves as well as one that goes on. What it does wrong is counted and reported once a run;
/// nothing of it holds up or ends a run:
///
/// - A thread reads, and the program runs beside it, without terminal, in a process group of its
///   own, which is ended with the object, and when this process ends in whatever way.
/// - A program that prints nothing for `silence` is ended and started again.
/// - At most ten readings a second are kept. One that prints faster waits in its pipe.
class PowerMeter {
 public:
  struct Limits {
    std::chrono::milliseconds period{1000};     ///< from start to start
    std::chrono::milliseconds silence{30'000};  ///< without a line
  };

  /// Never throws; a program that cannot be started is a complaint.
  explicit PowerMeter(std::string command) noexcept : PowerMeter(std::move(command), Limits()) {}
  PowerMeter(std::string command, const Limits& limits) noexcept;
  ~PowerMeter();
  PowerMeter(const PowerMeter&) = delete;
  PowerMeter& operator=(const PowerMeter&) = delete;

  const std::string& command() const { return command_; }
  /// Readings so far, in seconds since 1970. Any thread.
  PowerSeries samples() const;
  /// Faults of the meter in an interval, seconds since 1970: a sentence a kind. Any thread.
  std::vector<std::string> complaints(double from, double to) const;

 private:
  enum class Kind { Rubbish, Failure, Silence, NoStart };
  struct Event {
    double seconds = 0;
    Kind kind{};
    std::string what;  ///< the line, the exit code
    std::int64_t count = 1;
  };

  void run(const std::stop_token& stop);
  bool start();
  void read_until_end(const std::stop_token& stop);
  void take(std::string_view bytes);
  void take_line();
  /// Ends the program and all that it started; its exit code, or 128 and the signal.
  int end();
  /// Kills all processes that carry the mark, and the group of the program.
  void end_group(pid_t group);
  void complain(Kind kind, std::string what);

  const std::string command_;
  const Limits limits_;
  const std::string mark_;  ///< in the environment of the program and of all that it starts
  // Of the thread:
  pid_t program_ = -1;
  int output_ = -1, guard_ = -1;
  std::string line_;
  bool has_read_ = false;  // since the start of the program

  mutable std::mutex mutex_;
  PowerSeries samples_;        // guarded by mutex_
  std::vector<Event> events_;  // guarded by mutex_
  std::jthread thread_;
};

}  // namespace hpl
