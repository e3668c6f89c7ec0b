#include "hpl/run/runs/benchmark_run.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <optional>

#include <fmt/format.h>

#include "hpl/base/number/benchmark_formulas.h"
#include "hpl/base/text/quantity.h"
#include "hpl/comm/mpi/failure.h"
#include "hpl/comm/transport/transport_choice.h"
#include "hpl/job/live/gather.h"
#include "hpl/job/live/progress_samples.h"
#include "hpl/job/live/projection.h"
#include "hpl/job/live/telemetry_sampler.h"
#include "hpl/lu/system/host_share.h"
#include "hpl/machine/decide/run_memory.h"
#include "hpl/machine/host/memory_nodes.h"
#include "hpl/report/result/phase_statistics.h"

namespace hpl {

namespace {

/// Generation has no steps to show: it gets this much on top of the watchdog's limit.
constexpr double kGenerationAllowance = 60;

/// The places of this rank's matrix, and the device memory in use.
std::string describe_visits(const VisitPolicy& visits, const DistributedMatrix& matrix,
                            std::int64_t bytes, const hpcx::Device& device) {
  std::string text = fmt::format(
      "matrix in host memory: of {} columns a rank {} stay on the device, the others visit it for "
      "{} at a time",
      matrix.shape().stored_columns, matrix.resident_columns().count,
      count_text(visits.steps, "step"));
  if (!device.shares_host_memory())
    text += fmt::format("; {} of the device's memory in use", bytes_text(bytes));
  const hpcx::HostMemory& host = matrix.host_memory();
  const std::string nodes =
      memory_nodes().empty() ? "" : describe_nodes(node_shares(host.as<void>(), host.bytes()));
  if (!nodes.empty()) text += fmt::format("; it lies on {}", nodes);
  return text;
}

/// The host memory for the part of this rank's matrix that does not fit its device.
hpcx::HostMemorySpec host_memory_of(const RunRequest& request) {
  const Machine& machine = request.job.machine;
  hpcx::HostMemorySpec host{
      .threads = &machine.host(), .place = [&machine](void* data, std::size_t bytes) {
        place_memory(data, bytes, machine.nodes_for_host_memory(static_cast<std::int64_t>(bytes)));
      }};
  if (request.settings.pinned_memory) {
    host.most_pinned = static_cast<std::size_t>(*request.settings.pinned_memory);
    host.why_not_more = "--pinned-memory";
  }
  return host;
}

/// The part of the matrix in host memory that could not be pinned, with reason and effect, on rank
/// 0; empty if all is pinned. Of several such ranks the first tells. Collective over `ranks`.
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

TransportUse use_of(const ChosenTransport& chosen, const hpcx::Device& device) {
  const TransportKind kind = chosen.transport->kind();
  // If the device's memory is the host's, this is MPI as everybody knows it.
  const bool plain = kind == TransportKind::MpiDevice && device.shares_host_memory();
  return {chosen.transport->size(), plain ? "mpi" : std::string(to_string(kind)), chosen.bandwidth};
}

class BenchmarkRun {
 public:
  /// Generates the system.
  explicit BenchmarkRun(const RunRequest& request)
      : request_(request),
        machine_(request.job.machine),
        device_(machine_.device()),
        watchdog_(request.job.watchdog),
        ranks_(request.ranks),
        settings_(request.settings),
        memory_before_(device_.memory().free),
        system_(device_, ranks_, request.spec,
                {settings_.stages.schedule.visits, host_memory_of(request)}),
        watched_(watchdog_, control_, system_.grid, request.label),
        recorder_(system_.streams.update),
        result_{.spec = request.spec} {
    if (request.spec.checksums)
      system_.carry_checksums(settings_.checksum_interval, settings_.stages.schedule);
    generation_ = Clock::now() - start_;
  }

  /// Sets up memory, connections and library handles before the clock runs.
  void prepare() {
    watchdog_.enter("sets up communication", kGenerationAllowance);
    connect();
    if (settings_.stages.schedule.host_takes_part) settle_share_of_host();
    settings_.stages.message_wait.stop = settings_.stages.pivot_wait.stop = &control_.stop_flag();
    if (settings_.stages.device_panel) settle_device_panel();
    if (request_.progress_samples) progress_samples_.emplace(ranks_, device_.properties());
    // The one thread of the serial pipeline waits for all that it enqueues.
    if (settings_.pipeline == PipelineKind::Serial) lease_.emplace(machine_);
    const bool reproducible = request_.job.options.wishes.reproducible;
    solver_.emplace(
        system_,
        SolverSetup{.device = device_,
                    .host = machine_.host(),
                    .transports = {*row_.transport, *column_.transport},
                    .pipeline = settings_.pipeline,
                    .settings = settings_.stages,
                    .substitution = substitution_policy(device_.shares_host_memory(), reproducible,
                                                        machine_.host().properties().compute_units),
                    .on_step = [this](const StepRecord& record) { on_step(record); }},
        control_, recorder_);
    describe_memory();
  }

  /// The timed part.
  void timed() {
    result_.started = std::time(nullptr);
    sampler_.emplace(device_.telemetry());
    ranks_.barrier();
    watchdog_.enter(Watchdog::kFactorizes);
    control_.beat();
    core_ = CoreClock::now();
    recorder_.restart(system_.streams.update);
    const Traffic before = traffic();
    double seconds = 0;
    try {
      solver_->factorize();
      if (solver_->factorized()) substitute();
      seconds = recorder_.now();
    } catch (const std::exception& e) {
      watchdog_.fail(e.what());
    }
    traffic_ = traffic() - before;
    result_.zero_pivot_column = solver_->stages().zero_pivot_column();
    steps_ = solver_->stages().steps();
    if (const std::optional<HostWork> work = solver_->stages().host_work()) {
      result_.host_work.emplace();
      for (const HostWork& of_rank : ranks_.gather(*work, 0))
        *result_.host_work += of_rank;
    }
    // Before anybody gives back memory that others' devices write to.
    result_.seconds = ranks_.all_reduce(seconds, mpi::Reduce::Max);
    solver_.reset();
    lease_.reset();
    sensors_ = sampler_->finish();
    result_.ended = std::time(nullptr);
  }

  /// Brings the measurements of all ranks to rank 0.
  void gather() {
    const std::int64_t order = request_.spec.order;
    if (steps_ < step_count(system_.shape()))
      result_.stopped = project(order, result_.steps, result_.seconds);
    else
      result_.gflops = benchmark_gflops(order, result_.seconds);
    if (progress_samples_) progress_samples_->finish();

    watchdog_.enter("gathers the measurements");
    std::vector<Span> spans = recorder_.take_spans();
    result_.rank_phases = ranks_.gather(Recorder::totals(spans), 0);
    result_.phases = phase_statistics(result_.rank_phases);
    if (request_.working_times) result_.rank_working = gather_working_times(system_.grid, spans);
    result_.rank_gflops = ranks_.gather(Recorder::products(spans).gflops(), 0);
    result_.account = mean_account(ranks_.gather(time_account(spans, result_.seconds), 0));
    const CorePower core{sampler_->power(), core_, result_.seconds};
    add_core_power(sensors_, core, spans);
    for (const Traffic& of_rank : ranks_.gather(traffic_, 0))
      result_.traffic += of_rank;
    result_.peak = gather_peak(ranks_, machine_.peak());
    result_.devices = gather_devices(ranks_, device_.properties(), sensors_);
    result_.power = gather_power(ranks_, core, result_.devices);
    if (!result_.zero_pivot_column && !result_.stopped)
      result_.solution_hash = system_.solution_hash();
    if (system_.checksums) {
      // Checksums end at the step of a zero pivot: its column is left undivided.
      const std::int64_t end = result_.zero_pivot_column
                                   ? *result_.zero_pivot_column / request_.spec.block_size
                                   : steps_;
      result_.checksums =
          gather_checksums(ranks_, *system_.checksums, settings_.checksum_interval, end);
    }
    if (request_.spans != nullptr) *request_.spans = std::move(spans);
  }

  /// Generates the matrix again, and multiplies.
  RunResult verified() {
    watchdog_.enter("checks the solution", kGenerationAllowance + 4 * generation_.count());
    if (request_.spec.threshold > 0 && !result_.zero_pivot_column && !result_.stopped)
      result_.residual = system_.verify();
    return std::move(result_);
  }

 private:
  using Clock = std::chrono::steady_clock;

  void connect() {
    const TransportNeeds needs{.kind = request_.job.options.wishes.transport,
                               .first_that_works = request_.job.options.wishes.reproducible,
                               .least_piece_bytes = least_piece_bytes(request_.spec),
                               .wait = settings_.stages.message_wait};
    row_ = choose_transport(system_.grid.row(), device_, needs);
    column_ = choose_transport(system_.grid.column(), device_, needs);
    result_.transports = {use_of(row_, device_), use_of(column_, device_)};
    std::vector<std::string>& remarks = result_.remarks;
    for (const ChosenTransport* const chosen : {&row_, &column_})
      for (const std::string& remark : chosen->remarks)
        if (std::ranges::find(remarks, remark) == remarks.end()) remarks.push_back(remark);
    if (row_.transport->has_own_broadcast() && row_.transport->size() > 1)
      remarks.push_back(fmt::format(
          "BCAST {}: {} moves panels by a broadcast of its own, or by long where that was faster; "
          "another --transport leaves the choice to BCAST",
          to_string(request_.spec.broadcast), result_.transports[0].name));
  }

  void settle_share_of_host() {
    const std::string remark = settle_host_share(
        settings_.stages, ranks_,
        {.wanted = settings_.host_share,
         .grid_rows = request_.spec.grid_rows,
         .load = hybrid_load(system_.shape(), settings_.stages.schedule),
         .measure = [&] {
           return measure_hybrid(device_, machine_.host(), system_.matrix, system_.streams);
         }});
    if (!remark.empty()) result_.remarks.push_back(remark);
  }

  /// Ranks that cannot make panels together leave them to their hosts.
  void settle_device_panel() {
    const PanelGroups groups =
        find_panel_groups(device_, system_.grid.column(), settings_.stages.pivots_by_host);
    const std::string refusal =
        mpi::common_reason(ranks_, groups.sizes.empty() ? groups.reason : std::string());
    settings_.stages.device_panel = refusal.empty();
    settings_.stages.panel_groups = groups.sizes;
    if (!refusal.empty())
      result_.remarks.push_back("host panel, not the device's: " + refusal);
    else if (groups.sizes.size() > 1)
      result_.remarks.push_back("device panel: the hosts carry pivots between devices: " +
                                groups.reason);
  }

  void describe_memory() {
    if (system_.visited.columns > 0)
      result_.remarks.push_back(describe_visits(settings_.stages.schedule.visits, system_.matrix,
                                                memory_before_ - device_.memory().free, device_));
    if (request_.spec.matrix == MatrixRequest::Device) return;
    if (const auto pinning = describe_pinning(ranks_, system_.matrix.host_memory()))
      result_.remarks.push_back(*pinning);
  }

  void on_step(const StepRecord& record) {
    if (progress_samples_ && progress_samples_->step(record.seconds, recorder_, *sampler_) &&
        request_.on_ranks)
      request_.on_ranks(progress_samples_->fields());
    if (ranks_.rank() != 0) return;
    result_.steps.push_back(record);
    if (request_.on_step) request_.on_step(record);
  }

  void substitute() {
    watchdog_.enter("substitutes back");
    const ScopedSpan span(recorder_, Track::UpdateWorker, Phase::BackSubstitution,
                          solver_->stages().steps());
    solver_->substitute();
  }

  /// Bytes that this rank has moved so far.
  Traffic traffic() const {
    const hpcx::CopiedBytes copied = device_.copied();
    return {.host_to_device = copied.host_to_device,
            .device_to_host = copied.device_to_host,
            .peer = row_.transport->peer_bytes() + column_.transport->peer_bytes(),
            .mpi = ranks_.received_bytes()};
  }

  const RunRequest& request_;
  const Machine& machine_;
  hpcx::Device& device_;
  Watchdog& watchdog_;
  const mpi::Communicator& ranks_;
  RunSettings settings_;  // of the request, but for what the ranks settle together
  Clock::time_point start_ = Clock::now();
  std::int64_t memory_before_;
  LinearSystem system_;
  std::chrono::duration<double> generation_{};
  JobControl control_;
  Watchdog::Run watched_;
  ChosenTransport row_, column_;
  Recorder recorder_;
  std::optional<TelemetrySampler> sampler_;
  std::optional<ProgressSamples> progress_samples_;
  std::optional<Machine::HostLease> lease_;
  std::optional<SystemSolver> solver_;
  CoreClock core_;
  Traffic traffic_;
  TelemetrySummary sensors_;
  std::int64_t steps_ = 0;  // that were made
  RunResult result_;
};

}  // namespace

RunResult run_benchmark(const RunRequest& request) {
  request.job.watchdog.enter("generates the matrix", kGenerationAllowance);
  BenchmarkRun run(request);
  run.prepare();
  run.timed();
  run.gather();
  return run.verified();
}

}  // namespace hpl
