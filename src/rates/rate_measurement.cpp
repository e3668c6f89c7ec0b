#include "hpl/rates/rate_measurement.h"

#include <iostream>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "hpl/base/error/error.h"
#include "hpl/base/file/atomic_file.h"
#include "hpl/base/file/standard_output.h"
#include "hpl/base/text/quantity.h"
#include "hpl/input/plan/plan.h"
#include "hpl/job/live/progress.h"
#include "hpl/job/ranks/agreement.h"
#include "hpl/machine/host/versions.h"
#include "measure_rates.h"

namespace hpl {

Rates measure_rates_of(const JobContext& job, const RankLayout& layout, RunSpec spec) {
  const Machine& machine = job.machine;
  const mpi::Communicator ranks =
      job.world.split(0, layout.number_in_grid(job.world.rank(), spec).value());
  const MixedWishes& mixed = job.options.wishes.mixed;
  if (mixed.wanted) spec = make_mixed(std::move(spec), mixed_spec(mixed, machine.kind()));
  const RunSettings settings = decide(spec, machine.facts(), job.options.wishes);
  // Rank 0 shows for all.
  StatusLine line(std::cerr,
                  job.world.rank() == 0 ? live_view(job.options.outputs.progress) : LiveView());
  // All sizes of a probe together.
  constexpr double kLongestProbe = 120;
  return measure_rates(ranks, {.device = machine.device(),
                               .host = machine.host(),
                               .mixed = spec.mixed,
                               .grid = {spec.grid_rows, spec.grid_columns},
                               .rank_order = spec.rank_order,
                               .solve_rows = settings.stages.solve_rows,
                               .panel_compute_units = settings.stages.panel_compute_units,
                               .pivots_by_host = settings.stages.pivots_by_host,
                               .narrow_panel_columns = settings.stages.narrow_panel_columns,
                               .memory_bytes = machine.memory().bytes,
                               .on_probe = [&](const char* name) {
                                 const std::string text = fmt::format("measures {}", name);
                                 job.watchdog.enter(text, kLongestProbe);
                                 line.show(text);
                               }});
}

ExitCode run_rate_measurement(const JobContext& job, const JobPlan& plan) {
  const RunSpec spec = first_grid(plan.dat);
  const int ranks = spec.grid_rows * spec.grid_columns;
  if (ranks != job.world.size())
    throw ConfigError(
        "xhpl rates measures all {} ranks, and the grid {} x {} has {}; give -P and -Q",
        job.world.size(), spec.grid_rows, spec.grid_columns, ranks);
  std::optional<AtomicFile> file;
  on_rank_0(job.world, [&] {  // before anything is measured
    file.emplace(*job.options.rates.output, "the rates");
  });
  Rates rates = measure_rates_of(job, *plan.layout, spec);
  rates.program = program_info("xhpl", job.options.words, job.options.outputs.labels);
  on_rank_0(job.world, [&] {
    file->write(json_text(to_json_value(rates)));
    std::string text = fmt::format(
        "Rates of {} of {}, {} each, are in {}\n", count_text(rates.ranks, "rank"), rates.machine,
        rate_text(rates.product_gflops.values().back()), job.options.rates.output->string());
    for (const std::string& reason : rates.disturbances)
      text += fmt::format("# remark: measured twice and disturbed, {}\n", reason);
    write_standard_output(text);
  });
  return ExitCode::Passed;
}

}  // namespace hpl
