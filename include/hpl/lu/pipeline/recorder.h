#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string_view>
#include <vector>

#include "hpcx/device.h"
#include "hpcx/trace_range.h"
#include "hpl/base/result/timeline.h"

namespace hpl {

/// Collects what happened when: the source of phase times and of the trace. Always on: two clock
/// reads, or two events, for every piece of work. Thread-safe.
class Recorder {
 public:
  using Clock = std::chrono::steady_clock;

  /// `stream` must be empty: its next event marks time zero of the device.
  explicit Recorder(hpcx::StreamRef stream);
  /// Makes now time zero instead. Before anything is recorded; `stream` must be empty.
  void restart(hpcx::StreamRef stream);

  double now() const { return seconds_at(Clock::now()); }
  void add(const Span& span);
  /// Work of a stream between two of its events, which may lie in the future.
  void add(Span span, hpcx::Event begin, hpcx::Event end);

  /// All spans; every event must have been reached.
  std::vector<Span> take_spans();
  /// While the run goes on; lags some pieces of work behind.
  ProductWork products_so_far();
  static ProductWork products(const std::vector<Span>& spans);
  /// Seconds per phase of spans. Where a stream does a phase's work, only the stream's spans count:
  /// a worker's span of it is the time to set it going.
  static PhaseTimes totals(const std::vector<Span>& spans);

 private:
  struct Pending {
    Span span;
    hpcx::Event begin, end;
  };
  double seconds_at(Clock::time_point time) const {
    return std::chrono::duration<double>(time - start_).count();
  }
  void resolve(const Pending& pending);

  std::mutex mutex_;
  hpcx::EventClock stream_clock_;
  Clock::time_point start_;
  std::deque<Pending> pending_;
  std::vector<Span> spans_;
  ProductWork products_;  // of resolved spans
};

/// Records the life of a scope of a host thread, for a vendor's profiler as well.
class ScopedSpan {
 public:
  ScopedSpan(Recorder& recorder, Track track, Phase phase, std::int64_t step,
             std::int64_t chunk = 0)
      : range_(to_string(phase).data()),  // a literal: ends with a zero
        recorder_(recorder),
        span_{track, phase, step, chunk, recorder.now(), 0} {}
  ~ScopedSpan() {
    span_.end = recorder_.now();
    recorder_.add(span_);
  }
  ScopedSpan(const ScopedSpan&) = delete;
  ScopedSpan& operator=(const ScopedSpan&) = delete;

 private:
  hpcx::TraceRange range_;
  Recorder& recorder_;
  Span span_;
};

}  // namespace hpl
