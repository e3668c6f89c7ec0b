#pragma once

#include "hpl/base/choice/choices.h"
#include "hpl/lu/pipeline/stages.h"

namespace hpl {

/// Steps whose work the host may enqueue before the device has finished the step before them.
int host_ahead(PipelineKind kind);

/// Carries out a schedule by that pipeline. Collective over the grid whose tasks they are. Throws
/// the first failure of any worker of this rank.
void run_schedule(PipelineKind kind, const Schedule& schedule, TaskRunner& runner,
                  JobControl& control);

/// LU factorization of [A|b] by the schedule of `stages`. Collective over the grid. Throws the
/// first failure of any worker of this rank.
void factorize(PipelineKind kind, Stages& stages, JobControl& control);

}  // namespace hpl
