#pragma once

#include "hpl/base/number/benchmark_formulas.h"
#include "hpl/run/report/job_report.h"

namespace hpl::test {

/// A report without the folds of its long lines.
inline std::string unfolded(std::string text) {
  const std::string fold = "\n#   ";
  for (auto at = text.find(fold); at != text.npos; at = text.find(fold, at))
    text.replace(at, fold.size(), " ");
  return text;
}

/// WR11C2R4, N = 1000 on 2 x 3.
inline RunSpec fixed_spec() {
  return {.order = 1000,
          .block_size = 128,
          .grid_rows = 2,
          .grid_columns = 3,
          .recursive_variant = PanelVariant::Crout};
}

inline Residual passing_residual() {
  return {.scaled = 3.21e-3,
          .residual_infinity = 1.25e-12,
          .matrix_infinity = 263.865,
          .matrix_one = 264.5,
          .solution_infinity = 6.5,
          .solution_one = 1234.75,
          .right_side_infinity = 0.499,
          .passed = true};
}

inline RunResult passing_run() {
  RunResult run;
  run.spec = fixed_spec();
  run.started = 1767412800;  // Sat Jan  3 04:00:00 2026 UTC
  run.ended = 1767412803;
  run.seconds = 2.5;
  run.gflops = benchmark_gflops(run.spec.order, run.seconds);
  run.residual = passing_residual();
  run.solution_hash = 0x1e3a94f2b7d56;
  run.phases[static_cast<std::size_t>(Phase::PanelFactorization)] = {
      .minimum = 0.25, .maximum = 0.5, .minimum_rank = 1, .maximum_rank = 5};
  run.phases[static_cast<std::size_t>(Phase::Multiply)] = {
      .minimum = 1.5, .maximum = 2.0, .minimum_rank = 0, .maximum_rank = 3};
  run.steps = {{.step = 0, .columns_done = 128, .seconds = 0.75},
               {.step = 1, .columns_done = 256, .seconds = 1.25}};
  run.attainable_gflops = 0.5;
  run.attainable_rates = {{{RateSource::Moment::After}, 0.5}, {{RateSource::Moment::Before}, 0.49}};
  run.remarks = {warning("DEPTH", "DEPTH 3 runs as 1")};
  return run;
}

/// 2.5 s at 500 W inside the devices, 600 W at the meter.
inline RunPower metered_power() {
  RunPower power{.begin = 1767412800,
                 .end = 1767412802.5,
                 .utc_offset = 3600,
                 .nodes = 1,
                 .components = ComponentPower{.sensors = "NVML of 2 devices",
                                              .averages = {.watts = 500,
                                                           .joules = 1250,
                                                           .covered = 1,
                                                           .samples = 26,
                                                           .longest_gap = 0.1},
                                              .trace = {500, std::nullopt, 499.96},
                                              .phase_joules = {{"matrix multiply", 1000}}}};
  power.components->averages.tenths.assign(kPowerAverages, 500);
  power.components->averages.tenths[3].reset();
  PowerSeries samples;
  for (int i = -1; i <= 4; ++i)
    samples.push_back({power.begin + i, 600});
  power.meter = meter_power(power, "pdu.sh", samples, {.fraction = 1.0});
  power.meter->complaints = {"3 lines were no number"};
  return power;
}

inline RunResult failing_run() {
  RunResult run = passing_run();
  run.residual->scaled = 123.5;
  run.residual->residual_infinity = 0.5;
  run.residual->passed = false;
  run.remarks.clear();
  run.attainable_gflops.reset();
  run.attainable_rates.clear();
  run.phases = {};
  return run;
}

inline RunResult singular_run() {
  RunResult run = failing_run();
  run.residual.reset();
  run.solution_hash.reset();
  run.zero_pivot_column = 17;
  return run;
}

/// MR11H16G, N = 1000 on 2 x 3.
inline RunResult mixed_run() {
  RunResult run = passing_run();
  run.spec = make_mixed(run.spec, MixedSpec());
  run.refinement = Refinement{.factorization_seconds = 2,
                              .refinement_seconds = 0.5,
                              .factorization_gflops = 1.0 / 3,
                              .iterations = 2,
                              .history = {1.5e5, 42.0, 3.21e-3},
                              .converged = true,
                              .scale_exponent = -3};
  run.attainable_gflops.reset();
  run.attainable_rates.clear();
  run.remarks.clear();
  return run;
}

/// Half of the columns, 7/8 of the operations, in 2.5 s.
inline RunResult stopped_run() {
  RunResult run = passing_run();
  run.residual.reset();
  run.solution_hash.reset();
  run.gflops = 0;
  run.stopped = EarlyStop{.columns_done = 500,
                          .fraction = 0.875,
                          .gflops = 0.25,
                          .projected_seconds = 2.9,
                          .projected_gflops = 0.2304};
  return run;
}

/// Expected to take 2 s; the exchange of rows on rank 3 took three times what its links allow.
inline RunResult slower_run() {
  RunResult run = passing_run();
  PhaseTimes phases;
  phases[Phase::Multiply] = 1.5;
  phases[Phase::RowSwap] = 0.25;
  run.expected = ExpectedRun{.model = "simulated",
                             .rates = "rates.json",
                             .seconds = 2,
                             .gflops = benchmark_gflops(run.spec.order, 2),
                             .error_seconds = 0.1,
                             .rank_phases = std::vector<PhaseTimes>(6, phases)};
  run.rank_working = run.expected->rank_phases;
  run.rank_working[3][Phase::RowSwap] = 0.75;
  return run;
}

inline JobHeader fixed_header() {
  const RunSpec spec = fixed_spec();
  return {
      .program = {.name = "xhpl", .version = "1.2.3"},
      .environment = {{"host", "node01"}, {"ranks", "6 (2 x 3)"}, {"BLAS", "OpenBLAS\nSkylakeX"}},
      .remarks = {warning("SWAP", "SWAP 2: one process row, no rows travel")},
      .parameters = parameter_block(std::span(&spec, 1))};
}

inline JobReport fixed_job() {
  return {.header = fixed_header(),
          .plan = {fixed_spec()},
          .runs = {passing_run(), failing_run(), singular_run()},
          .tally = {.passed = 1, .failed = 2},
          .exit_code = ExitCode::Failed};
}

}  // namespace hpl::test
