#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hpl/base/file/atomic_file.h"
#include "hpl/base/result/timeline.h"

namespace hpl {

/// The work of one rank in a run.
struct RankTimeline {
  int rank = 0;
  std::string host, device;
  std::vector<Span> spans;  ///< in any order; of one track, disjoint or nested
  /// The model's expectation, if there is one; drawn in rows of its own.
  std::vector<Span> expected{};
};

/// The time lines of all ranks of a run.
struct TracedRun {
  std::string name;    ///< shown above the run
  double seconds = 0;  ///< timed part
  std::vector<RankTimeline> ranks;
};

/// A piece of work in a row of a process. The name outlives the slice and needs no escaping in
/// JSON.
struct TracedSlice {
  std::string_view name;
  double begin = 0, end = 0;  ///< seconds since the start of the run
  std::int64_t step = 0, chunk = 0;
};
struct TracedRow {
  std::string name;
  std::vector<TracedSlice> slices;  ///< in any order; disjoint or nested
};
struct TracedProcess {
  int number = 0;
  std::string name, label;
  std::vector<TracedRow> rows;
};
/// A run whose processes have rows of their own kinds, other than those of a factorization.
struct TracedStages {
  std::string name;
  double seconds = 0;
  std::vector<TracedProcess> processes;
};

/// A trace under construction: text, for there may be millions of events.
class TraceEvents {
 public:
  void add(const TracedRun& run);
  void add(const TracedStages& run);
  /// The whole document so far.
  std::string document() const;
  /// Grows with every run.
  std::size_t size() const { return text_.size(); }

 private:
  std::string text_;
  double begin_ = 0;  ///< of the next run, seconds
};

/// Trace-event JSON ("Trace Event Format") as Perfetto and chrome://tracing read it: one process a
/// rank, one row a track and one below it for what was expected of the track, one complete event
/// (ph "X", microseconds) a span with step and chunk as arguments, of category "worker", "stream"
/// or "expected". A row's events are in the order of their begin, what encloses before what is
/// enclosed. Runs follow each other with a gap of a twentieth of the run before.
std::string to_trace_json(std::span<const TracedRun> runs);

/// The trace of a job, run by run. The file is complete and valid whenever there is one. A target
/// that is no regular file gets it at the end alone.
class TraceFile {
 public:
  /// Checks the target before the first run; throws as AtomicFile does.
  explicit TraceFile(const std::filesystem::path& target);

  /// Appends a run. The file follows when it would at least double: its whole content is written
  /// every time. Throws as AtomicFile does.
  void add(const TracedRun& run);
  void add(const TracedStages& run);

  /// Brings the file up to date. Throws as AtomicFile does.
  void finish();

 private:
  void write_when_grown();

  AtomicFile file_;
  TraceEvents events_;
  std::size_t written_ = 0;
};

}  // namespace hpl
