#include "hpl/lu/pipeline/factorization.h"

namespace hpl {

const char* to_string(PipelineKind kind) {
  return kind == PipelineKind::Fine ? "fine" : "coarse";
}

void factorize(PipelineKind kind, Stages& stages, JobControl& control) {
  if (kind == PipelineKind::Fine)
    run_threaded(stages.schedule(), stages, control);
  else
    run_serial(stages.schedule(), stages, control);
}

}  // namespace hpl
