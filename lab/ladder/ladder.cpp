#include "ladder/ladder.h"

#include <fmt/format.h>

namespace hpcx {

std::string label_of(LadderRung rung) {
  switch (rung.kind) {
    case LadderKind::Loops:
      return "three loops";
    case LadderKind::Simd:
      return "SIMD";
    case LadderKind::Blocked:
      return fmt::format("blocks of {}", rung.parameter);
    case LadderKind::Transposed:
      return "B transposed";
    case LadderKind::Elements:
      return fmt::format("a thread an element, {0} x {0}", rung.parameter);
    case LadderKind::Tiles:
      return fmt::format("tiles, stages: {}", rung.parameter);
    case LadderKind::Library:
      return "library";
  }
  return {};
}

std::unique_ptr<Ladder> make_ladder(const Device& device) {
  if (device.shares_host_memory()) return cpu::make_ladder();
#ifdef LAB_LADDER_CUDA
  if (device.properties().backend == Backend::Cuda) return gpu_cuda::make_ladder();
#endif
  return nullptr;
}

}  // namespace hpcx
