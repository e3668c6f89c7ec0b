#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "hpl/lu/broadcast/panel_broadcast.h"
#include "hpl/lu/mixed/mixed_system.h"
#include "hpl/lu/pipeline/executor.h"
#include "hpl/lu/pipeline/recorder.h"
#include "hpl/lu/pipeline/stages.h"

namespace hpl {

/// The ways of the LU of HPL-MxP: panels along the process row, U12 along the process column, and
/// U11^-1 along the process column, by a worker of its own.
struct MixedTransports {
  Transport& row;
  Transport& column;
  Transport& panel_column;
  const mpi::Communicator& panel_ranks;  ///< those of `panel_column`
};

/// The stages of a step of HPL-MxP: what the tasks of lu_schedule() stand for without pivots.
///
///     Factorize   L11 U11 = A11 in FP32 on its owner, which sends s U11^-1 to the process column;
///                 s L21 := A21 (s U11^-1) there
///     broadcasts  s, L11^-1 and s L21 along the process row
///     Prepare     s L21 to its place in the matrix
///     Solve       U12 := L11^-1 A12 on the process row of the diagonal block
///     AllGather   U12 to the process column
///     Update      A22 := A22 - (1/s) (s L21) U12
///
/// All products have operands in few bits and sums in FP32. s is a power of two, by which L21 keeps
/// clear of the format's smallest numbers.
class MixedStages final : public TaskRunner {
 public:
  struct Context {
    MixedSystem& system;
    MixedTransports transports;
    PipelineSettings settings;
    /// Called when the update of a step is done, in the order of steps, by the update worker.
    std::function<void(const StepRecord&)> on_step = {};
  };

  /// Collective over the grid, as the end.
  MixedStages(Context context, JobControl& control, Recorder& recorder);
  ~MixedStages() override;
  MixedStages(const MixedStages&) = delete;
  MixedStages& operator=(const MixedStages&) = delete;

  /// The memory that it allocates.
  static MemoryAccount memory(const LocalShape& shape, const MixedSpec& spec,
                              const PipelineSettings& settings, bool shares_host_memory);

  const Schedule& schedule() const { return schedule_; }
  /// The number of steps to make.
  std::int64_t steps() const;
  /// Global column of the first pivot that is zero or no number, among the panels that have
  /// arrived.
  std::optional<std::int64_t> zero_pivot_column() const { return zero_pivot_column_; }
  /// s of each step.
  const std::vector<float>& scales() const { return scales_; }

  hpcx::Event run(const Task& task, std::span<const hpcx::Event> after) override;
  std::chrono::nanoseconds patience() const override;
  void progress() override { static_cast<void>(row_.progress()); }

 private:
  struct Panel;
  struct Chunk;

  void touch_workspaces();
  void expose_workspaces();
  void carry_out(const Task& task, hpcx::StreamRef stream);
  void fetch(const Task& task, hpcx::StreamRef stream);
  void factorize(const Task& task, hpcx::StreamRef stream);
  void start_broadcast(const Task& task, hpcx::StreamRef stream);
  void finish_broadcast(const Task& task, hpcx::StreamRef stream);
  void prepare(const Task& task, hpcx::StreamRef stream);
  void solve(const Task& task, hpcx::StreamRef stream);
  void all_gather(const Task& task, hpcx::StreamRef stream);
  void update(const Task& task, hpcx::StreamRef stream);
  void finish(const Task& task);

  StepGeometry geometry(const Task& task) const {
    return step_geometry(context_.system.shape, task.step);
  }
  /// Rows below the diagonal block of some columns.
  hpcx::MixedView below(const StepGeometry& g, const ColumnRange& columns) const {
    return context_.system.local({g.below_begin, g.below_stored}, columns);
  }
  /// A view of few bits, dense by rows.
  hpcx::MixedView operand(const hpcx::Buffer& memory, std::int64_t rows, std::int64_t cols) const;
  bool converts() const { return spec_.storage != spec_.operands; }

  Context context_;
  const MixedSpec spec_;
  JobControl& control_;
  Recorder& recorder_;
  Schedule schedule_;
  std::vector<std::unique_ptr<Panel>> panels_;
  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::vector<hpcx::Buffer> upper_inverses_;  // taken in turn by the panels that are made here
  std::size_t panels_made_ = 0;
  hpcx::Buffer workspace_;
  PanelBroadcast row_, column_, panel_column_;
  std::vector<std::unique_ptr<Exposure>> exposed_;  // go before what they expose
  std::vector<float> scales_;                       // by step; each set before its panel is used
  std::optional<std::int64_t> zero_pivot_column_;
};

}  // namespace hpl
