#pragma once

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
#include "hpl/lu/pipeline/factorization_stages.h"
#include "hpl/lu/schedule/work_division.h"
#include "hpl/lu/swap/row_exchange.h"
#include "hpl/lu/system/linear_system.h"
#include "hpl/lu/update/host_update.h"
#include "hpl/lu/update/tail_product.h"

namespace hpl {

/// The stages of a step: what the tasks of lu_schedule() stand for, on the streams of their
/// workers.
class Stages final : public FactorizationStages {
 public:
  /// Before the clock runs: what is slow at its first use is got and used once here. `load_u`: the
  /// load worker calls it, with its stream behind all stores, when no column visits any more.
  /// Collective over the grid.
  Stages(LinearSystem& system, const FactorizationContext& context, std::function<void()> load_u);
  /// Waits for what is still enqueued: after a failure it may use the workspaces.
  ~Stages() override { synchronize(); }

  /// The memory that Stages allocates for this shape, all but the panel solver.
  static MemoryAccount memory(const LocalShape& shape, const PipelineSettings& settings,
                              bool shares_host_memory);

  hpcx::Event run(const Task& task, std::span<const hpcx::Event> after) override;
  void progress() override { static_cast<void>(broadcast_.progress()); }

  /// The host's part of the tail update; empty if its cores take none.
  std::optional<HostWork> host_work() const;

 private:
  void touch_workspaces();
  /// Makes a product with a factor of 0, as large as the largest update.
  void touch_packed_operands(hpcx::StreamRef stream, hpcx::ConstMatrixView l21);
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
  void update_by_host(const Task& task);

  bool shared_memory() const { return context_.device.shares_host_memory(); }
  PanelWorkspace& panel_of(const Task& task) const {
    return *panels_[static_cast<std::size_t>(task.panel)];
  }
  const ExchangeBuffers& buffer_of(const Task& task) const {
    return buffers_[static_cast<std::size_t>(task.buffer)];
  }
  /// The task's columns of the local matrix, all rows, on the device.
  hpcx::MatrixView columns_of(const Task& task) const {
    return task.slot == kNoSlot ? system_.matrix.resident(task.columns)
                                : system_.matrix.slot(task.slot, task.columns.count);
  }
  /// The place of U12 of the task's columns when it is solved.
  hpcx::MatrixView u12_of(const Task& task) const;

  LinearSystem& system_;
  std::function<void()> load_u_;
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
};

}  // namespace hpl
