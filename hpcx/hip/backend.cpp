#include "gpu/backend.h"
#include "gpu/vendor_parts.h"

namespace hpcx {

const BackendEntry& hip_backend() {
  static const BackendEntry kEntry{
      .backend = HPCX_GPU_BACKEND,
      .list = HPCX_GPU_NAMESPACE::list,
      .why_unavailable = HPCX_GPU_NAMESPACE::why_unavailable,
      .open = HPCX_GPU_NAMESPACE::open,
      .visibility_variables = {"ROCR_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES"}};
  return kEntry;
}

namespace HPCX_GPU_NAMESPACE {
std::unique_ptr<Emulation> create_emulation(int) {
  return nullptr;
}
std::unique_ptr<MixedPrecision> create_mixed_precision(int) {
  return nullptr;
}
}  // namespace HPCX_GPU_NAMESPACE

}  // namespace hpcx
