#include "hpl/app/preflight_check.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <optional>
#include <ostream>

#include <fmt/format.h>

#include "hpl/app/on_rank_0.h"
#include "hpl/app/watchdog.h"
#include "hpl/base/error.h"
#include "hpl/check/preflight.h"
#include "hpl/host/versions.h"
#include "hpl/mpi/failure.h"
#include "hpl/report/atomic_file.h"
#include "hpl/report/check_json.h"
#include "hpl/report/check_text.h"
#include "hpl/report/report_stream.h"

namespace hpl {

CheckReport check_machine(CheckForm form, const mpi::Communicator& world, const Machine& machine,
                          const Options& options, const PlannedRuns& runs) {
  GridShape grid = choose_grid(world.size(), machine.kind());
  if (!runs.dat.grid_rows.empty())
    grid = {runs.dat.grid_rows.front(), runs.dat.grid_columns.front()};
  std::int64_t needed = 0;
  for (std::size_t i = 0; i < runs.plan.size(); ++i)
    needed = std::max(needed, bytes_per_rank(runs.plan[i], runs.settings[i].stages));

  // A probe by itself takes up to six seconds.
  constexpr double kLongestProbe = 10;
  const double limit = options.watchdog_seconds > 0 ? options.watchdog_seconds + kLongestProbe : 0;
  JobControl control;
  std::atomic<const char*> probe{"the beginning"};
  const Watchdog watchdog(control, std::chrono::duration<double>(limit), [&](const std::string&) {
    fmt::print(stderr,
               "xhpl: rank {} on {}: the pre-flight check of {} did not "
               "end in {:g} s\n",
               world.rank(), mpi::host_name(), probe.load(), limit);
    mpi::abort_job(ExitCode::Broken);
  });
  return run_preflight(world, {.form = form,
                               .tolerance = options.check_tolerance / 100,
                               .device = machine.device(),
                               .host = machine.host(),
                               .thread_level = machine.thread_level(),
                               .cores = machine.core_share(),
                               .bound = options.bind && !machine.oversubscribed(),
                               .grid = grid,
                               .rank_order = runs.dat.rank_order,
                               .needed_bytes = needed,
                               .on_probe = [&](const char* name) {
                                 probe = name;
                                 control.beat();
                               }});
}

ExitCode run_check(const mpi::Communicator& world, const Machine& machine, const Options& options,
                   const PlannedRuns& runs) {
  std::optional<ReportStream> out;
  std::optional<AtomicFile> json;
  on_rank_0(world, [&] {  // before anything is measured
    out.emplace(options.output_file ? 8 : 6, options.output_file.value_or("").string());
    if (options.json_file) json.emplace(*options.json_file, "the JSON report");
    return 0;
  });
  const CheckReport found = check_machine(CheckForm::Full, world, machine, options, runs);
  ExitCode code = ExitCode::Passed;
  if (world.rank() == 0) {
    if (!is_sound(found)) code = ExitCode::Failed;
    for (const std::string& remark : machine.remarks())  // on the launch: cores left idle, say
      out->stream() << "remark: " << remark << "\n";
    out->stream() << check_text(found) << std::flush;
    if (!out->stream()) throw RunError("the report of the check could not be written to its end");
    if (json) json->write(check_json({"xhpl", program_version()}, found, code));
  }
  return world.broadcast_value(code, 0);
}

}  // namespace hpl
