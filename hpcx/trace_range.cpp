#include "hpcx/trace_range.h"

#ifdef HPCX_HAVE_NVTX
#include <nvtx3/nvToolsExt.h>
#endif

namespace hpcx {

#ifdef HPCX_HAVE_NVTX

TraceRange::TraceRange(const char* name) {
  nvtxRangePushA(name);
}
TraceRange::~TraceRange() {
  nvtxRangePop();
}

#else

TraceRange::TraceRange(const char*) {}
TraceRange::~TraceRange() = default;

#endif

}  // namespace hpcx
