#include "hpl/job/setup/run_settings.h"

#include <fmt/format.h>

#include <algorithm>

#include "hpcx/emulation.h"
#include "hpl/base/error/error.h"
#include "hpl/job/live/projection.h"
#include "hpl/job/setup/run_memory.h"

namespace hpl {

namespace {

/// What was measured to be best, see docs/performance.md.
struct PanelDefaults {
  int compute_units = 0;
  std::int64_t narrow_columns = 0;
};
PanelDefaults default_panel(ProcessorKind kind) {
  return kind == ProcessorKind::Cpu ? PanelDefaults{} : PanelDefaults{32, 16384};
}

bool factorizes_panels(const hpcx::Device& device) {
  return device.panel_solver_bytes({.max_rows = 1, .max_cols = 1}) > 0;
}

/// Throws ConfigError where the device cannot emulate this run's products.
void check_emulation(const RunSpec& spec, hpcx::Device& device) {
  if (device.emulation() == nullptr)
    throw ConfigError(
        fmt::format("--arithmetic emulated: device {} has no products by INT8; use --arithmetic "
                    "fp64, or --device cpu or cuda",
                    hpcx::to_string(device.properties().backend)));
  if (std::min(spec.block_size, spec.order) > hpcx::kDeepestEmulation)
    throw ConfigError(fmt::format("--arithmetic emulated: NB must be at most {}, found {}",
                                  hpcx::kDeepestEmulation, spec.block_size));
}

/// Why the host's cores take no part of their own accord; empty: they may.
std::string why_no_host_share(const Machine& machine, PipelineKind pipeline) {
  if (machine.kind() == ProcessorKind::Cpu) return "its cores are the device";
  if (pipeline != PipelineKind::Fine)
    return fmt::format("the {} pipeline has no thread for it", to_string(pipeline));
  if (machine.cores() <= kWorkerCount)
    return fmt::format("{} workers have only {} cores", kWorkerCount, machine.cores());
  return {};
}

void choose_host_share(RunSettings& settings, const Machine& machine, const Options& options) {
  if (options.wishes.host_share == 0.0) return;
  settings.host_share = options.wishes.host_share;
  const std::string refusal =
      options.wishes.host_share ? std::string() : why_no_host_share(machine, settings.pipeline);
  settings.host_takes_part = refusal.empty();
  if (!refusal.empty())
    settings.remarks.push_back(
        fmt::format("--host-share auto: the host takes no part, {}", refusal));
}

}  // namespace

std::optional<PipelineKind> pipeline_of(PipelineRequest request) {
  switch (request) {
    case PipelineRequest::Auto:
      return std::nullopt;
    case PipelineRequest::Fine:
      return PipelineKind::Fine;
    case PipelineRequest::Coarse:
      return PipelineKind::Coarse;
    case PipelineRequest::Serial:
      return PipelineKind::Serial;
  }
  HPL_ASSERT(!"a request for a pipeline");
  return std::nullopt;
}

RunSettings choose_settings(const RunSpec& spec, const Machine& machine, const Options& options) {
  RunSettings settings;
  const bool can_overlap = machine.thread_level() == mpi::ThreadLevel::Multiple;
  const bool single_process = spec.grid_rows * spec.grid_columns == 1;
  // On a single core the workers would only take turns with the BLAS.
  const bool has_core_to_spare =
      machine.kind() == ProcessorKind::Gpu || machine.host().properties().compute_units > 1;
  settings.pipeline = pipeline_of(options.wishes.pipeline)
                          .value_or(has_core_to_spare ? PipelineKind::Fine : PipelineKind::Serial);
  if (settings.pipeline == PipelineKind::Fine && !can_overlap && !single_process) {
    settings.pipeline =
        machine.kind() == ProcessorKind::Gpu ? PipelineKind::Coarse : PipelineKind::Serial;
    settings.remarks.push_back(fmt::format(
        "this MPI supports threads {}, the fine pipeline needs {}: the {} pipeline is used",
        mpi::to_string(machine.thread_level()), mpi::to_string(mpi::ThreadLevel::Multiple),
        to_string(settings.pipeline)));
  }
  const bool some_transport =
      !options.wishes.transport || options.wishes.transport == TransportKind::Peer;
  settings.staged_messages = options.wishes.transport == TransportKind::MpiHost ||
                             (some_transport && !machine.device().shares_host_memory());
  settings.checksum_interval =
      options.wishes.verify_interval.value_or(checksum_interval(spec.block_size));
  if (options.wishes.stop_after)
    settings.stages.schedule.step_limit =
        steps_until(spec.order, spec.block_size, *options.wishes.stop_after);
  settings.stages.schedule.look_ahead = std::min(spec.depth, kDeepestLookAhead);
  settings.stages.schedule.host_ahead = host_ahead(settings.pipeline);
  if (options.wishes.chunk)
    settings.stages.schedule.chunk_columns = *options.wishes.chunk;
  else
    choose_chunks(settings.stages.schedule, machine.kind(), spec.grid_rows * spec.grid_columns);

  settings.stages.emulated_moduli = spec.emulated_moduli;
  if (spec.emulated_moduli > 0) {
    check_emulation(spec, machine.device());
    settings.remarks.push_back(
        "--arithmetic emulated: the DGEMM rate and estimated times are those of native FP64");
  }

  const bool device_can = factorizes_panels(machine.device());
  settings.stages.device_panel = device_can && options.wishes.panel != PanelRequest::Host;
  if (options.wishes.panel == PanelRequest::Device && !device_can)
    settings.remarks.push_back(
        "--panel device: it has no effect on a device that factorizes no panels, the host does");
  if (settings.stages.device_panel)
    settings.remarks.push_back("device panel: PFACT, RFACT, NBMIN and NDIV do not apply");
  settings.stages.pivots_by_host = options.wishes.pivots == PivotPath::Host;
  settings.stages.solve_rows =
      options.wishes.solve_rows.value_or(machine.kind() == ProcessorKind::Gpu ? 512 : 96);
  const PanelDefaults panel = default_panel(machine.kind());
  // Narrow panels leave room for products beside them, of which the serial pipeline has none.
  settings.stages.panel_compute_units = options.wishes.panel_units.value_or(
      settings.pipeline == PipelineKind::Serial ? 0 : panel.compute_units);
  settings.stages.narrow_panel_columns = panel.narrow_columns;

  choose_host_share(settings, machine, options);
  settings.matrix = options.wishes.matrix;
  settings.chunk_is_given = options.wishes.chunk.has_value();
  settings.host_schedule = options.wishes.host_schedule;
  settings.pinned_memory = options.wishes.pinned_memory;
  settings.visit_columns = options.wishes.visit_columns;
  if (settings.visit_columns && spec.block_size % *settings.visit_columns != 0)
    throw ConfigError(fmt::format("--visit-columns must divide NB = {}, found {}", spec.block_size,
                                  *settings.visit_columns));
  if (options.wishes.visit_steps)
    settings.visit_steps = static_cast<int>(*options.wishes.visit_steps);

  // One thread alone on its core has nothing better to do than to poll, and the workers of a rank
  // that computes on a GPU have cores to spare. A transport that copies through shared memory moves
  // on only when polled.
  constexpr int kWorkersAndDriver = kWorkerCount;  // that of Worker::Host computes
  const bool has_cores_for_workers =
      machine.kind() == ProcessorKind::Gpu && machine.cores() >= kWorkersAndDriver;
  const bool may_spin = !machine.oversubscribed() &&
                        (settings.pipeline == PipelineKind::Serial || has_cores_for_workers);
  settings.stages.message_wait =
      may_spin ? mpi::WaitPolicy::spinning() : mpi::WaitPolicy::sleeping();
  settings.stages.pivot_wait =
      machine.oversubscribed() ? mpi::WaitPolicy::sleeping() : mpi::WaitPolicy::spinning();
  place_matrix(spec, settings, machine.device(), machine.memory_bounds());
  if (const std::string advice =
          advice_on_copies(spec, settings, machine.device(), machine.memory_bounds());
      !advice.empty())
    settings.remarks.push_back(advice);
  if (settings.host_takes_part && !settings.stages.schedule.host_takes_part)
    settings.remarks.push_back(
        "--host-share: no columns are in host memory, the host takes no part");
  return settings;
}

std::vector<std::string> remarks_on(const RunSpec& spec, ProcessorKind kind) {
  std::vector<std::string> remarks;
  const std::int64_t block = spec.block_size;
  // L21 begins between two elements that a library's fast kernels load at once.
  if (kind == ProcessorKind::Gpu && block % 2 != 0 && 1 < block && block < spec.order)
    remarks.push_back(
        fmt::format("NB = {} is odd: products on a GPU are about a fifth slower than with {}",
                    block, block - 1));
  if (spec.depth > kDeepestLookAhead)
    remarks.push_back(
        fmt::format("DEPTH {}: look-ahead is at most {} panels deep, it runs as DEPTH {}",
                    spec.depth, kDeepestLookAhead, kDeepestLookAhead));
  return remarks;
}

}  // namespace hpl
