#pragma once

#include "hpl/base/choice/choices.h"
#include "hpl/lu/pipeline/stages.h"

namespace hpl {

/// Steps whose work the host may enqueue before the device has finished the step before them.
constexpr int host_ahead(PipelineKind kind) {
  return kind == PipelineKind::Serial ? 0 : 1;
}

}  // namespace hpl
