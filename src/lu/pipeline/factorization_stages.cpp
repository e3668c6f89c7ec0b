#include "hpl/lu/pipeline/factorization_stages.h"

namespace hpl {

FactorizationStages::FactorizationStages(const FactorizationContext& context,
                                         const LocalShape& shape, const StageStreams& streams,
                                         Schedule schedule, bool cores_idle)
    : context_(context),
      shape_(shape),
      streams_(streams),
      schedule_(std::move(schedule)),
      cores_idle_(cores_idle),
      message_wait_(context_.message_wait()) {}

std::int64_t FactorizationStages::steps() const {
  return steps_to_make(shape_, context_.settings.schedule);
}

void FactorizationStages::factorize_all() {
  switch (context_.pipeline) {
    case PipelineKind::Fine:
      return run_threaded(schedule_, *this, context_.control);
    case PipelineKind::Coarse:
      return run_enqueuing(schedule_, *this, context_.control);
    case PipelineKind::Serial:
      return run_serial(schedule_, *this, context_.control);
  }
}

bool FactorizationStages::factorized() const {
  return steps() == step_count(shape_) && !zero_pivot_column_;
}

/// Short panels take a few milliseconds, and what follows them is a chain of tasks of different
/// workers. The host's cores are left alone where they have work.
std::chrono::nanoseconds FactorizationStages::patience() const {
  if (!cores_idle_ || !message_wait_.spins()) return {};
  return std::chrono::milliseconds(5);
}

void FactorizationStages::finish(const Task& task) const {
  context_.control.beat();
  if (!context_.on_step) return;
  const StepGeometry g = geometry(task);
  context_.on_step(
      {.step = g.step, .columns_done = g.first + g.width, .seconds = context_.recorder.now()});
}

void FactorizationStages::synchronize() const {
  for (int number = 0; number < kWorkerCount; ++number) {
    const auto worker = static_cast<Worker>(number);
    if (worker == Worker::Host) continue;  // its tasks end in their thread
    if (!schedule_.has_work(worker)) continue;
    try {
      streams_.of(worker).synchronize();
    } catch (...) {  // the failure has been reported where it arose
    }
  }
}

}  // namespace hpl
