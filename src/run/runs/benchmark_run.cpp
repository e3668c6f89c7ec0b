#include "hpl/run/runs/benchmark_run.h"

#include <ctime>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "hpl/base/number/benchmark_formulas.h"
#include "hpl/base/number/stopwatch.h"
#include "hpl/job/live/gather.h"
#include "hpl/job/live/progress.h"
#include "hpl/job/live/progress_samples.h"
#include "hpl/job/live/telemetry_sampler.h"
#include "hpl/machine/decide/run_memory.h"
#include "hpl/machine/host/host_events.h"
#include "hpl/report/result/hardware_events.h"
#include "hpl/report/result/phase_statistics.h"
#include "run_system.h"

namespace hpl {

namespace {

/// Generation has no steps to show: it gets this much on top of the watchdog's limit.
constexpr double kGenerationAllowance = 60;

TransportUse use_of(const ChosenTransport& chosen, const hpcx::Device& device) {
  const TransportKind kind = chosen.transport->kind();
  // If the device's memory is the host's, this is MPI as everybody knows it.
  const bool plain = kind == TransportKind::MpiDevice && device.shares_host_memory();
  return {chosen.transport->size(), plain ? "mpi" : std::string(to_string(kind)), chosen.bandwidth,
          chosen.device_bytes};
}

class BenchmarkRun {
 public:
  /// Links the devices, unless an earlier run has.
  explicit BenchmarkRun(const RunContext& run)
      : run_(run),
        machine_(run.job.machine),
        device_(machine_.device()),
        watchdog_(run.job.watchdog),
        ranks_(run.ranks),
        watched_(watchdog_, {control_, ranks_, position_of(ranks_, run.spec), run.label(),
                             network_trouble(device_)}),
        links_(links_of(run.job, ranks_, run.spec, run.settings,
                        std::exchange(run.links, nullptr))),  // one that fails leaves none
        result_{.spec = run.spec} {}

  /// Allocates and generates the system.
  void generate() {
    check_memory_beside_links();
    watchdog_.enter("generates the matrix", kGenerationAllowance);
    const Stopwatch watch;
    system_ = make_run_system(run_);
    generation_seconds_ = watch.seconds();
    recorder_.emplace(system_->streams().update);
  }

  /// Sets up memory, connections and library handles before the clock runs.
  void prepare() {
    watchdog_.enter("sets up the run", kGenerationAllowance);
    describe_links();
    if (run_.progress_samples) progress_samples_.emplace(ranks_, device_.properties());
    // The one thread of the serial pipeline waits for all that it enqueues.
    if (run_.settings.pipeline == PipelineKind::Serial) lease_.emplace(machine_);
    system_->set_up({.device = device_,
                     .host = machine_.host(),
                     .transports = {*links_->row().transport, *links_->column().transport},
                     .pipeline = run_.settings.pipeline,
                     .settings = run_.settings.stages,
                     .control = control_,
                     .recorder = *recorder_,
                     .on_step = [this](const StepRecord& record) { on_step(record); }},
                    *links_, result_);
  }

  /// The timed part.
  void timed() {
    result_.started = std::time(nullptr);
    const bool leads_host = ranks_.split_shared().rank() == 0;
    const hpcx::EventCounts events = leads_host ? host_events() : hpcx::EventCounts();
    const Stopwatch since_events;
    sampler_.emplace(device_.telemetry());
    const ProcessorTime used_before = processor_time(run_.job.beside);
    ranks_.barrier();
    watchdog_.enter(Watchdog::kFactorizes);
    control_.beat();
    core_ = CoreClock::now();
    recorder_->restart(system_->streams().update);
    const Traffic before = traffic();
    double seconds = 0;
    try {
      system_->solve(result_);
      seconds = recorder_->now();
    } catch (const std::exception& e) {
      watchdog_.fail(e.what());
    }
    traffic_ = traffic() - before;
    used_ = processor_time(run_.job.beside) - used_before;
    // Before anybody gives back memory that others' devices write to.
    result_.seconds = ranks_.all_reduce(seconds, mpi::Reduce::Max);
    steps_ = system_->end(result_);
    lease_.reset();
    sensors_ = sampler_->finish();
    if (leads_host) host_events_ = events_between(events, host_events(), since_events.seconds());
    result_.ended = std::time(nullptr);
    const std::int64_t order = run_.spec.order;
    if (steps_ < step_count(system_->shape()))
      result_.stopped = project(order, result_.steps, result_.seconds);
    else
      result_.gflops = benchmark_gflops(order, result_.seconds);
  }

  /// Hands out what is known before the check, which may take as long as the run and may fail.
  void hand_out() {
    if (!run_.on_unchecked || ranks_.rank() != 0) return;
    watchdog_.enter("writes the result");
    run_.on_unchecked(result_);
  }

  /// Brings the measurements of all ranks to rank 0.
  void gather() {
    if (progress_samples_) progress_samples_->finish();

    watchdog_.enter("gathers the measurements");
    std::vector<Span> spans = recorder_->take_spans();
    result_.rank_phases = ranks_.gather(Recorder::totals(spans), 0);
    result_.phases = phase_statistics(result_.rank_phases);
    if (run_.working_times) result_.rank_working = gather_working_times(system_->grid(), spans);
    result_.rank_gflops = ranks_.gather(Recorder::products(spans).gflops(), 0);
    result_.account = mean_account(ranks_.gather(time_account(spans, result_.seconds), 0));
    const CorePower core{sampler_->power(), core_, result_.seconds};
    add_core_power(sensors_, core, spans);
    for (const Traffic& of_rank : ranks_.gather(traffic_, 0))
      result_.traffic += of_rank;
    result_.peak = gather_peak(ranks_, machine_.peak());
    result_.others = gather_others(ranks_, used_, result_.seconds);
    result_.devices = gather_devices(ranks_, device_.properties(), sensors_);
    result_.hosts = gather_host_events(ranks_, host_events_);
    if (auto unreadable = unreadable_events(events_of(result_)))
      result_.remarks.push_back(std::move(*unreadable));
    result_.power = gather_power(ranks_, core, result_.devices);
    system_->describe(result_, steps_);
    if (run_.spans != nullptr) *run_.spans = std::move(spans);
  }

  /// Generates the matrix again, and multiplies.
  RunResult verified() {
    watchdog_.enter("checks the solution", kGenerationAllowance + 4 * generation_seconds_);
    if (run_.spec.threshold > 0 && !result_.zero_pivot_column && !result_.stopped)
      result_.residual = system_->verify();
    run_.links = std::move(links_);
    return std::move(result_);
  }

 private:
  /// Refuses a run that has too little memory beside its links: N was judged by an estimate.
  void check_memory_beside_links() const {
    Facts facts = machine_.facts();
    facts.link_bytes = links_->device_bytes();
    if (!facts.link_bytes) return;
    RunSettings settings = run_.settings;
    settings.memory = memory_account(run_.spec, settings, facts);
    check_memory(run_.spec, settings, facts, run_.job.options.wishes);
  }

  void describe_links() {
    const ChosenTransport &row = links_->row(), &column = links_->column();
    result_.transports = {use_of(row, device_), use_of(column, device_)};
    // A run of HPL-MxP has two along the column.
    if (const auto second = links_->panel_column().device_bytes)
      *result_.transports[1].device_bytes += *second;
    std::vector<Remark>& remarks = result_.remarks;
    for (const ChosenTransport* const chosen : {&row, &column})
      append(remarks, chosen->remarks);
    if (row.transport->has_own_broadcast() && row.transport->size() > 1)
      remarks.push_back(
          warning("BCAST",
                  "BCAST {}: {} moves panels by a broadcast of its own, or by long where that was "
                  "faster; another --transport leaves the choice to BCAST",
                  to_string(run_.spec.broadcast), result_.transports[0].name));
  }

  void on_step(const StepRecord& record) {
    if (progress_samples_ && progress_samples_->step(record.seconds, *recorder_, *sampler_) &&
        run_.on_ranks)
      run_.on_ranks(progress_samples_->fields());
    if (ranks_.rank() != 0) return;
    result_.steps.push_back(record);
    if (run_.on_step) run_.on_step(record);
  }

  /// Bytes that this rank has moved so far.
  Traffic traffic() const {
    const hpcx::CopiedBytes copied = device_.copied();
    return {
        .host_to_device = copied.host_to_device,
        .device_to_host = copied.device_to_host,
        .peer = links_->row().transport->peer_bytes() + links_->column().transport->peer_bytes(),
        .mpi = ranks_.received_bytes()};
  }

  const RunContext& run_;
  const Machine& machine_;
  hpcx::Device& device_;
  Watchdog& watchdog_;
  const mpi::Communicator& ranks_;
  JobControl control_;
  Watchdog::Run watched_;
  std::unique_ptr<GridLinks> links_;
  double generation_seconds_ = 0;
  std::unique_ptr<RunSystem> system_;
  std::optional<Recorder> recorder_;
  std::optional<TelemetrySampler> sampler_;
  std::optional<ProgressSamples> progress_samples_;
  std::optional<Machine::HostLease> lease_;
  CoreClock core_;
  Traffic traffic_;
  ProcessorTime used_;
  TelemetrySummary sensors_;
  std::optional<hpcx::EventCounts> host_events_;  // on the first rank of each host
  std::int64_t steps_ = 0;                        // that were made
  RunResult result_;
};

}  // namespace

Facts RunContext::facts() const {
  Facts facts = job.machine.facts();
  if (links) facts.link_bytes = links->device_bytes();
  return facts;
}

std::string RunContext::label() const {
  const RunSpec& planned = plan.runs[index];
  return fmt::format("{}run {} of {}{} (N = {}, NB = {}, {} x {}, {} pipeline)", purpose, index + 1,
                     plan.runs.size(),
                     job.options.runs.repeat > 1 ? fmt::format(", repetition {}", repeat + 1) : "",
                     planned.order, planned.block_size, planned.grid_rows, planned.grid_columns,
                     to_string(settings.pipeline));
}

RunResult run_benchmark(const RunContext& run) {
  BenchmarkRun benchmark(run);
  benchmark.generate();
  benchmark.prepare();
  benchmark.timed();
  benchmark.hand_out();
  benchmark.gather();
  benchmark.hand_out();
  return benchmark.verified();
}

}  // namespace hpl
