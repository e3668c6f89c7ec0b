#include "hpl/plan/dry_run.h"
#include "hpl/base/text/quantity.h"

#include <fmt/format.h>

namespace hpl {

std::string describe_plan(const std::vector<RunSpec>& plan,
                          const std::vector<RunSettings>& settings, const MemoryBound& memory,
                          const TimeEstimate& estimate) {
  std::string text = fmt::format(
      "{}, {:.2f} GB for each rank ({})\n{:<10} {:>9} {:>5} {:>5} {:>5} {:>14} {:>12}  {}\n",
      count_text(plan.size(), "run"), 1e-9 * static_cast<double>(memory.bytes), memory.source,
      "Variant", "N", "NB", "P", "Q", "GB per rank", "seconds", "Pipeline");
  double total = 0;
  MemoryAccount largest;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const RunSpec& spec = plan[i];
    const MemoryAccount& account = settings[i].memory;
    if (account.total().device > largest.total().device) largest = account;
    std::string seconds = "?";
    if (estimate.known()) {
      const double expected = estimate.seconds(spec, settings[i]);
      seconds = fmt::format("{:.1f}", expected);
      total += expected;
    }
    text += fmt::format("{:<10} {:>9} {:>5} {:>5} {:>5} {:>14.3f} {:>12}  {}\n", variant_code(spec),
                        spec.order, spec.block_size, spec.grid_rows, spec.grid_columns,
                        1e-9 * static_cast<double>(account.total().device), seconds,
                        to_string(settings[i].pipeline));
  }
  text += fmt::format("{} for a rank{}: {}.\n", bytes_text(largest.total().device),
                      plan.size() > 1 ? " in the largest run" : "", describe(largest));
  if (estimate.known())
    text += fmt::format("About {} of timed work {}.\n", estimate_text(total), estimate.basis());
  return text;
}

}  // namespace hpl
