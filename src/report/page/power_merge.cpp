#include "power_merge.h"

#include <fmt/format.h>

#include "format.h"
#include "hpl/base/error/error.h"
#include "hpl/base/text/text_value.h"
#include "hpl/base/text/zoned_time.h"

namespace hpl::page {

void add_power_log(std::span<RunFile> files, const std::string& name, const PowerLog& log,
                   const PowerScope& scope) {
  bool any = false;
  const RunPower* nearest = nullptr;
  for (RunFile& file : files)
    for (Run& run : file.runs) {
      if (!run.power) continue;
      nearest = &*run.power;
      MeterPower meter = meter_power(*run.power, mended_utf8(name), log.samples, scope);
      if (!meter.averages) continue;
      any = true;
      meter.complaints = meter_remarks(meter, run.power->seconds(), 0);
      for (const std::string& complaint : log.complaints)
        meter.complaints.push_back(mended_utf8(complaint));
      run.power->meter = std::move(meter);
    }
  if (any) return;
  const std::string shown = shown_text(name);
  if (nearest == nullptr)
    throw ConfigError(fmt::format("{}: no run of the reports says when it was made", shown));
  throw ConfigError(fmt::format(
      "{}: must hold readings of a run's core phase, such as {} to {}, found {} to {}; shift its "
      "clock with --power-offset SECONDS",
      shown, iso_time({nearest->begin, 0}), iso_time({nearest->end, 0}),
      iso_time({log.samples.front().seconds, 0}), iso_time({log.samples.back().seconds, 0})));
}

void set_power_scope(std::span<RunFile> files, const PowerScope& scope) {
  for (RunFile& file : files)
    for (Run& run : file.runs)
      if (run.power && run.power->meter) run.power->meter->scope = scope;
}

}  // namespace hpl::page
