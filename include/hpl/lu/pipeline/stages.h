#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "hpcx/device.h"
#include "hpl/base/number/memory_account.h"
#include "hpl/lu/broadcast/panel_broadcast.h"
#include "hpl/lu/grid/process_grid.h"
#include "hpl/lu/matrix/distributed_matrix.h"
#include "hpl/lu/panel/device_panel.h"
#include "hpl/lu/panel/host_panel.h"
#include "hpl/lu/panel/panel_workspace.h"
#include "hpl/lu/pipeline/executor.h"
#include "hpl/lu/pipeline/recorder.h"
#include "hpl/lu/pipeline/stage_streams.h"
#include "hpl/lu/schedule/lu_schedule.h"
#include "hpl/lu/schedule/work_division.h"
#include "hpl/lu/swap/row_exchange.h"
#include "hpl/lu/update/host_update.h"
#include "hpl/lu/update/tail_product.h"
#include "hpl/lu/verify/step_checksums.h"

namespace hpl {

/// Settings that carry out a factorization, beyond those of HPL.dat.
struct PipelineSettings {
  SchedulePolicy schedule;
  HostShare host_share;              ///< if the host takes part by `schedule`
  bool device_panel = false;         ///< factorize panels with the device's own solver
  std::vector<int> panel_groups{1};  ///< see PanelGroups, for this rank's process column
  bool pivots_by_host = false;       ///< devices agree on pivots through their hosts alone
  int emulated_moduli = 0;           ///< see RunSpec
  /// U12 = L11^-1 U by products with the inverse, so many rows of U12 each; 0: by triangular solve.
  std::int64_t solve_rows = 96;
  /// Multiprocessors of the device panel while it runs beside a tail of at least
  /// `narrow_panel_columns` local columns; alone, or beside less, it takes the whole device. 0:
  /// always.
  int panel_compute_units = 0;
  std::int64_t narrow_panel_columns = 0;
  mpi::WaitPolicy pivot_wait;    ///< of the pivot exchange
  mpi::WaitPolicy message_wait;  ///< of broadcast and row swap
};

/// The ways of panels along the process row and of rows of U along the process column.
struct StageTransports {
  Transport& row;
  Transport& column;
};

/// The objects that a factorization works on.
struct FactorizationContext {
  hpcx::Device& device;
  hpcx::Device& host;  ///< the CPU device; the same object when the device is the CPU
  const ProcessGrid& grid;
  const RunSpec& spec;
  const DistributedMatrix& matrix;
  const StageStreams& streams;
  StageTransports transports;
  PipelineSettings settings;
  StepChecksums* checksums = nullptr;  ///< null: none are carried
  /// Called when the update of a step is done, in the order of steps, by the update worker.
  std::function<void(const StepRecord&)> on_step = {};
  /// Called by the load worker, with its stream behind all stores, when no column visits any more.
  std::function<void()> load_u = {};
};

/// The stages of a step: what the tasks of lu_schedule() stand for, on the streams of their
/// workers.
class Stages final : public TaskRunner {
 public:
  /// Before the clock runs: what is slow at its first use is got and used once here. Collective
  /// over the grid.
  Stages(FactorizationContext context, JobControl& control, Recorder& recorder);
  /// Waits for what is still enqueued: after a failure it may use the workspaces.
  ~Stages() override;
  Stages(const Stages&) = delete;
  Stages& operator=(const Stages&) = delete;

  /// The memory that Stages allocates for this shape, all but the panel solver.
  static MemoryAccount memory(const LocalShape& shape, const PipelineSettings& settings,
                              bool shares_host_memory);

  const FactorizationContext& context() const { return context_; }
  const Schedule& schedule() const { return schedule_; }
  /// The number of steps to make.
  std::int64_t steps() const;

  hpcx::Event run(const Task& task, std::span<const hpcx::Event> after) override;
  std::chrono::nanoseconds patience() const override;
  void progress() override { static_cast<void>(broadcast_.progress()); }

  /// The host's part of the tail update; empty if its cores take none.
  std::optional<HostWork> host_work() const;

  /// Global column of the first zero pivot among the panels that have arrived.
  std::optional<std::int64_t> zero_pivot_column() const { return zero_pivot_column_; }

 private:
  void touch_workspaces();
  /// To the ranks that panels and rows travel to.
  void expose_workspaces();
  /// By the host while the device, which is another, goes on.
  bool factorized_beside_device(TaskKind kind) const;
  bool timed_by_events(TaskKind kind) const;

  void carry_out(const Task& task, hpcx::StreamRef stream);
  void fetch(const Task& task, hpcx::StreamRef stream);
  void factorize_on_host(const Task& task, hpcx::StreamRef stream);
  void factorize_on_device(const Task& task, hpcx::StreamRef stream);
  void start_broadcast(const Task& task, hpcx::StreamRef stream);
  void finish_broadcast(const Task& task, hpcx::StreamRef stream);
  /// L11 is inverted right behind the panel, while the host learns of the pivots: where the device
  /// makes the panel and no message waits for it.
  bool inverts_at_once() const;
  /// True for tasks that end before the inverse: they wait for the panel alone, only solves wait
  /// for the inverse.
  bool ends_before_inverse(TaskKind kind) const;
  void prepare_l11(const Task& task, hpcx::StreamRef stream);
  void prepare(const Task& task, hpcx::StreamRef stream);
  void store_diagonal(const Task& task, hpcx::StreamRef stream);
  void store_panel(const Task& task, hpcx::StreamRef stream);
  void swap(const Task& task, hpcx::StreamRef stream);
  void solve(const Task& task, hpcx::StreamRef stream);
  void all_gather(const Task& task, hpcx::StreamRef stream);
  void update(const Task& task, hpcx::StreamRef stream);
  void finish(const Task& task);
  void update_by_host(const Task& task);

  bool shared_memory() const { return context_.device.shares_host_memory(); }
  StepGeometry geometry(const Task& task) const {
    return step_geometry(context_.matrix.shape(), task.step);
  }
  PanelWorkspace& panel_of(const Task& task) const {
    return *panels_[static_cast<std::size_t>(task.panel)];
  }
  const ExchangeBuffers& buffer_of(const Task& task) const {
    return buffers_[static_cast<std::size_t>(task.buffer)];
  }
  /// The task's columns of the local matrix, all rows, on the device.
  hpcx::MatrixView columns_of(const Task& task) const {
    return task.slot == kNoSlot ? context_.matrix.resident(task.columns)
                                : context_.matrix.slot(task.slot, task.columns.count);
  }
  /// The place of U12 of the task's columns when it is solved.
  hpcx::MatrixView u12_of(const Task& task) const;

  FactorizationContext context_;
  JobControl& control_;
  Recorder& recorder_;
  Schedule schedule_;
  std::vector<std::unique_ptr<PanelWorkspace>> panels_;
  /// By workspace, of L11 right behind a panel. The panel worker sets them before its tasks end.
  struct Inverse {
    hpcx::Event begin, end;
  };
  std::vector<Inverse> inverses_;
  std::vector<ExchangeBuffers> buffers_;
  std::unique_ptr<Exposure> exposed_panels_, exposed_buffers_;  // go before what they expose
  mpi::Communicator pivot_column_;  // the exchange of rows uses the grid's own at the same time
  PivotExchange pivots_;
  PanelBroadcast broadcast_;
  RowExchange row_exchange_;
  std::optional<DevicePanel> device_panel_;
  std::unique_ptr<TailProduct> product_;
  std::optional<WorkDivision> division_;
  std::optional<HostUpdate> host_update_;
  std::optional<std::int64_t> zero_pivot_column_;
};

}  // namespace hpl
