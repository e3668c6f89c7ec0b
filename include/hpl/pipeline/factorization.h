#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "hpl/pipeline/stages.h"

namespace hpl {

enum class PipelineKind { Fine, Coarse };
const char* to_string(PipelineKind kind);

/// Called when the update of a step is done, from any thread, in the order of steps.
using StepCallback = std::function<void(const StepRecord&)>;

/// LU factorization of [A|b] by the four workers, joined by bounded queues: what can overlap does.
/// Collective over the grid. Throws the first failure of any worker of this rank.
void factorize_fine(Stages& stages, JobControl& control, Recorder& recorder,
                    const StepCallback& on_step);

/// The same stages one after another from the calling thread; with look-ahead the next panel is
/// factorized and sent before the rest of the tail is updated. Collective over the grid.
void factorize_coarse(Stages& stages, JobControl& control, Recorder& recorder,
                      const StepCallback& on_step);

}  // namespace hpl
