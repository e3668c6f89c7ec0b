#include "gpu/backend.h"

namespace hpcx {

const BackendEntry& cuda_backend() {
  static const BackendEntry kEntry{
      .backend = HPCX_GPU_BACKEND,
      .list = HPCX_GPU_NAMESPACE::list,
      .why_unavailable = HPCX_GPU_NAMESPACE::why_unavailable,
      .open = HPCX_GPU_NAMESPACE::open,
      // Blocks of a team's panel wait for other devices. Code that is loaded at its first launch,
      // as is the driver's habit, waits for whatever runs, and so holds up what these devices wait
      // for.
      .environment = {{"CUDA_MODULE_LOADING", "EAGER"}},
      .visibility_variables = {"CUDA_VISIBLE_DEVICES"}};
  return kEntry;
}

}  // namespace hpcx
