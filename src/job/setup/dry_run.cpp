#include "hpl/job/setup/dry_run.h"

#include <fmt/format.h>

#include "hpl/job/setup/run_memory.h"
#include "hpl/machine/host/sizing.h"

namespace hpl {

std::string describe_plan(const std::vector<RunSpec>& plan,
                          const std::vector<RunSettings>& settings, const hpcx::Device& device,
                          const MemoryBound& memory, double attainable_gflops) {
  std::string text = fmt::format(
      "{} run(s), {:.2f} GB for each rank ({})\n{:<10} {:>9} {:>5} {:>5} {:>5} {:>14} {:>12}  {}\n",
      plan.size(), 1e-9 * static_cast<double>(memory.bytes), memory.source, "Variant", "N", "NB",
      "P", "Q", "GB per rank", "seconds", "Pipeline");
  double total = 0;
  MemoryAccount largest;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const RunSpec& spec = plan[i];
    const MemoryAccount account = memory_account(spec, settings[i], device);
    if (account.total().device > largest.total().device) largest = account;
    std::string seconds = "?";
    if (attainable_gflops > 0) {
      const double estimate = estimated_seconds(spec.order, kUsualEfficiency * attainable_gflops);
      seconds = fmt::format("{:.1f}", estimate);
      total += estimate;
    }
    text += fmt::format("{:<10} {:>9} {:>5} {:>5} {:>5} {:>14.3f} {:>12}  {}\n", variant_code(spec),
                        spec.order, spec.block_size, spec.grid_rows, spec.grid_columns,
                        1e-9 * static_cast<double>(account.total().device), seconds,
                        to_string(settings[i].pipeline));
  }
  text += fmt::format("{} for a rank{}: {}.\n", bytes_text(largest.total().device),
                      plan.size() > 1 ? " in the largest run" : "", describe(largest));
  if (attainable_gflops > 0)
    text += fmt::format(
        "About {:.0f} s of timed work at {:.0f} % of the measured DGEMM rate of {:.1f} GFLOP/s.\n",
        total, 100 * kUsualEfficiency, attainable_gflops);
  return text;
}

}  // namespace hpl
