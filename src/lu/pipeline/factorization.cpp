#include "hpl/lu/pipeline/factorization.h"

#include "hpl/base/error/error.h"

namespace hpl {

const char* to_string(PipelineKind kind) {
  switch (kind) {
    case PipelineKind::Fine:
      return "fine";
    case PipelineKind::Coarse:
      return "coarse";
    case PipelineKind::Serial:
      return "serial";
  }
  HPL_ASSERT(!"a pipeline");
  return "";
}

int host_ahead(PipelineKind kind) {
  return kind == PipelineKind::Serial ? 0 : 1;
}

void factorize(PipelineKind kind, Stages& stages, JobControl& control) {
  switch (kind) {
    case PipelineKind::Fine:
      return run_threaded(stages.schedule(), stages, control);
    case PipelineKind::Coarse:
      return run_enqueuing(stages.schedule(), stages, control);
    case PipelineKind::Serial:
      return run_serial(stages.schedule(), stages, control);
  }
}

}  // namespace hpl
