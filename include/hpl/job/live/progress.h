#pragma once

#include <condition_variable>
#include <cstdint>
#include <iosfwd>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "hpl/report/result/run_result.h"

namespace hpl {

/// How far a factorization is, judged by its operations: half of the columns are 7/8 of the work.
struct ProgressEstimate {
  double fraction = 0;      ///< of the operations, 0 to 1
  double gflops = 0;        ///< since the start; 0 while no time has passed
  double seconds_left = 0;  ///< at the rate so far; infinite while nothing is done
};

/// `seconds` since the start of the timed part. An order of 0 is done at once.
ProgressEstimate estimate(std::int64_t order, std::int64_t columns_done, double seconds);

struct ProgressOptions {
  std::int64_t order = 0;
  int ranks = 1;
  std::string label{};    ///< stands first in every line, e.g. "run 3 of 24"
  bool terminal = false;  ///< one line that is rewritten, else separate lines
  /// A separate line waits for both; 1/20 of the work bounds their number to 20 and a last one.
  double line_fraction = 0.05, line_seconds = 30;
  double terminal_seconds = 0.25;   ///< between rewritings
  std::size_t terminal_width = 79;  ///< a longer line would wrap and could not be rewritten
};

/// True when standard error is a terminal.
bool standard_error_is_terminal();
/// Characters of a line of it that can be rewritten; 79 when it does not tell.
std::size_t standard_error_width();

/// What goes on now: one line that is rewritten on a terminal, cut to `width`; else a line each,
/// behind "# ".
class StatusLine {
 public:
  /// Borrows `out`.
  StatusLine(std::ostream& out, bool terminal, std::size_t width)
      : out_(out), terminal_(terminal), width_(width) {}
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;
  /// Leaves nothing on a terminal.
  ~StatusLine();

  void show(std::string_view text);

 private:
  std::ostream& out_;
  bool terminal_;
  std::size_t width_;
  std::size_t on_screen_ = 0;
};

/// Progress of one run, on rank 0.
///
/// Requirement: update() gets records in the order of their steps, from any thread, one at a time
/// or not. Guarantee: update() does arithmetic under a lock that is never held during output; a
/// thread of its own writes, and sleeps while no line is due, so a slow terminal delays nothing but
/// itself.
///
///     Progress progress(std::cerr, {.order = n, .label = "run 1 of 4"});
///     on_step = [&](const StepRecord& record) { progress.update(record); };
class Progress {
 public:
  /// Borrows `out`, and is its only writer until finish() returns.
  Progress(std::ostream& out, ProgressOptions options);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  void update(const StepRecord& record);

  /// Ends the lines from now on: who is slowest and fastest, say. Any thread.
  void show_ranks(std::string text);

  /// Writes what is due and returns when it is written: clears the terminal's line, or ends
  /// separate lines with the last record where at least one was written before. Further calls and
  /// updates do nothing.
  void finish();

 private:
  std::string line(const StepRecord& record) const;
  bool due(const StepRecord& record) const;
  void queue(const StepRecord& record);
  void write_lines();

  std::ostream& out_;
  const ProgressOptions options_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> pending_;  // guarded by mutex_, as are the five below
  std::string ranks_;
  StepRecord last_;
  StepRecord shown_;
  bool any_shown_ = false;
  bool finished_ = false;
  std::jthread writer_;  // last: starts when everything else is ready
};

}  // namespace hpl
