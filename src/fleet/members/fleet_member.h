#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fleet_progress.h"
#include "hpl/plan/job_plan.h"
#include "hpl/report/result/run_result.h"
#include "hpl/run/runs/measured_run.h"

namespace hpl {

/// The ordinary job of a member of a fleet, on the member's ranks.
class MemberJob {
 public:
  /// `member`: its number in the division. `ranks`: of the member. Borrows what the job has.
  /// `of_host`: the job's processes on this host. Collective over the ranks of the member.
  MemberJob(int member, mpi::Communicator ranks, const JobContext& fleet,
            std::vector<ProcessId> of_host);
  MemberJob(const MemberJob&) = delete;
  MemberJob& operator=(const MemberJob&) = delete;

  int member() const { return member_; }
  /// This rank, the first of the member, reports for it.
  bool leads() const { return ranks_.rank() == 0; }
  const JobContext& context() const { return context_; }
  const JobPlan& plan() const { return plan_; }

  /// The one run of the member. Throws ConfigError, the same on every rank of the member, where
  /// there are more, or the grid leaves ranks out. Collective over the member, as all below.
  void make_plan(const std::string& input_name, const HplDat& dat);

  /// Runs once, then again until so many seconds are over. `on_run` gets each run, on the rank that
  /// leads. A run that other processes disturbed is made again, at most twice, and the last one
  /// counts. `progress`: null where none is shown; `label` stands first there.
  void run_for(double seconds, FleetProgress* progress, const std::string& label,
               const std::function<void(RunResult)>& on_run);

 private:
  RunResult run_undisturbed(FleetProgress* progress, const std::string& label);
  RunResult run_once(FleetProgress* progress, const std::string& label);

  int member_;
  mpi::Communicator ranks_;
  JobContext context_;
  JobPlan plan_;
  std::unique_ptr<GridLinks> links_;
  MeasuredRun runs_;
  int made_ = 0;       // runs so far
  bool busy_ = false;  // a run remained disturbed, on the rank that leads
};

}  // namespace hpl
