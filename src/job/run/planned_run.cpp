#include "planned_run.h"

#include <utility>

#include <fmt/format.h>

#include "hpl/job/setup/run_memory.h"

namespace hpl {

std::string PlannedRun::label(int repeat) const {
  return fmt::format(
      "run {} of {}{} (N = {}, NB = {}, {} x {}, {} pipeline)", index + 1, plan.runs.size(),
      job.options.runs.repeat > 1 ? fmt::format(", repetition {}", repeat + 1) : "", spec().order,
      spec().block_size, spec().grid_rows, spec().grid_columns, to_string(settings().pipeline));
}

bool PlannedRun::fits_in_memory(const RunSpec& wanted, const RunSettings& with) const {
  return fits(wanted, with, job.machine.device(), job.machine.memory_bounds());
}

RunRequest PlannedRun::request(const RunSettings& with, std::string name) const {
  return {.machine = job.machine,
          .settings = with,
          .transport = job.options.wishes.transport,
          .reproducible = job.options.wishes.reproducible,
          .watchdog = job.watchdog,
          .label = std::move(name),
          .fail = [&watchdog = job.watchdog](const std::string& what) { watchdog.fail(what); }};
}

}  // namespace hpl
