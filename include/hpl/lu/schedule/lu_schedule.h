#pragma once

#include "hpl/input/run_spec/run_spec.h"
#include "hpl/lu/matrix/distributed_matrix.h"
#include "hpl/lu/schedule/schedule.h"
#include "hpl/lu/schedule/schedule_policy.h"

namespace hpl {

/// The LU factorization of [A|b] with partial pivoting, as the process with this part of the matrix
/// carries it out. Pure: all processes of a row or column get the same order of what they do
/// together.
Schedule lu_schedule(const RunSpec& spec, const LocalShape& shape, const SchedulePolicy& policy);

}  // namespace hpl
