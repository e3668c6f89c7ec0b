#include "hpl/run/runs/job_output.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "hpl/base/file/atomic_file.h"
#include "hpl/base/text/quantity.h"
#include "hpl/base/text/text_style.h"
#include "hpl/check/report/check_text.h"
#include "hpl/job/failure/at_the_end.h"
#include "hpl/job/live/status_line.h"
#include "hpl/job/ranks/agreement.h"
#include "hpl/job/ranks/information.h"
#include "hpl/machine/host/versions.h"
#include "hpl/plan/explanation.h"
#include "hpl/report/csv/run_table.h"
#include "hpl/run/report/head_text.h"
#include "hpl/run/runs/measured_run.h"

namespace hpl {

namespace {

/// Choices of the whole job, and what is done otherwise than asked for.
std::vector<Remark> remarks_of(const JobContext& job, const JobPlan& plan) {
  std::vector<Remark> remarks = plan.dat.remarks;
  for (const auto& [about, value, reason] : plan.dat.chosen)
    remarks.push_back(note(about, "{} = {}: {}", about, value, reason));
  append(remarks, job.machine.remarks());
  for (const RunSettings& settings : plan.settings)
    append(remarks, settings.remarks);
  return remarks;
}

/// The choice of decide() that describe_plan() shows of the largest run.
constexpr std::string_view kRankMemory = "memory of a rank";

/// The choices made for the first run.
std::vector<Decision> choices_of(const JobContext& job, const JobPlan& plan) {
  if (plan.runs.empty()) return {};
  return decisions_of({.options = job.options,
                       .dat = plan.dat,
                       .input_name = plan.input_name,
                       .layout = *plan.layout,
                       .machine = job.machine,
                       .spec = plan.runs.front(),
                       .settings = plan.settings.front()});
}

}  // namespace

void write_dat_copy(const JobContext& job, const JobPlan& plan) {
  on_rank_0(job.world, [&] {
    const AtomicFile file(*job.options.outputs.dat, "the HPL.dat to be written");
    file.write(write_hpl_dat(plan.dat));
  });
}

ExitCode show_plan(const JobContext& job, const JobPlan& plan) {
  const Options& options = job.options;
  const int ranks = job.machine.resources().ranks;
  TimeEstimate estimate{plan.estimate.attainable_gflops, job.rates};
  std::unique_ptr<GridLinks> links;  // none: nothing is run
  if (!estimate.known() && options.wishes.attainable_rate && !plan.runs.empty())
    estimate.attainable_gflops = MeasuredRates(live_view(options.outputs.progress))
                                     .before({job, plan, 0, job.world, links})
                                     .sum() *
                                 ranks / job.world.size();
  const double rate = estimate.attainable_gflops;
  std::string text;
  if (job.root()) {
    std::vector<Remark> remarks = remarks_of(job, plan);
    // The choices below hold these.
    std::erase_if(remarks,
                  [](const Remark& remark) { return remark.severity == Severity::Remark; });
    text = with_folded_comments(remark_lines(remarks));
    text += describe_plan(plan.runs, plan.settings, job.machine.memory(), estimate);
    if (!plan.runs.empty() && options.outputs.detail >= Detail::Usual) {
      std::vector<Decision> choices = choices_of(job, plan);
      std::erase_if(choices, [](const Decision& choice) { return choice.about == kRankMemory; });
      if (rate > 0)
        choices.push_back(
            {"attainable", rate_text(rate),
             fmt::format("measured now: products of depth {}, {}", plan.runs.front().block_size,
                         options.plan.ranks > 0 ? fmt::format("one rank, times {}", ranks)
                                                : "all ranks at once")});
      text += choices_text(choices, plan.runs.size());
    }
  }
  print_on_rank_0(job.world, text);
  return ExitCode::Passed;
}

JobHeader job_header(const JobContext& job, const JobPlan& plan) {
  const bool reproducible = job.options.wishes.reproducible;
  JobHeader header{.program = program_info("xhpl", job.options.words, job.options.outputs.labels),
                   .environment = job.machine.environment(),
                   .remarks = remarks_of(job, plan),
                   .choices = choices_of(job, plan),
                   .resources = job.machine.resources(),
                   .parameters = parameter_block(plan.runs),
                   .reproducible = reproducible};
  header.environment.emplace_back(
      "repeatable", reproducible ? "bit for bit, in every job of this input, grid and machine"
                                 : "to rounding; bit for bit with --reproducible");
  return header;
}

void JobOutput::open(const mpi::Communicator& world, const Options& options, const HplDat& dat) {
  on_rank_0(world, [&] {
    if (options.outputs.json) json_.emplace(*options.outputs.json);
    if (options.outputs.page) page_.emplace(*options.outputs.page, "the page");
    if (options.outputs.csv) csv_.emplace(*options.outputs.csv, run_table());
    if (options.outputs.trace) trace_.emplace(*options.outputs.trace);
    // Last, since opening it empties it: what the others refuse has cost nothing.
    stream_.emplace(dat.output_device, dat.output_file, dat.output_origin);
    text_.emplace(stream_->stream(), report_style(options.outputs, dat.output_device));
  });
}

void JobOutput::preflight(CheckReport found) {
  report_.preflight = std::move(found);
}

void JobOutput::machine(std::vector<RankCard> cards) {
  report_.hosts = hosts_of(cards);
  for (RankCard& card : cards)
    if (card.device) report_.devices.push_back(*std::move(card.device));
}

void JobOutput::begin(JobHeader header, std::vector<RunSpec> plan) {
  if (!root_) return;
  report_.header = std::move(header);
  if (report_.preflight) {
    report_.header.environment.emplace_back("pre-flight", check_line(*report_.preflight));
    append(report_.header.remarks, check_remarks(*report_.preflight));
  }
  report_.plan = std::move(plan);
  text_->begin(report_.header);
}

bool JobOutput::goes_on() {
  if (!root_) return false;
  const std::lock_guard lock(writing_);
  return !report_.error;
}

void JobOutput::set_run(const RunResult& result) {
  if (awaits_check_)
    report_.runs.back() = result;
  else
    report_.runs.push_back(result);
  report_.tally = counted(settled_, run_verdict(result));
}

void JobOutput::unchecked(const RunResult& result) {
  if (!goes_on()) return;
  {
    const std::lock_guard lock(writing_);
    set_run(result);
    awaits_check_ = true;
    try {
      if (json_) json_->add(report_);
    } catch (const RunError&) {  // keep() writes it again, and reports a failure
    }
  }
  text_->row(result);
}

void JobOutput::run(const RunResult& result) {
  if (goes_on()) text_->run(result);
}

void JobOutput::checksums(const RunResult& result) {
  if (goes_on()) text_->checksums(result);
}

void JobOutput::keep(const RunResult& result) {
  if (!root_) return;
  const std::lock_guard lock(writing_);
  if (report_.error) return;  // the end has begun, and stands in the report
  set_run(result);
  settled_ = report_.tally;
  awaits_check_ = false;
  if (csv_) csv_->append({run_row(result, report_.header.program)});
  if (json_) json_->add(report_);
}

void JobOutput::repeats(const std::vector<RunResult>& results) {
  if (goes_on()) text_->repeats(results);
}

void JobOutput::failure(const std::string& what, ExitCode code) {
  const std::unique_lock lock = lock_at_the_end(writing_);
  if (!lock || !json_) return;
  report_.error = what;
  report_.exit_code = code;
  try {
    json_->write(report_);
  } catch (const RunError&) {  // the failure that brought us here is the one to report
  }
}

ExitCode JobOutput::close(const Gates& gates, double threshold) {
  if (!root_) return ExitCode::Passed;
  const std::lock_guard lock(writing_);
  if (report_.error) return *report_.exit_code;
  report_.gates = judge(gates, report_.runs);
  const bool held = std::ranges::all_of(report_.gates, &GateResult::held);
  const ExitCode code = exit_code_of({.wrong = report_.tally.failed > 0, .slow = !held});
  report_.exit_code = code;
  text_->end(report_.tally, threshold);
  text_->gates(report_.gates);
  text_->summary(report_, next_steps(report_, facts_));
  if (json_) json_->write(report_);
  if (page_) page_->write(page_of_({{"this job", json_text(to_json_value(report_))}}));
  if (trace_) trace_->finish();
  return code;
}

}  // namespace hpl
