#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "hpl/fleet/judge/fleet_json.h"
#include "hpl/page/run_file.h"
#include "hpl/run/report/json_report.h"
#include "unit/fleet/sample_fleet.h"
#include "unit/report/fixed_results.h"

namespace hpl::test {

/// A job as the program itself writes it: what the page reads is what the reports hold.
inline JobReport sample_job() {
  return {.header = fixed_header(),
          .plan = {fixed_spec()},
          .runs = {passing_run()},
          .tally = {.passed = 1},
          .exit_code = ExitCode::Passed};
}

inline page::RunFile sample_file(const JobReport& job, const std::string& name = "run.json") {
  return page::parse_run_file(name, to_json(job));
}
inline page::RunFile sample_file(const FleetReport& fleet, const std::string& name = "fleet.json") {
  return page::parse_run_file(name, fleet_json(fleet));
}

/// Four hosts with two devices each, the second device of node03 at 70 % of its peers.
inline FleetReport fleet_with_a_slow_device() {
  FleetReport fleet = judged_fleet(4, 2, {{5, {70, 70.5, 70.2}}});
  return fleet;
}

/// A run of `ranks` ranks on as many devices, all alike but for the last, which is slower and
/// hotter.
inline RunResult cluster_run(int ranks) {
  RunResult run = passing_run();
  run.spec.grid_rows = 1;
  run.spec.grid_columns = ranks;
  for (int rank = 0; rank < ranks; ++rank) {
    const bool last = rank == ranks - 1;
    PhaseTimes times;
    times[Phase::Multiply] = last ? 2.4 : 2.0;
    times[Phase::PanelFactorization] = 0.25;
    run.rank_phases.push_back(times);
    run.devices.push_back(
        {.rank = rank,
         .host = "node" + std::to_string(rank / 4),
         .backend = "cuda",
         .device_index = rank % 4,
         .device = "Test GPU",
         .sensors = {.samples = 10,
                     .clock_mhz = SensorRange{1500, last ? 1600.0 : 1800.0, 1900},
                     .power_watts = SensorRange{300, 650, 700},
                     .temperature_celsius = SensorRange{40, 60, last ? 91.0 : 70.0},
                     .energy_joules = 1000}});
  }
  return run;
}

}  // namespace hpl::test
