#include "fleet_member.h"

#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "hpl/base/error/error.h"
#include "hpl/fleet/judge/fleet_report.h"
#include "hpl/input/plan/plan.h"
#include "hpl/job/live/disturbed.h"
#include "hpl/report/result/disturbance.h"
#include "hpl/report/result/run_failures.h"

namespace hpl {

namespace {

/// A run that other processes disturbed is made again this many times.
constexpr int kRunsAgain = 2;

}  // namespace

MemberJob::MemberJob(int member, mpi::Communicator ranks, const JobContext& fleet,
                     std::vector<ProcessId> of_host)
    : member_(member),
      ranks_(std::move(ranks)),
      context_{ranks_, fleet.machine, fleet.options, fleet.watchdog, fleet.rates} {
  for (const ProcessId& mine : ranks_.split_shared().all_gather(this_process()))
    std::erase(of_host, mine);
  context_.beside = std::move(of_host);
}

void MemberJob::make_plan(const std::string& input_name, const HplDat& dat) {
  HplDat fitting = fit_to_ranks(dat, context_.options, ranks_.size());
  for (std::size_t i = 0; i < fitting.grid_rows.size(); ++i)
    if (std::int64_t{fitting.grid_rows[i]} * fitting.grid_columns[i] != ranks_.size())
      throw ConfigError(
          "{}: P x Q must take all {} ranks of a member of the fleet, found {} x {}; --grid auto "
          "chooses them",
          fitting.grid_origin, ranks_.size(), fitting.grid_rows[i], fitting.grid_columns[i]);
  plan_ = make_job_plan(context_, input_name, std::move(fitting));
  if (plan_.runs.size() != 1)
    throw ConfigError(
        "a fleet makes one run on every member: give one value for each of N, NB, P, Q and the "
        "variants, found {} runs",
        plan_.runs.size());
}

void MemberJob::run_for(double seconds, FleetProgress* progress, const std::string& label,
                        const std::function<void(RunResult)>& on_run) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  bool more = true;
  while (more) {
    RunResult made = run_undisturbed(progress, label);
    if (leads()) on_run(std::move(made));
    const std::chrono::duration<double> passed = Clock::now() - begin;
    more = ranks_.broadcast_value(passed.count() < seconds, 0);
  }
}

RunResult MemberJob::run_undisturbed(FleetProgress* progress, const std::string& label) {
  // The remark is dropped: it would speak of one member among many.
  if (made_ == 0) static_cast<void>(runs_.distribute(plan_, {context_, plan_, 0, ranks_, links_}));
  RunResult made;
  const bool on_processors = context_.machine.kind() == ProcessorKind::Cpu;
  const auto measure = [&] {
    made = run_once(progress, label);
    // Whatever disturbed a wrong run, it was wrong.
    return run_failures(made).empty() ? disturbances(made.others, on_processors)
                                      : std::vector<std::string>{};
  };
  // A machine that stays busy has no better rate.
  const int times = ranks_.broadcast_value(busy_, 0) ? 0 : kRunsAgain;
  busy_ = !measure_undisturbed(ranks_, measure, times).empty();
  made.repeat_index = made_++;
  return made;
}

RunResult MemberJob::run_once(FleetProgress* progress, const std::string& label) {
  RunContext run{context_, plan_, 0, ranks_, links_};
  run.repeat = made_;
  const bool shown = progress != nullptr && leads();
  if (shown) run.on_step = [&](const StepRecord& record) { progress->step(record); };
  const auto once = [&] {
    if (shown) progress->begin_run(run.spec.order, ranks_.size(), label);
    RunResult result = run_benchmark(run);
    if (shown) progress->end_run();
    return result;
  };
  RunResult result = runs_.make(run, once);
  runs_.diagnose(run, result);
  return brief(std::move(result));
}

}  // namespace hpl
