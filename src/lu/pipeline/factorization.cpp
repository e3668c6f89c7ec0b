#include "hpl/lu/pipeline/factorization.h"

namespace hpl {

int host_ahead(PipelineKind kind) {
  return kind == PipelineKind::Serial ? 0 : 1;
}

void run_schedule(PipelineKind kind, const Schedule& schedule, TaskRunner& runner,
                  JobControl& control) {
  switch (kind) {
    case PipelineKind::Fine:
      return run_threaded(schedule, runner, control);
    case PipelineKind::Coarse:
      return run_enqueuing(schedule, runner, control);
    case PipelineKind::Serial:
      return run_serial(schedule, runner, control);
  }
}

void factorize(PipelineKind kind, Stages& stages, JobControl& control) {
  run_schedule(kind, stages.schedule(), stages, control);
}

}  // namespace hpl
