#pragma once

#include <cstddef>
#include <string>

#include "benchmark_run.h"
#include "job_context.h"
#include "job_plan.h"

namespace hpl {

/// One run of a plan on the ranks of its grid. Borrows all that it is made of.
struct PlannedRun {
  const JobContext& job;
  const JobPlan& plan;
  std::size_t index;  ///< in the plan
  const mpi::Communicator& ranks;

  const RunSpec& spec() const { return plan.runs[index]; }
  const RunSettings& settings() const { return plan.settings[index]; }

  /// For messages: "run 2 of 3, repetition 1 (N = 20000, NB = 192, 2 x 2, fine pipeline)".
  std::string label(int repeat) const;
  /// Whether this rank's memory holds such a run.
  bool fits_in_memory(const RunSpec& wanted, const RunSettings& with) const;
  /// For run_benchmark() on the run's ranks. Borrows `with`.
  RunRequest request(const RunSettings& with, std::string name) const;
};

}  // namespace hpl
