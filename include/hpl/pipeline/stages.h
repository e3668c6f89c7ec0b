#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "hpcx/device.h"
#include "hpl/broadcast/panel_broadcast.h"
#include "hpl/grid/process_grid.h"
#include "hpl/matrix/distributed_matrix.h"
#include "hpl/panel/device_panel.h"
#include "hpl/panel/host_panel.h"
#include "hpl/panel/panel_workspace.h"
#include "hpl/pipeline/job_control.h"
#include "hpl/pipeline/recorder.h"
#include "hpl/swap/row_exchange.h"
#include "hpl/update/tail_chunks.h"
#include "hpl/verify/step_checksums.h"

namespace hpl {

/// How a factorization is carried out, beyond what HPL.dat says.
struct PipelineSettings {
  bool device_panel = false;         ///< factorize panels with the device's own solver
  std::vector<int> panel_groups{1};  ///< see PanelGroups, for this rank's process column
  bool pivots_by_host = false;       ///< devices agree on pivots through their hosts alone
  /// U12 = L11^-1 U by products with the inverse, so many rows of U12 each; 0: by triangular solve.
  std::int64_t solve_rows = 96;
  std::int64_t chunk_columns = 4096;  ///< widest chunk of the tail
  /// Multiprocessors of the device panel while it runs beside a tail of at least
  /// `narrow_panel_columns` local columns; alone, or beside less, it takes the whole device. 0:
  /// always.
  int panel_compute_units = 0;
  std::int64_t narrow_panel_columns = 0;
  std::int64_t step_limit = 0;   ///< steps to make, the rest is left out; 0: all
  mpi::WaitPolicy pivot_wait;    ///< how the pivot exchange waits
  mpi::WaitPolicy message_wait;  ///< how broadcast and row swap wait
};

/// The streams of the stages.
struct StageStreams {
  explicit StageStreams(hpcx::Device& device);
  hpcx::Stream panel, transfer, swap, update;
};

/// How panels travel along the process row and rows of U along the process column.
struct StageTransports {
  Transport& row;
  Transport& column;
};

/// What a factorization works on.
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
};

/// The stages of one step, for executors to arrange. Each stage is called by one thread at a time
/// and enqueues on a stream of its own; what it depends on comes in as events.
///
///     fetch -> factorize -> broadcast -> place -> swap_and_solve(chunk) -> update(chunk)
class Stages {
 public:
  static constexpr int kSlots = 2;   ///< panels alive at once: in use, and ahead
  static constexpr int kSpaces = 3;  ///< chunks swapped but not yet updated

  /// Before the clock runs: what is slow at its first use is got and used once here. Collective
  /// over the grid.
  Stages(FactorizationContext context, JobControl& control, Recorder& recorder);
  /// Waits for what is still enqueued: after a failure it may use the workspaces.
  ~Stages();
  Stages(const Stages&) = delete;
  Stages& operator=(const Stages&) = delete;

  /// Device bytes that Stages allocates for this shape, all told.
  static std::int64_t device_bytes(const LocalShape& shape, const PipelineSettings& settings);

  std::int64_t steps() const { return steps_; }
  StepGeometry geometry(std::int64_t step) const {
    return step_geometry(context_.matrix.shape(), step);
  }
  std::vector<Chunk> chunks(std::int64_t step) const;
  /// Look-ahead is on: panel k + 1 is factorized while the tail of step k is updated.
  bool look_ahead() const { return context_.spec.depth > 0; }
  const FactorizationContext& context() const { return context_; }

  /// Panel columns from the matrix into the panel's slot. On the owner column only.
  hpcx::Event fetch(std::int64_t step, const hpcx::Event& columns_ready);
  /// Factorizes the fetched panel; returns when it is done, with its pivots in host memory.
  /// Collective over the process column that owns the panel.
  void factorize(std::int64_t step, const hpcx::Event& fetched);
  /// Collective over the process row. finish_broadcast() also learns of zero pivots.
  void start_broadcast(std::int64_t step);
  void progress_broadcast() { static_cast<void>(broadcast_.progress()); }
  void finish_broadcast(std::int64_t step);
  /// Makes a broadcast panel ready for use: L11 (or its inverse), exchange plan; U11 goes back into
  /// the matrix.
  hpcx::Event place(std::int64_t step);
  /// U12 of one chunk: row exchange in space `space_number` (0 .. kSpaces - 1) and triangular
  /// solve, which thus hide behind the update of the chunk before. Collective over the process
  /// column.
  hpcx::Event swap_and_solve(std::int64_t step, std::int64_t chunk_number, const Chunk& chunk,
                             int space_number, const std::vector<hpcx::Event>& after);
  /// A22 -= L21 U12 of one chunk.
  hpcx::Event update(std::int64_t step, std::int64_t chunk_number, const Chunk& chunk,
                     int space_number, const hpcx::Event& solved);

  /// Global column of the first zero pivot seen so far by finish_broadcast().
  std::optional<std::int64_t> zero_pivot_column() const { return zero_pivot_column_; }

 private:
  void touch_workspaces();
  PanelWorkspace& slot(std::int64_t step) {
    return *slots_[static_cast<std::size_t>(step % kSlots)];
  }
  void factorize_on_host(PanelWorkspace& panel, const hpcx::Event& fetched);
  void factorize_on_device(PanelWorkspace& panel, const hpcx::Event& fetched);
  bool shared_memory() const { return context_.device.shares_host_memory(); }
  /// Where U12 of a chunk stands after swap_and_solve().
  hpcx::MatrixView solved_rows(const StepGeometry& geometry, const Chunk& chunk,
                               const ExchangeSpace& space) const;
  void solve(const PanelWorkspace& panel, hpcx::MatrixView u, hpcx::MatrixView u12);
  DevicePanel::Breadth panel_breadth(std::int64_t step) const;

  FactorizationContext context_;
  JobControl& control_;
  Recorder& recorder_;
  std::int64_t steps_;
  hpcx::StreamRef panel_stream_, transfer_stream_, swap_stream_, update_stream_;
  std::array<std::unique_ptr<PanelWorkspace>, kSlots> slots_;
  std::vector<ExchangeSpace> spaces_;
  mpi::Communicator pivot_column_;  // the exchange of rows uses the grid's own at the same time
  PivotExchange pivots_;
  PanelBroadcast broadcast_;
  RowExchange row_exchange_;
  std::optional<DevicePanel> device_panel_;
  std::optional<std::int64_t> zero_pivot_column_;
};

}  // namespace hpl
