#include "hpcx/device.h"
#include "panel/words.h"

namespace hpcx {

std::int64_t gpu_panel_solver_bytes(const PanelSolverSpec& spec) {
  return static_cast<std::int64_t>(kExchangeBytes + mailbox_bytes(spec));
}

std::int64_t gpu_panel_solver_pinned_bytes(const PanelSolverSpec& spec) {
  if (spec.members == 1) return 0;
  const std::int64_t words = outbox_words(spec.max_cols) + inbox_words(spec.max_cols);
  return words * static_cast<std::int64_t>(sizeof(std::uint64_t));
}

}  // namespace hpcx
