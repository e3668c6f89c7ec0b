#include "plan_output.h"

#include <string>
#include <vector>

#include "hpl/base/file/atomic_file.h"
#include "hpl/job/setup/dry_run.h"
#include "hpl/job/setup/explanation.h"
#include "hpl/job/setup/information.h"
#include "hpl/job/setup/on_rank_0.h"
#include "hpl/machine/host/versions.h"
#include "measured_rates.h"

namespace hpl {

void write_dat_copy(const JobContext& job, const JobPlan& plan) {
  const auto nothing = on_rank_0(job.world, [&] {
    const AtomicFile file(*job.options.outputs.dat, "the HPL.dat to be written");
    file.write(write_hpl_dat(plan.dat));
    return 0;
  });
  static_cast<void>(nothing);
}

ExitCode show_plan(const JobContext& job, const JobPlan& plan) {
  const Options& options = job.options;
  const double rate = options.check.attainable_rate && job.rates == nullptr && !plan.runs.empty()
                          ? MeasuredRates().before({job, plan, 0, job.world}).sum()
                          : 0;
  std::string text;
  if (job.root() && options.explain && !plan.runs.empty())
    text += explain_plan({.options = options,
                          .dat = plan.dat,
                          .input_name = plan.input_name,
                          .layout = *plan.layout,
                          .machine = job.machine,
                          .spec = plan.runs.front(),
                          .settings = plan.settings.front(),
                          .runs = plan.runs.size(),
                          .attainable_gflops = rate});
  if (job.root() && options.dry_run)
    text += describe_plan(plan.runs, plan.settings, job.machine.device(), job.machine.memory(),
                          {rate, job.rates});
  print_on_rank_0(job.world, text);
  return ExitCode::Passed;
}

JobHeader job_header(const JobContext& job, const JobPlan& plan) {
  const bool reproducible = job.options.wishes.reproducible;
  JobHeader header{.program = {"xhpl", program_version()},
                   .environment = job.machine.environment(),
                   .remarks = plan.dat.remarks,
                   .parameters = parameter_block(plan.runs),
                   .reproducible = reproducible};
  header.environment.emplace_back(
      "repeatable", reproducible ? "bit for bit, in every job of this input, grid and machine"
                                 : "up to rounding (bit for bit: --reproducible)");
  const auto add = [&](const std::vector<std::string>& more) {
    header.remarks.insert(header.remarks.end(), more.begin(), more.end());
  };
  add(job.machine.remarks());
  for (const RunSettings& settings : plan.settings)
    add(settings.remarks);
  return header;
}

}  // namespace hpl
