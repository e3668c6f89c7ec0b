#include "hpl/plan/dry_run.h"

#include <fmt/format.h>

#include "hpl/base/text/quantity.h"
#include "hpl/base/text/text_table.h"

namespace hpl {

std::string describe_plan(const std::vector<RunSpec>& plan,
                          const std::vector<RunSettings>& settings, const MemoryBound& memory,
                          const TimeEstimate& estimate) {
  TextTable table;
  table.add({"Variant", "N", "NB", "P", "Q", "GB per rank", "seconds", "Pipeline"});
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
    table.add({variant_code(spec), std::to_string(spec.order), std::to_string(spec.block_size),
               std::to_string(spec.grid_rows), std::to_string(spec.grid_columns),
               fmt::format("{:.3f}", 1e-9 * static_cast<double>(account.total().device)), seconds,
               std::string(to_string(settings[i].pipeline))});
  }
  std::string text =
      fmt::format("{}, {:.2f} GB for each rank ({})\n", count_text(plan.size(), "run"),
                  1e-9 * static_cast<double>(memory.bytes), memory.source) +
      table.text(1, 6);
  text += fmt::format("{} for a rank{}: {}.\n", bytes_text(largest.total().device),
                      plan.size() > 1 ? " in the largest run" : "", describe(largest));
  if (estimate.known())
    text += fmt::format("About {} of timed work {}.\n", estimate_text(total), estimate.basis());
  return text;
}

}  // namespace hpl
