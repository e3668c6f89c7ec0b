#pragma once

#ifdef HPCX_HAVE_NVTX
#include <nvtx3/nvToolsExt.h>
#endif

namespace hpcx {

/// Shows the life of a scope of the calling thread in the vendor's profiler (NVTX ranges, when
/// built with the CUDA toolkit). Costs a few instructions while no profiler is attached, and
/// nothing in other builds. Ranges of one thread nest.
class TraceRange {
 public:
#ifdef HPCX_HAVE_NVTX
  /// `name` ends with a zero and may go away after the call.
  explicit TraceRange(const char* name) {
    nvtxRangePushA(name);
  }
  ~TraceRange() {
    nvtxRangePop();
  }
#else
  explicit TraceRange(const char*) {}
  ~TraceRange() {}  // not trivial, so that no build calls a range unused
#endif
  TraceRange(const TraceRange&) = delete;
  TraceRange& operator=(const TraceRange&) = delete;
};

}  // namespace hpcx
