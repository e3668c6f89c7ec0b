#include "power_merge.h"

#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "hpl/base/error/error.h"
#include "hpl/base/power/power_log.h"
#include "hpl/base/text/text_value.h"
#include "hpl/base/text/zoned_time.h"
#include "hpl/report/page/format.h"

namespace hpl::page {

namespace {

/// When something that a log could show went on: for the message of one that does not.
struct Time {
  double begin = 0, end = 0;
};

/// True where the log reaches the run.
bool add_to_run(RunResult& run, const std::string& name, const PowerLog& log,
                const PowerScope& scope) {
  MeterPower meter = meter_power(*run.power, name, log.samples, scope);
  if (!meter.averages) return false;
  meter.complaints = meter_remarks(meter, run.power->seconds(), 0);
  for (const std::string& complaint : log.complaints)
    meter.complaints.push_back(mended_utf8(complaint));
  run.power->meter = std::move(meter);
  return true;
}

[[noreturn]] void refuse(const PowerLogFile& log, const std::optional<Time>& last) {
  if (!last) throw ConfigError("{}: no run of the reports says when it was made", log.name);
  const PowerSeries samples = parse_power_log(log.name, log.text, log.offset).samples;
  std::string found = "none in the first column";
  if (!samples.empty())
    found = fmt::format("{} to {}", iso_time({samples.front().seconds, 0}),
                        iso_time({samples.back().seconds, 0}));
  throw ConfigError(
      "{}: must hold readings of a run's core phase, such as {} to {}, found {}; shift its clock "
      "with --power-offset SECONDS",
      log.name, iso_time({last->begin, 0}), iso_time({last->end, 0}), found);
}

}  // namespace

void add_power_log(std::span<RunFile> files, const PowerLogFile& log) {
  bool any = false;
  std::optional<Time> last;
  std::optional<PowerLog> of_runs;
  for (RunFile& file : files) {
    for (RunResult& run : file.job.runs) {
      if (!run.power) continue;
      last = {run.power->begin, run.power->end};
      if (!of_runs) of_runs = parse_power_log(log.name, log.text, log.offset);
      any = add_to_run(run, log.name, *of_runs, log.scope) || any;
    }
    if (!file.fleet) continue;
    FleetReport& fleet = *file.fleet;
    for (const FleetMember& member : fleet.members)
      for (const RunResult& run : member.runs)
        last = {begin_of(run), begin_of(run) + run.seconds};
    if (!hpl::add_power_log(fleet, log)) continue;
    any = true;
    for (Remark& remark : fleet.power->remarks)
      remark.text = mended_utf8(remark.text);
  }
  if (!any) refuse(log, last);
}

void set_power_scope(std::span<RunFile> files, const PowerScope& scope) {
  for (RunFile& file : files) {
    if (file.fleet && file.fleet->power)
      throw ConfigError("{}: --power-scope of a fleet belongs to --power-log; give both",
                        shown_text(file.name));
    for (RunResult& run : file.job.runs)
      if (run.power && run.power->meter) run.power->meter->scope = scope;
  }
}

}  // namespace hpl::page
