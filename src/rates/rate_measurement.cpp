#include "hpl/rates/rate_measurement.h"

#include <iostream>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "hpl/base/error/error.h"
#include "hpl/base/file/atomic_file.h"
#include "hpl/base/file/standard_output.h"
#include "hpl/base/text/quantity.h"
#include "hpl/job/live/progress.h"
#include "hpl/job/ranks/agreement.h"
#include "hpl/machine/host/versions.h"
#include "measure_rates.h"

namespace hpl {

Rates measure_rates_of(const JobContext& job, const GridShape& grid, RankOrder order) {
  const Machine& machine = job.machine;
  RunSpec spec;
  spec.grid_rows = grid.rows;
  spec.grid_columns = grid.columns;
  const MixedWishes& mixed = job.options.wishes.mixed;
  if (mixed.wanted) spec = make_mixed(std::move(spec), mixed_spec(mixed, machine.kind()));
  const RunSettings settings = decide(spec, machine.facts(), job.options.wishes);
  // Rank 0 shows for all.
  StatusLine line(std::cerr,
                  job.world.rank() == 0 ? live_view(job.options.outputs.progress) : LiveView());
  // All sizes of a probe together.
  constexpr double kLongestProbe = 120;
  return measure_rates(job.world, {.device = machine.device(),
                                   .host = machine.host(),
                                   .mixed = spec.mixed,
                                   .grid = grid,
                                   .rank_order = order,
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
  GridShape grid = choose_grid(job.world.size(), job.machine.kind());
  if (!plan.dat.grid_rows.empty())
    grid = {plan.dat.grid_rows.front(), plan.dat.grid_columns.front()};
  if (grid.rows * grid.columns != job.world.size())
    throw ConfigError(
        "xhpl rates measures all {} ranks, and the grid {} x {} has {}; give -P and -Q",
        job.world.size(), grid.rows, grid.columns, grid.rows * grid.columns);
  std::optional<AtomicFile> file;
  on_rank_0(job.world, [&] {  // before anything is measured
    file.emplace(*job.options.rates.output, "the rates");
  });
  Rates rates = measure_rates_of(job, grid, plan.dat.rank_order);
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
