#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "hpl/lu/broadcast/panel_broadcast.h"
#include "hpl/lu/mixed/mixed_system.h"
#include "hpl/lu/pipeline/factorization_stages.h"

namespace hpl {

/// A second way along the process column, for U11^-1: a worker of its own sends it, while U12 takes
/// the way of the other transports.
struct PanelColumn {
  Transport& transport;
  const mpi::Communicator& ranks;  ///< those of `transport`
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
class MixedStages final : public FactorizationStages {
 public:
  /// Collective over the grid, as the end.
  MixedStages(MixedSystem& system, const PanelColumn& panel_column,
              const FactorizationContext& context);
  ~MixedStages() override;

  /// The memory that it allocates.
  static MemoryAccount memory(const LocalShape& shape, const MixedSpec& spec,
                              const PipelineSettings& settings, bool shares_host_memory);

  /// s of each step.
  const std::vector<float>& scales() const { return scales_; }

  hpcx::Event run(const Task& task, std::span<const hpcx::Event> after) override;
  void progress() override { static_cast<void>(row_.progress()); }

 private:
  struct Panel;
  struct Chunk;

  void touch_workspaces();
  void expose_workspaces(Transport& panel_column);
  void carry_out(const Task& task, hpcx::StreamRef stream);
  void fetch(const Task& task, hpcx::StreamRef stream);
  void factorize(const Task& task, hpcx::StreamRef stream);
  void start_broadcast(const Task& task, hpcx::StreamRef stream);
  void finish_broadcast(const Task& task, hpcx::StreamRef stream);
  void prepare(const Task& task, hpcx::StreamRef stream);
  void solve(const Task& task, hpcx::StreamRef stream);
  void all_gather(const Task& task, hpcx::StreamRef stream);
  void update(const Task& task, hpcx::StreamRef stream);

  /// Rows below the diagonal block of some columns.
  hpcx::MixedView below(const StepGeometry& g, const ColumnRange& columns) const {
    return system_.local({g.below_begin, g.below_stored}, columns);
  }
  /// A view of few bits, dense by rows.
  hpcx::MixedView operand(const hpcx::Buffer& memory, std::int64_t rows, std::int64_t cols) const;
  bool converts() const { return spec_.storage != spec_.operands; }

  MixedSystem& system_;
  const MixedSpec spec_;
  std::vector<std::unique_ptr<Panel>> panels_;
  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::vector<hpcx::Buffer> upper_inverses_;  // taken in turn by the panels that are made here
  std::size_t panels_made_ = 0;
  hpcx::Buffer workspace_;
  PanelBroadcast row_, column_, panel_column_;
  std::vector<std::unique_ptr<Exposure>> exposed_;  // go before what they expose
  std::vector<float> scales_;                       // by step; each set before its panel is used
};

}  // namespace hpl
