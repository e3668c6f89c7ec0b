#include "hpl/run/runs/job_runs.h"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "hpl/base/error/error.h"
#include "hpl/comm/mpi/failure.h"
#include "hpl/job/live/gather.h"
#include "hpl/job/live/progress.h"
#include "hpl/plan/sheet_expectation.h"
#include "hpl/plan/time_estimate.h"
#include "hpl/run/report/next_steps.h"

namespace hpl {

namespace {

ProgressOptions progress_options(const RunContext& run, double attainable_gflops) {
  return {.order = run.spec.order,
          .ranks = run.ranks.size(),
          .label = fmt::format("run {} of {}", run.index + 1, run.plan.runs.size()),
          .view = live_view(run.job.options.outputs.progress),
          .attainable_gflops = attainable_gflops};
}

/// N of --auto for runs like `spec`, and its time.
void add_larger_order(NextFacts& facts, const JobContext& job, const RunSpec& spec,
                      double attainable_gflops) {
  const Wishes& wishes = job.options.wishes;
  const OrderWish wish{.runs = {spec},
                       .facts = job.machine.facts(),
                       .wishes = wishes,
                       .block_size = spec.block_size,
                       .estimate = {.attainable_gflops = attainable_gflops, .rates = job.rates}};
  if (!wish.estimate.known()) return;
  RunSpec larger = spec;
  larger.order = choose_order(wish).order;
  facts.larger_order = larger.order;
  facts.larger_seconds = wish.estimate.seconds(larger, decide(larger, wish.facts, wishes));
}

/// Facts about a job for next_steps(), on rank 0. `attainable_gflops`: of its largest run; 0:
/// unknown.
NextFacts next_facts(const JobContext& job, const JobPlan& plan, double attainable_gflops) {
  NextFacts facts;
  const auto largest = std::ranges::max_element(plan.runs, {}, &RunSpec::order);
  if (largest != plan.runs.end() && largest->matrix == MatrixRequest::Device) {
    const RunSettings& settings = plan.settings[std::ranges::distance(plan.runs.begin(), largest)];
    facts.memory_share = static_cast<double>(settings.memory.total().device) /
                         static_cast<double>(job.machine.memory().bytes);
    add_larger_order(facts, job, *largest, attainable_gflops);
  }
  if (job.gpu() && plan.layout) {
    const NodeMap& nodes = plan.layout->nodes;
    facts.node_gpus = job.machine.devices_of_node();
    facts.node_ranks = nodes.ranks_on(nodes.node_of(0));
  }
  const OutputOptions& outputs = job.options.outputs;
  if (outputs.json && !outputs.page && !outputs.prints_json())
    facts.document = outputs.json->string();
  return facts;
}

}  // namespace

JobRuns::JobRuns(const JobContext& job, JobPlan& plan, JobGrid& grid, JobOutput& output, bool live)
    : job_(job),
      plan_(plan),
      grid_(grid),
      output_(output),
      live_(live),
      runs_(live ? live_view(job.options.outputs.progress) : LiveView()) {
  if (job_.root() && !job_.options.power.command.empty())
    meter_.emplace(job_.options.power.command);
}

std::vector<RunResult> JobRuns::make(std::size_t index) {
  grid_.become(plan_.runs[index], *plan_.layout);
  const auto& ranks = grid_.ranks();
  std::vector<RunResult> results;
  std::string refusal;
  try {
    if (ranks) results = repetitions({job_, plan_, index, *ranks, grid_.links()});
  } catch (const ConfigError& error) {  // on all ranks of the grid
    refusal = error.what();
  }
  if (refusal.empty()) output_.repeats(results);
  if (refusal.empty() && job_.root() && index + 1 == plan_.runs.size())
    output_.facts(next_facts(job_, plan_,
                             results.empty() ? 0 : results.back().attainable_gflops.value_or(0)));
  if (ranks)
    job_.watchdog.enter("waits for the end of the run");
  else
    job_.watchdog.rest("has no part in the run");
  job_.world.barrier();
  refusal = mpi::common_reason(job_.world, refusal);
  if (!refusal.empty()) throw ConfigError("{}", refusal);
  return results;
}

std::vector<RunResult> JobRuns::repetitions(RunContext run) {
  const std::optional<Remark> remark = runs_.distribute(plan_, run);
  std::optional<ExpectedRun> model = expected(run);
  std::vector<RunResult> results;
  for (; run.repeat < job_.options.runs.repeat; ++run.repeat) {
    std::vector<Span> spans;
    RunResult result = runs_.make(run, [&] { return once(run, spans); });
    if (!model && run.repeat == 0)
      model = expected_by_sheet(run.spec, run.settings, result.devices);
    result.expected = model;
    if (remark) result.remarks.push_back(*remark);
    output_.run(result);
    if (runs_.diagnose(run, result)) output_.checksums(result);
    output_.keep(result);
    if (job_.options.outputs.trace) add_to_trace(run, result, spans);
    results.push_back(std::move(result));
  }
  return results;
}

bool JobRuns::is_predicted(const RunContext& run) const {
  return job_.rates != nullptr && run.spec.order > 0 && run.ranks.rank() == 0;
}

std::optional<ExpectedRun> JobRuns::expected(const RunContext& run) const {
  if (!is_predicted(run)) return std::nullopt;
  job_.watchdog.enter("predicts the run", Watchdog::kSetUpAllowance);
  return expected_run(run.spec, run.settings, *job_.rates, job_.options.rates.input->string());
}

RunResult JobRuns::once(RunContext run, std::vector<Span>& spans) {
  std::optional<Progress> progress;
  const double attainable = live_ ? runs_.known_gflops(run) : 0;
  if (job_.root() && live_) progress.emplace(std::cerr, progress_options(run, attainable));
  run.progress_samples = live_;
  run.working_times = job_.rates != nullptr;
  if (progress) {
    run.on_step = [&](const StepRecord& record) { progress->update(record); };
    run.on_ranks = [&](std::vector<std::string> fields) {
      progress->show_ranks(std::move(fields));
    };
  }
  const auto number = [&](RunResult& result) {
    result.run_index = static_cast<int>(run.index);
    result.repeat_index = run.repeat;
  };
  if (job_.root())
    run.on_unchecked = [&](RunResult result) {
      if (progress) progress->finish();
      number(result);
      output_.unchecked(result);
    };
  if (job_.options.outputs.trace) run.spans = &spans;
  RunResult result = run_benchmark(run);
  number(result);
  add_meter(result);
  return result;
}

void JobRuns::add_meter(RunResult& result) {
  if (!meter_ || !result.power) return;
  constexpr double kSecondsBetweenReadings = 1;
  MeterPower meter =
      meter_power(*result.power, meter_->command(), meter_->samples(), job_.options.power.scope);
  meter.complaints = meter_remarks(meter, result.power->seconds(), kSecondsBetweenReadings);
  const double now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  for (std::string& complaint : meter_->complaints(meter_reported_, now))
    meter.complaints.push_back(std::move(complaint));
  meter_reported_ = now;
  result.power->meter = std::move(meter);
}

void JobRuns::add_to_trace(const RunContext& run, const RunResult& result,
                           const std::vector<Span>& spans) {
  const RunSpec& spec = result.spec;
  std::string name =
      fmt::format("run {}: {} N={} NB={} P={} Q={}", result.run_index + 1, variant_code(spec),
                  spec.order, spec.block_size, spec.grid_rows, spec.grid_columns);
  if (job_.options.runs.repeat > 1) name += fmt::format(", repetition {}", result.repeat_index + 1);
  TraceFile* const trace = output_.trace();
  Timelines expected;
  if (is_predicted(run)) expected = expected_timelines(run.spec, run.settings, *job_.rates);
  if (trace)
    trace->begin(std::move(name), result.seconds);
  else
    job_.watchdog.rest("waits until its time line is written");
  gather_timelines(run.ranks, job_.machine.device().properties(), spans,
                   [&](RankTimeline timeline) {
                     job_.watchdog.enter("writes the trace", Watchdog::kSetUpAllowance);
                     const auto rank = static_cast<std::size_t>(timeline.rank);
                     if (rank < expected.size()) timeline.expected = std::move(expected[rank]);
                     trace->add(timeline);
                   });
  if (trace) trace->end();
}

}  // namespace hpl
