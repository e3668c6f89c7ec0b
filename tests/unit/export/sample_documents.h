#pragma once

#include <utility>
#include <vector>

#include "hpl/export/suite.h"
#include "unit/page/sample_documents.h"
#include "unit/page/sample_job.h"

namespace hpl::test {

/// Two devices of node01: a run of three repetitions, of which one failed, and one that passed;
/// a gate that was missed.
inline JobReport job_of_repetitions() {
  JobReport job = sample_job();
  job.exit_code = ExitCode::Failed;
  for (int index = 0; index < 2; ++index)
    job.devices.push_back({.rank = index,
                           .host = "node01",
                           .backend = "cuda",
                           .index = index,
                           .model = "NVIDIA H100"});
  job.hosts = {{.name = "node01", .ranks = 2, .devices = 2}};
  job.runs.clear();
  for (int repetition = 0; repetition < 3; ++repetition) {
    RunResult run = repetition == 1 ? failing_run() : passing_run();
    run.repeat_index = repetition;
    run.gflops = 100 + repetition;
    job.runs.push_back(std::move(run));
  }
  RunResult other = passing_run();
  other.run_index = 1;
  other.spec.order = 2000;
  other.gflops = 120;
  job.runs.push_back(other);
  job.gates = {{.gate = "--min-gflops",
                .limit = 110,
                .worst = 100,
                .held = false,
                .reason = "run 1 reached 100 GFLOP/s"}};
  job.tally = {.passed = 3, .failed = 1};
  return job;
}

/// Four hosts of two devices: a slow device of node03, and node09, which did not report.
inline FleetReport fleet_with_faults() {
  FleetReport fleet = sample_fleet(4, 2);
  set_rates(fleet.members[5], fleet.spec, {70, 70.5, 70.2});
  fleet.hosts.push_back({{.name = "node09"}});
  judge_fleet(fleet);
  fleet.exit_code = exit_code_of(fleet);
  return fleet;
}

inline const page::Case& case_named(const page::Suite& suite, const std::string& name) {
  for (const page::Case& one : suite.cases)
    if (one.name == name) return one;
  ADD_FAILURE() << "no case " << name;
  static const page::Case none{};
  return none;
}

}  // namespace hpl::test
