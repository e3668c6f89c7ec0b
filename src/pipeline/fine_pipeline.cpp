#include <algorithm>
#include <array>
#include <thread>
#include <utility>

#include "hpl/pipeline/bounded_queue.h"
#include "hpl/pipeline/factorization.h"

namespace hpl {

using hpcx::Event;

namespace {

// Messages between the workers. Events are points in a stream's order: what they stand for need
// not have happened yet.
struct TransferJob {
  enum class Kind { Fetch, Place } kind;
  std::int64_t step;
  Event after;  // Fetch: the panel's columns are up to date
};
struct PanelFetched {
  std::int64_t step;
  Event event;
};
struct PanelPlaced {
  std::int64_t step;
  Event event;
};
struct RowsSwapped {
  int space;
  Event event;
};
struct ChunkUpdated {
  std::int64_t step;
  Chunk chunk;
  Event event;
};
struct SpaceFreed {
  int space;
  Event after;
};
struct StepUpdated {
  Event event;
};

/// The workers and the queues between them:
///
///               PanelFetched                PanelPlaced              RowsSwapped
///     transfer ------------> panel   transfer ---------> swap worker ----------> update worker
///        ^  ^---------------'  ^                           ^  ^ SpaceFreed          |  |  |
///        |   TransferJob       | StepUpdated               |  '---------------------'  |  |
///        |   (Place)           '---------------------------|---------------------------'  |
///        |                                                 '------------------------------|
///        |   TransferJob (Fetch)                                  ChunkUpdated            |
///        '--------------------------------------------------------------------------------'
class FinePipeline {
 public:
  FinePipeline(Stages& stages, JobControl& control, Recorder& recorder)
      : stages_(stages),
        control_(control),
        recorder_(recorder),
        // The swap worker takes in the news of a step only while it works on the next one.
        chunk_updated_(2 * most_chunks(stages) + 2) {}

  void run(const StepCallback& on_step) {
    on_step_ = on_step;
    control_.on_stop([this] { close(); });
    for (int space = 0; space < Stages::kSpaces; ++space)
      space_freed_.push({space, {}});
    if (stages_.geometry(0).on_owner_column) transfer_jobs_.push({TransferJob::Kind::Fetch, 0, {}});
    {
      std::array<std::jthread, kWorkerCount> workers{
          start(Worker::Panel, &FinePipeline::panel_worker),
          start(Worker::Transfer, &FinePipeline::transfer_worker),
          start(Worker::Swap, &FinePipeline::swap_worker),
          start(Worker::Update, &FinePipeline::update_worker)};
    }
    control_.on_stop(nullptr);
    control_.rethrow_failure();
  }

 private:
  static std::int64_t most_chunks(const Stages& stages) {
    std::size_t most = 0;
    for (std::int64_t k = 0; k < stages.steps(); ++k)
      most = std::max(most, stages.chunks(k).size());
    return static_cast<std::int64_t>(most);
  }

  std::jthread start(Worker worker, void (FinePipeline::*body)()) {
    return std::jthread([this, worker, body] {
      mpi::prepare_waiting_thread();
      try {
        (this->*body)();
        control_.set_status(worker, "is done", stages_.steps());
      } catch (...) {
        control_.fail(std::current_exception());
      }
    });
  }

  void close() {
    transfer_jobs_.close();
    panel_fetched_.close();
    panel_placed_.close();
    rows_swapped_.close();
    chunk_updated_.close();
    space_freed_.close();
    step_updated_.close();
  }

  void panel_worker() {
    for (std::int64_t k = 0; k < stages_.steps(); ++k) {
      control_.set_status(Worker::Panel, "waits for a free panel workspace", k);
      if (k >= Stages::kSlots) {  // the slot's last panel is still in use until then
        const auto updated = step_updated_.pop();
        if (!updated) return;
        updated->event.synchronize();
      }
      if (stages_.geometry(k).on_owner_column) {
        control_.set_status(Worker::Panel, "waits for the panel's columns", k);
        const auto fetched = panel_fetched_.pop();
        if (!fetched) return;
        control_.set_status(Worker::Panel, "factorizes the panel", k, Peers::Column);
        stages_.factorize(k, fetched->event);
      }
      control_.set_status(Worker::Panel, "broadcasts the panel", k, Peers::Row);
      {
        const ScopedSpan span(recorder_, Track::PanelWorker, Phase::PanelBroadcast, k);
        stages_.start_broadcast(k);
        stages_.finish_broadcast(k);
      }
      if (!transfer_jobs_.push({TransferJob::Kind::Place, k, {}})) return;
    }
  }

  void transfer_worker() {
    for (std::int64_t placed = 0; placed < stages_.steps();) {
      control_.set_status(Worker::Transfer, "waits for a panel to move", placed);
      const auto job = transfer_jobs_.pop();
      if (!job) return;
      if (job->kind == TransferJob::Kind::Fetch) {
        control_.set_status(Worker::Transfer, "fetches the panel", job->step);
        if (!panel_fetched_.push({job->step, stages_.fetch(job->step, job->after)})) return;
      } else {
        control_.set_status(Worker::Transfer, "places the panel", job->step);
        if (!panel_placed_.push({job->step, stages_.place(job->step)})) return;
        ++placed;
      }
    }
  }

  /// First and one past the last block of local columns that a chunk touches.
  static std::pair<std::int64_t, std::int64_t> blocks_of(const Chunk& chunk, std::int64_t block) {
    return {chunk.begin.value / block, (chunk.begin.value + chunk.columns + block - 1) / block};
  }

  void swap_worker() {
    const std::int64_t block = stages_.context().spec.block_size;
    const LocalShape& shape = stages_.context().matrix.shape();
    // By block of local columns: the step that updated it last, and when.
    std::vector<ChunkUpdated> last(static_cast<std::size_t>(shape.stored_columns / block + 1),
                                   ChunkUpdated{-1, {}, {}});
    for (std::int64_t k = 0; k < stages_.steps(); ++k) {
      control_.set_status(Worker::Swap, "waits for the panel", k);
      const auto placed = panel_placed_.pop();
      if (!placed) return;
      std::int64_t number = 0;
      for (const Chunk& chunk : stages_.chunks(k)) {
        std::vector<Event> after{placed->event};
        for (auto [b, end] = blocks_of(chunk, block); b < end; ++b) {
          control_.set_status(Worker::Swap, "waits for the last update of its columns", k,
                              Peers::None, number);
          while (last[b].step < k - 1) {
            const auto updated = chunk_updated_.pop();
            if (!updated) return;
            for (auto [c, c_end] = blocks_of(updated->chunk, block); c < c_end; ++c)
              last[c] = *updated;
          }
          if (last[b].event.state() != after.back().state()) after.push_back(last[b].event);
        }
        control_.set_status(Worker::Swap, "waits for space", k, Peers::None, number);
        const auto freed = space_freed_.pop();
        if (!freed) return;
        after.push_back(freed->after);
        control_.set_status(Worker::Swap, "exchanges rows", k, Peers::Column, number);
        if (!rows_swapped_.push(
                {freed->space, stages_.swap_and_solve(k, number++, chunk, freed->space, after)}))
          return;
      }
      // A process without columns in the tail still must not call the step done before its panel
      // has been placed: the slot would be filled again under it.
      if (number == 0 && !rows_swapped_.push({0, placed->event})) return;
    }
  }

  void update_worker() {
    Event last_step;
    for (std::int64_t k = 0; k < stages_.steps(); ++k) {
      const bool next_is_mine = k + 1 < stages_.steps() && stages_.geometry(k + 1).on_owner_column;
      Event last;
      std::int64_t number = 0;
      for (const Chunk& chunk : stages_.chunks(k)) {
        control_.set_status(Worker::Update, "waits for swapped rows", k, Peers::None, number);
        const auto swapped = rows_swapped_.pop();
        if (!swapped) return;
        control_.set_status(Worker::Update, "updates the tail", k, Peers::None, number);
        last = stages_.update(k, number++, chunk, swapped->space, swapped->event);
        if (chunk.look_ahead && !transfer_jobs_.push({TransferJob::Kind::Fetch, k + 1, last}))
          return;
        // The next panel's columns leave the tail: nobody swaps them again.
        if (!chunk.look_ahead && !chunk_updated_.push({k, chunk, last})) return;
        if (!space_freed_.push({swapped->space, last})) return;
      }
      if (number == 0) {
        const auto placed = rows_swapped_.pop();
        if (!placed) return;
        last = placed->event;
      }
      if (next_is_mine && !stages_.look_ahead() &&
          !transfer_jobs_.push({TransferJob::Kind::Fetch, k + 1, last}))
        return;
      if (!step_updated_.push({last})) return;
      finish_step(k - 1, last_step);
      last_step = last;
    }
    finish_step(stages_.steps() - 1, last_step);
  }

  /// Holds the host at most one step ahead of the device, and tells how far the device is.
  void finish_step(std::int64_t k, const Event& updated) {
    if (k < 0) return;
    control_.set_status(Worker::Update, "waits for the update to finish", k);
    updated.synchronize();
    control_.beat();
    const StepGeometry g = stages_.geometry(k);
    on_step_({.step = k, .columns_done = g.first + g.width, .seconds = recorder_.now()});
  }

  Stages& stages_;
  JobControl& control_;
  Recorder& recorder_;
  StepCallback on_step_;
  BoundedQueue<TransferJob> transfer_jobs_{4};
  BoundedQueue<PanelFetched> panel_fetched_{2};
  BoundedQueue<PanelPlaced> panel_placed_{2};
  BoundedQueue<RowsSwapped> rows_swapped_{Stages::kSpaces};
  BoundedQueue<ChunkUpdated> chunk_updated_;
  BoundedQueue<SpaceFreed> space_freed_{Stages::kSpaces};
  BoundedQueue<StepUpdated> step_updated_{4};
};

}  // namespace

void factorize_fine(Stages& stages, JobControl& control, Recorder& recorder,
                    const StepCallback& on_step) {
  if (stages.steps() > 0) FinePipeline(stages, control, recorder).run(on_step);
}

}  // namespace hpl
