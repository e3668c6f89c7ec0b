#include "hpl/report/csv/run_table.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "hpl/base/text/zoned_time.h"
#include "hpl/report/result/device_telemetry.h"
#include "hpl/report/result/gates.h"

namespace hpl {
namespace {

/// Columns of the first tables. Later ones have more.
constexpr std::ptrdiff_t kFirstColumns = 26;

std::optional<double> hottest(const RunResult& run) {
  std::optional<double> most;
  for (const DeviceTelemetry& device : run.devices)
    if (const auto& celsius = device.sensors.temperature_celsius)
      most = most ? std::max(*most, celsius->maximum) : celsius->maximum;
  return most;
}

/// The one list of columns: header and rows are made of it.
CsvRow columns(const RunResult& run, const ProgramInfo& program) {
  const RunSpec& spec = run.spec;
  const auto ranks = rank_extremes(run);
  const bool has_attainable = run.attainable_gflops && *run.attainable_gflops > 0;
  const bool complete = !run.stopped;
  const DeviceTelemetry first = run.devices.empty() ? DeviceTelemetry{} : run.devices.front();
  const bool metered = run.power && run.power->meter && run.power->meter->averages;
  const PowerAverages* const averages = run.power ? best_averages(*run.power) : nullptr;
  const std::string energy = averages == nullptr ? "" : csv_number(averages->joules);
  CsvRow row{
      {"started", utc_time(run.started)},
      {"version", csv_text(program.version)},
      {"host", csv_text(first.host)},
      {"device", csv_text(first.device)},
      {"variant", variant_code(spec)},
      {"n", std::to_string(spec.order)},
      {"nb", std::to_string(spec.block_size)},
      {"p", std::to_string(spec.grid_rows)},
      {"q", std::to_string(spec.grid_columns)},
      {"run", std::to_string(run.run_index + 1)},
      {"repetition", std::to_string(run.repeat_index + 1)},
      {"status", std::string(name_of(kRunVerdicts, run_verdict(run)))},
      {"seconds", complete ? csv_number(run.seconds) : ""},
      {"gflops", complete ? csv_number(run.gflops) : ""},
      {"ceiling_gflops", has_attainable ? csv_number(run.attainable_gflops) : ""},
      {"efficiency_percent",
       has_attainable && complete ? csv_number(100 * run.gflops / *run.attainable_gflops) : ""},
      {"residual", run.residual ? csv_number(run.residual->scaled) : ""},
      {"zero_pivot_column", run.zero_pivot_column ? std::to_string(*run.zero_pivot_column) : ""},
      {"rank_spread_percent", ranks ? csv_number(ranks->spread) : ""},
      {"slowest_rank", ranks ? csv_text(rank_name(run, ranks->slowest)) : ""},
      {"power_watts", csv_number(total_power(distinct_devices(run.devices)))},
      {"gflops_per_watt", csv_number(gflops_per_watt(run))},
      {"hottest_celsius", csv_number(hottest(run))},
      {"checksum_faults", run.checksums ? std::to_string(run.checksums->faults.size()) : ""},
      {"stopped_percent", run.stopped ? csv_number(100 * run.stopped->fraction) : ""},
      {"projected_gflops", run.stopped ? csv_number(run.stopped->projected_gflops) : ""},
      // Later columns hold no comma, so that a row of an earlier table is cut at one.
      {"energy_joules", energy},
      {"meter_watts", metered ? csv_number(run.power->meter->averages->watts) : ""},
      {"expected_seconds", run.expected ? csv_number(run.expected->seconds) : ""},
      {"rpeak_gflops", run.peak ? csv_number(run.peak->gflops) : ""},
      {"peak_efficiency_percent",
       efficiency_of_peak(run) ? csv_number(100 * *efficiency_of_peak(run)) : ""},
      {"checksum_comparisons", run.checksums ? std::to_string(run.checksums->comparisons) : ""},
      {"lu_gflops", run.refinement ? csv_number(run.refinement->factorization_gflops) : ""},
      {"refinement_seconds", run.refinement ? csv_number(run.refinement->refinement_seconds) : ""},
      {"refinement_iterations", run.refinement ? std::to_string(run.refinement->iterations) : ""},
  };
  row.emplace_back("others_percent",
                   csv_number(run.others ? std::optional(100 * run.others->share) : std::nullopt));
  std::ranges::move(start_columns(program), std::back_inserter(row));
  return row;
}

}  // namespace

CsvTable run_table() {
  return {csv_names(columns({}, {})), kFirstColumns};
}

std::string run_row(const RunResult& run, const ProgramInfo& program) {
  return csv_line(columns(run, program));
}

}  // namespace hpl
