#pragma once

namespace hpcx {

/// Shows the life of a scope of the calling thread in the vendor's profiler (NVTX ranges, when
/// built with the CUDA toolkit). Costs a call and a few instructions while no profiler is attached,
/// and nothing but the calls in other builds. Ranges of one thread nest.
class TraceRange {
 public:
  /// `name` ends with a zero and may go away after the call.
  explicit TraceRange(const char* name);
  ~TraceRange();
  TraceRange(const TraceRange&) = delete;
  TraceRange& operator=(const TraceRange&) = delete;
};

}  // namespace hpcx
