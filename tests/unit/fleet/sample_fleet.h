#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "hpl/base/number/benchmark_formulas.h"
#include "hpl/fleet/judge/fleet_verdict.h"

namespace hpl::test {

inline RunSpec fleet_spec() {
  RunSpec spec;
  spec.order = 20'000;
  spec.block_size = 256;
  return spec;
}

inline RunResult fleet_run(const RunSpec& spec, int number, double gflops) {
  RunResult run{.spec = spec};
  run.repeat_index = number;
  run.gflops = gflops;
  run.seconds = benchmark_flops(spec.order) / (gflops * 1e9);
  run.started = 1'700'000'000 + 60 * number;
  run.ended = run.started + 1 + static_cast<std::time_t>(run.seconds);
  run.residual = Residual{.scaled = 2.5e-3, .passed = true};
  run.attainable_gflops = 125;
  const auto phase = [&](Phase which) -> PhaseRange& {
    return run.phases[static_cast<std::size_t>(which)];
  };
  phase(Phase::Multiply).maximum = 0.8 * run.seconds;
  phase(Phase::PanelFactorization).maximum = 0.1 * run.seconds;
  return run;
}

inline void set_rates(FleetMember& member, const RunSpec& spec, const std::vector<double>& rates) {
  const std::vector<RunResult> before = std::move(member.runs);
  member.runs.clear();
  for (const double rate : rates)
    member.runs.push_back(fleet_run(spec, static_cast<int>(member.runs.size()), rate));
  if (!before.empty())
    for (RunResult& run : member.runs)
      run.devices = before.front().devices;
}

/// Other processes take a share of the cores beside the first so many runs of a member.
inline void disturb(FleetMember& member, double share, std::size_t runs) {
  for (std::size_t i = 0; i < runs; ++i)
    member.runs.at(i).others = OtherProcesses{member.hosts.front(), share};
}

/// Changes the run that all members have made.
inline void change_spec(FleetReport& report, const std::function<void(RunSpec&)>& change) {
  change(report.spec);
  for (FleetMember& member : report.members)
    for (RunResult& run : member.runs)
      run.spec = report.spec;
}

/// Hosts node01, node02, ... with so many devices each, one member a device, three runs at about
/// 100 GFLOP/s. Not judged yet.
inline FleetReport sample_fleet(int hosts, int devices) {
  FleetReport report;
  report.header.program = {"xhpl", "1.2.3"};
  report.each = FleetMemberKind::Device;
  report.spec = fleet_spec();
  report.started = {1'700'000'000.0, 3600};
  int rank = 0;
  for (int h = 1; h <= hosts; ++h) {
    const std::string host = fmt::format("node{:02}", h);
    report.hosts.push_back(
        {{.name = host,
          .ranks = devices,
          .devices = devices,
          .facts = {{"processor", "EPYC"}, {"kernel", "6.1.0"}, {"serial", host}}}});
    for (int d = 0; d < devices; ++d, ++rank) {
      FleetMember member{.name = fmt::format("{} cuda {}", host, d),
                         .kind = "NVIDIA H100",
                         .hosts = {host},
                         .ranks = {rank}};
      member.devices.push_back(
          {.rank = rank,
           .host = host,
           .backend = "cuda",
           .index = d,
           .model = "NVIDIA H100",
           .identity = {
               .serial = fmt::format("S{}", rank), .firmware = "96.00", .driver = "550.1"}});
      for (int number = 0; number < 3; ++number) {
        member.runs.push_back(
            fleet_run(report.spec, number, 100 + 0.1 * ((7 * rank + 3 * number) % 11)));
        member.runs.back().devices = {{.rank = 0,
                                       .host = host,
                                       .backend = "cuda",
                                       .device_index = d,
                                       .device = "NVIDIA H100"}};
      }
      report.members.push_back(std::move(member));
    }
  }
  return report;
}

/// The same, judged, with other rates of some members.
inline FleetReport judged_fleet(int hosts, int devices,
                                const std::map<std::size_t, std::vector<double>>& rates = {}) {
  FleetReport report = sample_fleet(hosts, devices);
  for (const auto& [member, its_rates] : rates)
    set_rates(report.members[member], report.spec, its_rates);
  judge_fleet(report);
  report.exit_code = exit_code_of(report);
  return report;
}

}  // namespace hpl::test
