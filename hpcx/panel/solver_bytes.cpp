#include "hpcx/device.h"
#include "panel/words.h"

namespace hpcx {

std::int64_t gpu_panel_solver_bytes(const PanelSolverSpec& spec) {
  // At most as many groups as members.
  const std::size_t messages = spec.members > 1 ? messages_bytes(spec.members) : 0;
  return static_cast<std::int64_t>(kExchangeBytes + mailbox_bytes(spec) + messages);
}

std::int64_t gpu_panel_solver_pinned_bytes(const PanelSolverSpec& spec) {
  if (spec.members == 1) return 0;
  const std::int64_t words =
      outbox_words(spec.max_cols) + inbox_words(spec.members, spec.members, spec.max_cols);
  return words * static_cast<std::int64_t>(sizeof(std::uint64_t));
}

}  // namespace hpcx
