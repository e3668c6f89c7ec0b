#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "fleet_progress.h"
#include "hpl/job/run/job_plan.h"
#include "hpl/job/run/measured_run.h"
#include "hpl/report/result/fleet_report.h"

namespace hpl {

/// A rank's part in a round of a fleet: its unit, and what the unit runs.
class FleetPart {
 public:
  /// `unit`: its number in the division. `ranks`: of the unit. `world_rank`: of this rank.
  FleetPart(int unit, mpi::Communicator ranks, int world_rank, const Machine& machine,
            const Options& options, Watchdog& watchdog, const Rates* rates)
      : unit_(unit),
        world_rank_(world_rank),
        ranks_(std::move(ranks)),
        context_{ranks_, machine, options, watchdog, rates} {}
  FleetPart(const FleetPart&) = delete;
  FleetPart& operator=(const FleetPart&) = delete;

  int unit() const { return unit_; }
  /// This rank, the first of the unit, reports for it.
  bool leads() const { return ranks_.rank() == 0; }
  const mpi::Communicator& ranks() const { return ranks_; }
  const JobContext& context() const { return context_; }
  const JobPlan& plan() const { return plan_; }

  /// The one run of the unit. Throws ConfigError, the same on every rank of the unit, where there
  /// are more, or the grid leaves ranks out. Collective over the unit, as all below.
  void make_plan(const std::string& input_name, const HplDat& dat);

  /// Runs once, then again until so many seconds are over. `on_round` gets each run, on the rank
  /// that leads. `progress`: null where none is shown; `label` stands first there.
  void run_for(double seconds, FleetProgress* progress, const std::string& label,
               const std::function<void(FleetRound)>& on_round);

 private:
  FleetRound run_once(FleetProgress* progress, const std::string& label);

  int unit_, world_rank_;
  mpi::Communicator ranks_;
  JobContext context_;
  JobPlan plan_;
  MeasuredRun runs_;
  int made_ = 0;  // runs so far
};

}  // namespace hpl
