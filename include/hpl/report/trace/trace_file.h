#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hpl/base/file/atomic_file.h"
#include "hpl/base/file/spool_file.h"
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

/// The events of a trace as text, run by run, rank by rank: trace-event JSON ("Trace Event Format")
/// as Perfetto and chrome://tracing read it. One process a rank, one row a track and one below it
/// for what was expected of the track, one complete event (ph "X", microseconds) a span with step
/// and chunk as arguments, of category "worker", "stream" or "expected". A row's events are in the
/// order of their begin, what encloses before what is enclosed. Runs follow each other with a gap
/// of a twentieth of the run before.
class TraceEvents {
 public:
  /// A run with its name above it and the seconds of its timed part. add() gets its ranks.
  void begin(std::string name, double seconds);
  void add(const RankTimeline& rank);
  void end();
  void add(const TracedStages& run);

  /// A whole document of the events that were not taken.
  std::string document() const;
  /// The events since the last call. Each ends with a comma and a line end.
  std::string take() { return std::exchange(text_, {}); }

 private:
  std::string text_;
  std::string name_;  // of the present run
  double seconds_ = 0, length_ = 0;
  double begin_ = 0;  // of the next run, seconds
};

/// The trace of a job, run by run. The file is complete and valid whenever there is one. Events
/// wait for it on the disk, so that memory holds those of one rank. A target that is no regular
/// file gets the trace at the end alone.
class TraceFile {
 public:
  /// Checks the target before the first run; throws as AtomicFile does, as all here.
  explicit TraceFile(const std::filesystem::path& target);

  /// Appends a run: its begin, each rank, its end. The file follows a run when it would at least
  /// double: its whole content is written every time.
  void begin(std::string name, double seconds);
  void add(const RankTimeline& rank);
  void end();
  void add(const TracedStages& run);

  /// Brings the file up to date.
  void finish();

 private:
  void keep_events();
  std::size_t size() const { return spool_ ? spool_->size() : 0; }
  void write_when_grown();

  AtomicFile file_;
  TraceEvents events_;
  std::optional<SpoolFile> spool_;  // from the first event on
  std::optional<std::size_t> written_;
};

}  // namespace hpl
