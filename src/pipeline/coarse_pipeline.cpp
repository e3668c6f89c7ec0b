#include "hpl/pipeline/factorization.h"

namespace hpl {

using hpcx::Event;

const char* to_string(PipelineKind kind) {
  return kind == PipelineKind::Fine ? "fine" : "coarse";
}

namespace {

/// The stages in the order of their dependencies, each finished before the next begins.
class CoarsePipeline {
 public:
  CoarsePipeline(Stages& stages, JobControl& control, Recorder& recorder)
      : stages_(stages), control_(control), recorder_(recorder) {}

  void run(const StepCallback& on_step) {
    for (std::int64_t k = 0; k < stages_.steps(); ++k) {
      if (k == 0 || !stages_.look_ahead()) prepare(k);
      finish_broadcast(k);
      control_.set_status(Worker::Transfer, "places the panel", k);
      stages_.place(k).synchronize();
      update_tail(k);
      control_.beat();
      const StepGeometry g = stages_.geometry(k);
      on_step({.step = k, .columns_done = g.first + g.width, .seconds = recorder_.now()});
    }
  }

 private:
  /// Panel k from the matrix to the other processes, as far as that goes without waiting.
  void prepare(std::int64_t k) {
    if (stages_.geometry(k).on_owner_column) {
      control_.set_status(Worker::Panel, "factorizes the panel", k, Peers::Column);
      stages_.factorize(k, stages_.fetch(k, {}));
    }
    stages_.start_broadcast(k);
  }

  void finish_broadcast(std::int64_t k) {
    control_.set_status(Worker::Panel, "broadcasts the panel", k, Peers::Row);
    const ScopedSpan span(recorder_, Track::PanelWorker, Phase::PanelBroadcast, k);
    stages_.finish_broadcast(k);
  }

  void update_tail(std::int64_t k) {
    const bool ahead = stages_.look_ahead() && k + 1 < stages_.steps();
    bool prepared = !ahead;
    std::int64_t number = 0;
    for (const Chunk& chunk : stages_.chunks(k)) {
      if (!prepared && !chunk.look_ahead) {
        prepare(k + 1);
        prepared = true;
      }
      control_.set_status(Worker::Swap, "exchanges rows", k, Peers::Column, number);
      const Event solved = stages_.swap_and_solve(k, number, chunk, 0, {});
      control_.set_status(Worker::Update, "updates the tail", k, Peers::None, number);
      stages_.update(k, number, chunk, 0, solved).synchronize();
      stages_.progress_broadcast();
      ++number;
    }
    if (!prepared) prepare(k + 1);
  }

  Stages& stages_;
  JobControl& control_;
  Recorder& recorder_;
};

}  // namespace

void factorize_coarse(Stages& stages, JobControl& control, Recorder& recorder,
                      const StepCallback& on_step) {
  mpi::prepare_waiting_thread();
  control.one_thread();
  CoarsePipeline(stages, control, recorder).run(on_step);
}

}  // namespace hpl
