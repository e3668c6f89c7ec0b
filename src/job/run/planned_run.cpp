#include "planned_run.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "hpl/job/setup/run_memory.h"

namespace hpl {

namespace {

std::optional<TransportKind> requested_transport(TransportRequest request) {
  switch (request) {
    case TransportRequest::Auto:
      return std::nullopt;
    case TransportRequest::Nccl:
      return TransportKind::Nccl;
    case TransportRequest::MpiDevice:
      return TransportKind::MpiDevice;
    case TransportRequest::MpiHost:
      return TransportKind::MpiHost;
  }
  return std::nullopt;
}

}  // namespace

std::string PlannedRun::label(int repeat) const {
  return fmt::format(
      "run {} of {}{} (N = {}, NB = {}, {} x {}, {} pipeline)", index + 1, plan.runs.size(),
      job.options.repeat > 1 ? fmt::format(", repetition {}", repeat + 1) : "", spec().order,
      spec().block_size, spec().grid_rows, spec().grid_columns, to_string(settings().pipeline));
}

bool PlannedRun::fits_in_memory(const RunSpec& wanted, const RunSettings& with) const {
  return fits(wanted, with, job.machine.device(), job.machine.memory_bounds());
}

RunRequest PlannedRun::request(const RunSettings& with, std::string name) const {
  return {.machine = job.machine,
          .settings = with,
          .transport = requested_transport(job.options.transport),
          .reproducible = job.options.reproducible,
          .watchdog = job.watchdog,
          .label = std::move(name),
          .fail = [&watchdog = job.watchdog](const std::string& what) { watchdog.fail(what); }};
}

}  // namespace hpl
