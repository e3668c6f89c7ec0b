#include "hpcx/device.h"
#include "panel/words.h"

namespace hpcx {

std::int64_t gpu_panel_solver_bytes(const PanelSolverSpec& spec) {
  // At most as many groups as members.
  const std::size_t messages = spec.members > 1 ? messages_bytes(spec.members) : 0;
  return static_cast<std::int64_t>(kExchangeBytes + mailbox_bytes(spec) + messages);
}

}  // namespace hpcx
