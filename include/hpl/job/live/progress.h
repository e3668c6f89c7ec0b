#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <iosfwd>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "hpl/job/live/status_line.h"
#include "hpl/report/result/run_result.h"

namespace hpl {

/// The progress of a factorization, judged by its operations: half of the columns are 7/8 of the
/// work.
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
  std::string label{};  ///< "run 3 of 24"
  LiveView view{};
  double attainable_gflops = 0;  ///< of all ranks; 0: unknown
  /// For lines that are not drawn anew: the first waits for these seconds, another one for more
  /// seconds and for a share of the work, so that there are 20 and a last one.
  double first_line_seconds = 10, line_seconds = 30, line_fraction = 0.05;
};

/// The lines of a view that is drawn anew, `since` seconds after the last record. Fields stand in
/// the order of their use: a narrow terminal lacks the last ones. `ranks`: RankBoard::fields().
/// Pure.
std::vector<std::string> drawn_lines(const ProgressOptions& options, const StepRecord& last,
                                     double since, const std::vector<std::string>& ranks);

/// Progress of one run, on rank 0.
///
/// Requirement: update() gets records in the order of their steps, from any thread, one at a time
/// or not. Guarantee: update() does arithmetic under a lock that is never held during output; a
/// thread of its own writes, once a second on a terminal, so a slow one delays nothing but itself.
///
///     Progress progress(std::cerr, {.order = n, .label = "run 1 of 4", .view = live_view({})});
///     on_step = [&](const StepRecord& record) { progress.update(record); };
class Progress {
 public:
  /// Borrows `out`, and is its only writer until finish() returns.
  Progress(std::ostream& out, ProgressOptions options);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  void update(const StepRecord& record);

  /// RankBoard::fields() from now on. Any thread.
  void show_ranks(std::vector<std::string> fields);

  /// Writes what is due and returns when it is written or dropped: clears what was drawn, or ends
  /// lines with the last record where at least one was written before. Further calls and updates do
  /// nothing.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;

  std::string line(const StepRecord& record) const;
  bool due(const StepRecord& record) const;
  void queue(const StepRecord& record);
  void write();
  void write_lines(StatusLine& out);
  void draw(StatusLine& out);

  std::ostream& out_;
  const ProgressOptions options_;
  std::mutex mutex_;
  std::condition_variable changed_;
  // Guarded by mutex_:
  std::vector<std::string> pending_, ranks_;
  StepRecord last_, shown_;
  Clock::time_point last_came_ = Clock::now();
  bool any_shown_ = false;
  bool finished_ = false;
  std::jthread writer_;  // last: starts when everything else is ready
};

/// Projects the result of a run of order N that ended after `steps`, `seconds` after its start.
EarlyStop project(std::int64_t order, std::span<const StepRecord> steps, double seconds);

}  // namespace hpl
