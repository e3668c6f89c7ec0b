#include "benchmark_run.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <optional>

#include <fmt/format.h>

#include "core_power.h"
#include "gather.h"
#include "host_share.h"
#include "hpl/base/number/benchmark_formulas.h"
#include "hpl/comm/mpi/failure.h"
#include "hpl/comm/transport/transport_choice.h"
#include "hpl/job/live/progress_samples.h"
#include "hpl/job/live/projection.h"
#include "hpl/job/live/telemetry_sampler.h"
#include "hpl/job/setup/run_memory.h"
#include "hpl/lu/solve/back_substitution.h"
#include "hpl/lu/solve/solution_hash.h"
#include "hpl/lu/verify/residual.h"
#include "hpl/machine/host/memory_nodes.h"
#include "hpl/report/result/phase_statistics.h"

namespace hpl {

namespace {

/// Generation has no steps to show: it gets this much on top of the watchdog's limit.
constexpr double kGenerationAllowance = 60;

/// The timed part. Returns its seconds on this rank.
double factorize_and_solve(const RunRequest& request, Stages& stages, JobControl& control,
                           Recorder& recorder, BackSubstitution& substitution) {
  factorize(request.settings.pipeline, stages, control);
  const bool whole = stages.steps() == step_count(stages.context().matrix.shape());
  if (whole && !stages.zero_pivot_column()) {
    request.watchdog.enter("substitutes back");
    const ScopedSpan span(recorder, Track::UpdateWorker, Phase::BackSubstitution, stages.steps());
    substitution.run();
  }
  return recorder.now();
}

/// Where the matrix of this rank lives, and what that took of the device.
std::string describe_visits(const VisitPolicy& visits, const DistributedMatrix& matrix,
                            std::int64_t bytes, const hpcx::Device& device) {
  std::string text = fmt::format(
      "matrix in host memory: of {} columns a rank {} stay on the device, the others visit it for "
      "{} step(s) at a time",
      matrix.shape().stored_columns, matrix.resident_columns().count, visits.steps);
  if (!device.shares_host_memory())
    text += fmt::format("; {} of the device's memory in use", bytes_text(bytes));
  const hpcx::HostMemory& host = matrix.host_memory();
  const std::string nodes =
      memory_nodes().empty() ? "" : describe_nodes(node_shares(host.as<void>(), host.bytes()));
  if (!nodes.empty()) text += fmt::format("; it lies on {}", nodes);
  return text;
}

/// How this rank holds what does not fit its device.
hpcx::HostMemorySpec host_memory_of(const RunRequest& request) {
  hpcx::HostMemorySpec host{
      .threads = &request.machine.host(), .place = [&request](void* data, std::size_t bytes) {
        place_memory(data, bytes,
                     request.machine.nodes_for_host_memory(static_cast<std::int64_t>(bytes)));
      }};
  if (request.settings.pinned_memory) {
    host.most_pinned = static_cast<std::size_t>(*request.settings.pinned_memory);
    host.why_not_more = "--pinned-memory";
  }
  return host;
}

/// What of the matrix in host memory could not be pinned, why, and what it means, on rank 0; empty
/// where all is pinned. Of several such ranks the first tells. Collective over `ranks`.
std::optional<std::string> describe_pinning(const mpi::Communicator& ranks,
                                            const hpcx::HostMemory& host) {
  std::string text;
  if (!host.pinned()) {
    const auto amount = [](std::size_t bytes) {
      return bytes_text(static_cast<std::int64_t>(bytes));
    };
    text = fmt::format("{} of {} of the matrix in host memory are pinned: {}; copies of the rest ",
                       amount(host.pinned_bytes()), amount(host.bytes()), host.why_not_pinned());
    text += host.staging_bytes() > 0
                ? fmt::format("go through a staging area of {}", amount(host.staging_bytes()))
                : "are the driver's and may keep the schedule waiting";
  }
  std::vector<std::string> all = ranks.gather_text(text, 0);
  std::erase(all, std::string());
  if (all.size() > 1) all.front() += fmt::format("; so on {} ranks", all.size());
  return all.empty() ? std::nullopt : std::optional(all.front());
}

/// What this rank has moved so far.
Traffic traffic_of(const hpcx::Device& device, const mpi::Communicator& ranks, const Transport& row,
                   const Transport& column) {
  const hpcx::CopiedBytes copied = device.copied();
  return {.host_to_device = copied.host_to_device,
          .device_to_host = copied.device_to_host,
          .peer = row.peer_bytes() + column.peer_bytes(),
          .mpi = ranks.received_bytes()};
}

TransportUse use_of(const ChosenTransport& chosen, const hpcx::Device& device) {
  const TransportKind kind = chosen.transport->kind();
  // Where the device's memory is the host's this is MPI as everybody knows it.
  const bool plain = kind == TransportKind::MpiDevice && device.shares_host_memory();
  return {chosen.transport->size(), plain ? "mpi" : std::string(to_string(kind)), chosen.bandwidth};
}

}  // namespace

RunResult run_benchmark(const RunSpec& spec, const mpi::Communicator& ranks,
                        const RunRequest& request, std::vector<Span>* spans) {
  hpcx::Device& device = request.machine.device();
  const auto generation_start = std::chrono::steady_clock::now();
  request.watchdog.enter("generates the matrix", kGenerationAllowance);
  const ProcessGrid grid(ranks, spec.grid_rows, spec.grid_columns, spec.rank_order);
  const std::int64_t memory_before = device.memory().free;
  const VisitedPart visited =
      visited_part(local_shape(spec, grid.position()), request.settings.stages.schedule.visits);
  const DistributedMatrix matrix(device, spec, grid.position(), visited, host_memory_of(request));
  const DistributedSolution x(device, matrix.shape(), visited.columns);
  const StageStreams streams(device, visited.columns > 0);
  matrix.generate(streams.update);
  std::optional<StepChecksums> checksums;
  if (spec.checksums) {
    checksums.emplace(device, matrix, request.settings.checksum_interval,
                      request.settings.stages.schedule);
    checksums->begin(streams.update);
  }
  streams.update.ref().synchronize();
  const std::chrono::duration<double> generation =
      std::chrono::steady_clock::now() - generation_start;

  RunResult result{.spec = spec};
  JobControl control;
  Watchdog& watchdog = request.watchdog;
  const Watchdog::Run watched(watchdog, control, ranks, grid.position(), request.label);

  watchdog.enter("sets up communication", kGenerationAllowance);
  RunSettings settings = request.settings;
  const TransportNeeds needs{.kind = request.transport,
                             .first_that_works = request.reproducible,
                             .least_piece_bytes = least_piece_bytes(spec),
                             .wait = settings.stages.message_wait};
  const ChosenTransport row = choose_transport(grid.row(), device, needs);
  const ChosenTransport column = choose_transport(grid.column(), device, needs);
  result.transports = {use_of(row, device), use_of(column, device)};
  for (const ChosenTransport* const chosen : {&row, &column})
    for (const std::string& remark : chosen->remarks)
      if (std::find(result.remarks.begin(), result.remarks.end(), remark) == result.remarks.end())
        result.remarks.push_back(remark);

  if (row.transport->has_own_broadcast() && row.transport->size() > 1)
    result.remarks.push_back(fmt::format(
        "BCAST {}: {} moves panels by a broadcast of its own, or by long where that was faster; "
        "another --transport leaves the choice to BCAST",
        to_string(spec.broadcast), result.transports[0].name));

  if (settings.stages.schedule.host_takes_part)
    settle_host_share(
        settings, ranks, spec.grid_rows, hybrid_load(matrix.shape(), settings.stages.schedule),
        [&] { return measure_hybrid(device, request.machine.host(), matrix, streams); },
        result.remarks);

  settings.stages.message_wait.stop = settings.stages.pivot_wait.stop = &control.stop_flag();
  if (settings.stages.device_panel) {
    const PanelGroups groups =
        find_panel_groups(device, grid.column(), settings.stages.pivots_by_host);
    const std::string refusal =
        mpi::common_reason(ranks, groups.sizes.empty() ? groups.reason : std::string());
    settings.stages.device_panel = refusal.empty();
    settings.stages.panel_groups = groups.sizes;
    if (!refusal.empty())
      result.remarks.push_back("host panel, not the device's: " + refusal);
    else if (groups.sizes.size() > 1)
      result.remarks.push_back("device panel: the hosts carry pivots between devices: " +
                               groups.reason);
  }

  Recorder recorder(streams.update);
  std::optional<TelemetrySampler> sampler;
  std::optional<ProgressSamples> progress_samples;
  if (request.progress_samples) progress_samples.emplace(ranks, device.properties());
  const auto on_step = [&](const StepRecord& record) {
    if (progress_samples && progress_samples->step(record.seconds, recorder, *sampler) &&
        request.on_ranks)
      request.on_ranks(progress_samples->text());
    if (ranks.rank() != 0) return;
    result.steps.push_back(record);
    if (request.on_step) request.on_step(record);
  };
  std::int64_t steps = 0;
  CoreClock core;
  Traffic traffic;
  {
    // The one thread of the serial pipeline waits for all that it enqueues.
    std::optional<Machine::HostLease> lease;
    if (settings.pipeline == PipelineKind::Serial) lease.emplace(request.machine);
    // Memory, connections and library handles are there before the clock runs.
    const hpcx::Stream host = request.machine.host().create_stream(hpcx::Priority::High);
    BackSubstitution substitution(
        {.device = streams.panel,
         .load = streams.load ? *streams.load : streams.panel,
         .host = host},
        grid, matrix, settings.stages.message_wait, x,
        substitution_policy(device.shares_host_memory(), request.reproducible,
                            request.machine.host().properties().compute_units));
    Stages stages({device,
                   request.machine.host(),
                   grid,
                   spec,
                   matrix,
                   streams,
                   {*row.transport, *column.transport},
                   settings.stages,
                   checksums ? &*checksums : nullptr,
                   on_step,
                   [&substitution] { substitution.load_ahead(); }},
                  control, recorder);
    if (visited.columns > 0)
      result.remarks.push_back(describe_visits(settings.stages.schedule.visits, matrix,
                                               memory_before - device.memory().free, device));
    if (settings.matrix != MatrixRequest::Device)
      if (const auto pinning = describe_pinning(ranks, matrix.host_memory()))
        result.remarks.push_back(*pinning);
    result.started = std::time(nullptr);
    sampler.emplace(device.telemetry());
    ranks.barrier();
    watchdog.enter(Watchdog::kFactorizes);
    control.beat();
    core.start();
    recorder.restart(streams.update);
    const Traffic before = traffic_of(device, ranks, *row.transport, *column.transport);
    double seconds = 0;
    try {
      seconds = factorize_and_solve(request, stages, control, recorder, substitution);
    } catch (const std::exception& e) {
      request.fail(e.what());
    }
    traffic = traffic_of(device, ranks, *row.transport, *column.transport) - before;
    result.zero_pivot_column = stages.zero_pivot_column();
    steps = stages.steps();
    if (const std::optional<HostWork> work = stages.host_work()) {
      result.host_work.emplace();
      for (const HostWork& of_rank : ranks.gather(*work, 0))
        *result.host_work += of_rank;
    }
    // Before anybody gives back memory that others' devices write to.
    result.seconds = ranks.all_reduce(seconds, mpi::Reduce::Max);
  }
  TelemetrySummary sensors = sampler->finish();
  result.ended = std::time(nullptr);
  if (steps < step_count(matrix.shape()))
    result.stopped = project(spec.order, result.steps, result.seconds);
  else
    result.gflops = benchmark_gflops(spec.order, result.seconds);
  if (progress_samples) progress_samples->finish();

  watchdog.enter("gathers the measurements");
  std::vector<Span> own_spans = recorder.take_spans();
  result.rank_phases = ranks.gather(Recorder::totals(own_spans), 0);
  result.phases = phase_statistics(result.rank_phases);
  if (request.working_times) result.rank_working = gather_working_times(grid, own_spans);
  result.rank_gflops = ranks.gather(Recorder::products(own_spans).gflops(), 0);
  add_core_power(sensors, sampler->power(), core.steady_seconds(), result.seconds, own_spans);
  for (const Traffic& of_rank : ranks.gather(traffic, 0))
    result.traffic += of_rank;
  result.peak = gather_peak(ranks, request.machine.peak());
  result.devices = gather_devices(ranks, device.properties(), sensors);
  result.power = gather_power(ranks, sampler->power(), core, result);
  if (!result.zero_pivot_column && !result.stopped)
    result.solution_hash = solution_hash(streams.panel, grid, matrix.shape(), x);
  if (checksums) {
    // From the step of a zero pivot on they tell nothing: its column is left undivided.
    const std::int64_t end =
        result.zero_pivot_column ? *result.zero_pivot_column / spec.block_size : steps;
    result.checksums = gather_checksums(ranks, *checksums, request.settings.checksum_interval, end);
  }
  if (spans != nullptr) *spans = std::move(own_spans);

  // The check generates the matrix again, and multiplies.
  watchdog.enter("checks the solution", kGenerationAllowance + 4 * generation.count());
  if (spec.threshold > 0 && !result.zero_pivot_column && !result.stopped)
    result.residual = verify_solution(device, grid, matrix, x, spec.threshold);
  return result;
}

}  // namespace hpl
