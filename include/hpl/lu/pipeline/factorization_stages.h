#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "hpcx/device.h"
#include "hpl/base/choice/choices.h"
#include "hpl/comm/transport/transport.h"
#include "hpl/lu/matrix/step_geometry.h"
#include "hpl/lu/pipeline/executor.h"
#include "hpl/lu/pipeline/recorder.h"
#include "hpl/lu/schedule/lu_schedule.h"
#include "hpl/lu/schedule/work_division.h"
#include "hpl/lu/system/stage_streams.h"

namespace hpl {

/// Settings that carry out a factorization, beyond those of HPL.dat.
struct PipelineSettings {
  SchedulePolicy schedule;
  HostShare host_share;              ///< if the host takes part by `schedule`
  bool device_panel = false;         ///< factorize panels with the device's own solver
  std::vector<int> panel_groups{1};  ///< see PanelGroups, for this rank's process column
  bool pivots_by_host = false;       ///< devices agree on pivots through their hosts alone
  int emulated_moduli = 0;           ///< see RunSpec
  /// Rows of U12 of each product with the inverse, U12 = L11^-1 U; 0: by triangular solve.
  std::int64_t solve_rows = 96;
  /// Multiprocessors of the device panel while it runs beside a tail of at least
  /// `narrow_panel_columns` local columns; alone, or beside less, it takes the whole device. 0:
  /// always.
  int panel_compute_units = 0;
  std::int64_t narrow_panel_columns = 0;
  mpi::WaitPolicy pivot_wait;    ///< of the pivot exchange
  mpi::WaitPolicy message_wait;  ///< of broadcast and row swap
};

/// Steps whose work the host may enqueue before the device has finished the step before them.
constexpr int host_ahead(PipelineKind kind) {
  return kind == PipelineKind::Serial ? 0 : 1;
}

/// The ways of panels along the process row and of rows of U along the process column.
struct StageTransports {
  Transport& row;
  Transport& column;
};

/// The surroundings of a factorization, of HPL or HPL-MxP, and the way to carry it out.
struct FactorizationContext {
  hpcx::Device& device;
  hpcx::Device& host;  ///< the CPU device; the same object when the device is the CPU
  StageTransports transports;
  PipelineKind pipeline;
  PipelineSettings settings;  ///< as decided, but for what the ranks have settled together
  JobControl& control;
  Recorder& recorder;
  /// Called when the update of a step is done, in the order of steps, by the update worker.
  std::function<void(const StepRecord&)> on_step = {};

  /// The waits of `settings`. They give up when `control` stops.
  mpi::WaitPolicy pivot_wait() const { return until_stopped(settings.pivot_wait); }
  mpi::WaitPolicy message_wait() const { return until_stopped(settings.message_wait); }

 private:
  mpi::WaitPolicy until_stopped(mpi::WaitPolicy wait) const {
    wait.stop = &control.stop_flag();
    return wait;
  }
};

/// The stages of a step, as far as those of HPL and of HPL-MxP are alike.
class FactorizationStages : public TaskRunner {
 public:
  FactorizationStages(const FactorizationStages&) = delete;
  FactorizationStages& operator=(const FactorizationStages&) = delete;

  const FactorizationContext& context() const { return context_; }
  /// The number of steps to make.
  std::int64_t steps() const;
  /// Global column of the first zero pivot among the panels that have arrived. HPL-MxP counts a
  /// pivot that is no number as zero.
  std::optional<std::int64_t> zero_pivot_column() const { return zero_pivot_column_; }

  /// Carries out the schedule. Collective over the grid. Throws the first failure of any worker of
  /// this rank.
  void factorize_all();
  /// All steps of the matrix have been made, and no pivot was zero.
  bool factorized() const;

  std::chrono::nanoseconds patience() const override;

 protected:
  /// `cores_idle`: the host's cores have no work beside the device's.
  FactorizationStages(const FactorizationContext& context, const LocalShape& shape,
                      const StageStreams& streams, Schedule schedule, bool cores_idle);

  StepGeometry geometry(const Task& task) const { return step_geometry(shape_, task.step); }

  /// Enqueues a task by `enqueue`, which returns the end, and records its time: in the thread of
  /// its worker, and in `stream` if it is `timed` there.
  template <class Enqueue>
  hpcx::Event record(const Task& task, hpcx::StreamRef stream, bool timed, Enqueue&& enqueue) {
    const Phase phase = traits(task.kind).phase;
    const ScopedSpan span(context_.recorder, thread_of(task.worker), phase, task.step, task.chunk);
    const hpcx::Event begin = timed ? stream.record() : hpcx::Event();
    hpcx::Event end = std::forward<Enqueue>(enqueue)();
    if (timed) {
      Span on_stream{stream_of(task.worker), phase, task.step, task.chunk};
      if (task.kind == TaskKind::Update)
        on_stream.flops = update_flops(geometry(task), task.columns.count);
      context_.recorder.add(on_stream, begin, end);
    }
    return end;
  }
  /// Reports the step of a task of the kind Finish as done.
  void finish(const Task& task) const;
  /// Waits for what is still enqueued, while the memory that it uses is there. Never throws.
  void synchronize() const;

  const FactorizationContext context_;
  const LocalShape& shape_;
  const StageStreams& streams_;
  const Schedule schedule_;
  const bool cores_idle_;
  const mpi::WaitPolicy message_wait_;
  std::optional<std::int64_t> zero_pivot_column_;
};

}  // namespace hpl
