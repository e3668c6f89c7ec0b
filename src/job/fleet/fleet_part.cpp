#include "fleet_part.h"

#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "fleet_records.h"
#include "hpl/base/error/error.h"
#include "hpl/input/plan/plan.h"

namespace hpl {

void FleetPart::make_plan(const std::string& input_name, const HplDat& dat) {
  HplDat fitting = fit_to_ranks(dat, context_.options, ranks_.size());
  for (std::size_t i = 0; i < fitting.grid_rows.size(); ++i)
    if (std::int64_t{fitting.grid_rows[i]} * fitting.grid_columns[i] != ranks_.size())
      throw ConfigError(fmt::format(
          "{}: P x Q must take all {} rank(s) of a unit of --each, found {} x {}; --grid auto "
          "chooses them",
          fitting.grid_origin, ranks_.size(), fitting.grid_rows[i], fitting.grid_columns[i]));
  plan_ = make_job_plan(context_, input_name, std::move(fitting));
  if (plan_.runs.size() != 1)
    throw ConfigError(
        fmt::format("--each makes one run on every unit: give one value for each of N, NB, P, Q "
                    "and the variants, found {} runs",
                    plan_.runs.size()));
}

void FleetPart::run_for(double seconds, FleetProgress* progress, const std::string& label,
                        const std::function<void(FleetRound)>& on_round) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  bool more = true;
  while (more) {
    FleetRound made = run_once(progress, label);
    if (leads()) on_round(std::move(made));
    const std::chrono::duration<double> passed = Clock::now() - begin;
    more = ranks_.broadcast_value(passed.count() < seconds, 0);
  }
}

FleetRound FleetPart::run_once(FleetProgress* progress, const std::string& label) {
  const PlannedRun run{context_, plan_, 0, ranks_};
  // What there is to say about it would be said for one unit among many.
  if (made_ == 0) static_cast<void>(runs_.distribute(plan_, run));
  const auto once = [&] {
    RunRequest request = run.request(run.label(made_));
    if (progress != nullptr && leads()) {
      progress->begin_run(run.spec().order, ranks_.size(), label);
      request.on_step = [&](const StepRecord& record) { progress->step(record); };
    }
    RunResult result = run_benchmark(request);
    if (progress != nullptr && leads()) progress->end_run();
    return result;
  };
  hpcx::Telemetry& telemetry = context_.machine.device().telemetry();
  const MemoryErrors before = MemoryErrors::of(telemetry.health());
  RunResult result = runs_.make(run, once);
  const MemoryErrors arisen = MemoryErrors::of(telemetry.health()).since(before);
  runs_.diagnose(run, result);
  const std::vector<int> ranks = ranks_.all_gather(world_rank_);
  return fleet_round(std::move(result), made_++, ranks, ranks_.gather(arisen, 0));
}

}  // namespace hpl
