#pragma once

#include "hpl/plan/job_plan.h"
#include "hpl/run/report/next_steps.h"

namespace hpl {

/// Facts about a job for next_steps(), on rank 0. `attainable_gflops`: of its largest run; 0:
/// unknown.
NextFacts next_facts(const JobContext& job, const JobPlan& plan, double attainable_gflops);

}  // namespace hpl
