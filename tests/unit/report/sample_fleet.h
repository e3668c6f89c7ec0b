#pragma once

#include <string>
#include <vector>

#include <fmt/format.h>

#include "hpl/base/number/benchmark_formulas.h"
#include "hpl/report/result/fleet_verdict.h"

namespace hpl::test {

inline FleetRound fleet_round(int round, std::int64_t order, double gflops) {
  FleetRound result{.round = round};
  result.started = {1'700'000'000.0 + 60 * round, 3600};
  result.gflops = gflops;
  result.seconds = benchmark_flops(order) / (gflops * 1e9);
  result.ended = {result.started.seconds + result.seconds, 3600};
  result.status = RunStatus::Passed;
  result.scaled_residual = 2.5e-3;
  result.attainable_gflops = 125;
  result.phases[Phase::Multiply] = 0.8 * result.seconds;
  result.phases[Phase::PanelFactorization] = 0.1 * result.seconds;
  return result;
}

/// Hosts node01, node02, ... with so many devices each, one unit a device, three rounds at about
/// 100 GFLOP/s. Not judged yet.
inline FleetReport sample_fleet(int hosts, int devices) {
  FleetReport report;
  report.header.program = {"xhpl", "1.2.3"};
  report.each = FleetUnitKind::Device;
  report.spec.order = 20'000;
  report.spec.block_size = 256;
  report.started = {1'700'000'000.0, 3600};
  int rank = 0;
  for (int h = 1; h <= hosts; ++h) {
    const std::string host = fmt::format("node{:02}", h);
    report.hosts.push_back({.name = host, .ranks = devices, .devices = devices});
    report.hosts.back().facts = {{"processor", "EPYC"}, {"kernel", "6.1.0"}, {"serial", host}};
    for (int d = 0; d < devices; ++d, ++rank) {
      FleetUnit unit{.name = fmt::format("{} cuda {}", host, d),
                     .kind = "NVIDIA H100",
                     .hosts = {host},
                     .ranks = {rank},
                     .devices = {},
                     .rounds = {}};
      unit.devices.push_back(
          {.rank = rank,
           .host = host,
           .backend = "cuda",
           .index = d,
           .model = "NVIDIA H100",
           .identity = {.serial = fmt::format("S{}", rank), .firmware = "96.00", .driver = "550.1"},
           .health = {}});
      for (int round = 0; round < 3; ++round)
        unit.rounds.push_back(
            fleet_round(round, report.spec.order, 100 + 0.1 * ((7 * rank + 3 * round) % 11)));
      report.units.push_back(std::move(unit));
    }
  }
  return report;
}

inline void set_rates(FleetUnit& unit, std::int64_t order, const std::vector<double>& rates) {
  unit.rounds.clear();
  for (const double rate : rates)
    unit.rounds.push_back(fleet_round(static_cast<int>(unit.rounds.size()), order, rate));
}

}  // namespace hpl::test
