#include "hpl/lu/solve/back_substitution.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "hpl/comm/mpi/request.h"
#include "hpl/comm/mpi/vector_exchange.h"
#include "hpl/lu/matrix/step_geometry.h"
#include "hpl/lu/schedule/visits.h"
#include "visited_blocks.h"

namespace hpl {

namespace {

/// Elements of x that a process with this part of the matrix holds.
std::int64_t solution_size(const LocalShape& shape) {
  return shape.columns.lower_bound({shape.rows.extent()}).value;
}
/// Rows of the widest step: NB may be far larger than N.
std::int64_t block_rows(const LocalShape& shape) {
  return std::min(shape.rows.block(), shape.rows.extent());
}
std::size_t bytes_of(std::int64_t elements) {
  return static_cast<std::size_t>(8 * elements);
}
std::int64_t message_elements(const LocalShape& shape) {
  return block_rows(shape) * (shape.columns.processes() + 1);
}
std::int64_t visited_elements(const LocalShape& shape, std::int64_t visited_columns) {
  return visited_columns == 0 ? 0 : visited_columns + shape.local_rows;
}

}  // namespace

DistributedSolution::DistributedSolution(hpcx::Device& device, const LocalShape& shape,
                                         std::int64_t visited_columns)
    : size_(solution_size(shape)),
      rows_(shape.local_rows),
      block_(block_rows(shape)),
      visited_columns_(visited_columns),
      memory_(device.allocate(bytes_of(size_))),
      right_side_(device.allocate(bytes_of(rows_))),
      messages_(device.allocate_pinned(bytes_of(message_elements(shape)))),
      visited_(device.allocate_pinned(bytes_of(visited_elements(shape, visited_columns)))) {}

MemoryBytes DistributedSolution::bytes(const LocalShape& shape, std::int64_t visited_columns,
                                       bool shares_host_memory) {
  return MemoryBytes{8 * (solution_size(shape) + shape.local_rows), 0} +
         pinned_bytes(8 * (message_elements(shape) + visited_elements(shape, visited_columns)),
                      shares_host_memory);
}

namespace {

/// Bytes that are copied while the products of resident columns among themselves run. What is not
/// on the device by their end would keep the host from its part.
double bytes_beside_last_steps(const DistributedMatrix& matrix) {
  const LocalShape& shape = matrix.shape();
  const double processes = shape.rows.processes() * shape.columns.processes();
  const double columns = static_cast<double>(matrix.resident_columns().count) *
                         static_cast<double>(shape.columns.processes());
  const double products = 2.0 / 3 * columns * columns * columns / processes;
  return 4 * products / kBalancedDepth;  // k* = 4 F / B
}

}  // namespace

using hpcx::Layout;
using hpcx::MatrixView;
using hpcx::StreamRef;
using hpcx::VectorView;

class BackSubstitution::Solver {
 public:
  Solver(const SubstitutionStreams& streams, const SystemParts& system, const mpi::WaitPolicy& wait,
         const SubstitutionPolicy& policy)
      : grid_(system.grid),
        matrix_(system.matrix),
        shape_(matrix_.shape()),
        wait_(wait),
        solution_(system.x),
        x_(solution_.view()),
        y_(solution_.right_side()),
        stream_(streams.device) {
    if (policy.over_link && matrix_.visited_columns() > 0)
      visited_.emplace(streams, matrix_, solution_, policy.link_share);
  }

  void load_ahead() {
    if (visited_) visited_->load_ahead(bytes_beside_last_steps(matrix_));
  }

  void run() {
    load_right_side();
    for (std::int64_t step = step_count(shape_) - 1; step >= 0; --step) {
      const StepGeometry g = step_geometry(shape_, step);
      if (g.on_owner_row) collect(g);
      catch_up(g);
      if (!g.on_owner_column) continue;
      if (g.on_owner_row) solve(g);
      hand_down(g);
      subtract(g);
    }
    subtract_deferred();
    mpi::await_soon(stream_.record(), stream_.device(), wait_);
  }

 private:
  /// Whether U of a step is divided between host and device.
  bool is_divided(const StepGeometry& g) const {
    return visited_ && g.panel_begin.value < matrix_.visited_columns();
  }
  /// The columns of a step, all stored rows, where they lie.
  MatrixView columns_of(const StepGeometry& g) const {
    const ColumnRange columns{g.panel_begin, g.width};
    return columns.begin.value < matrix_.visited_columns() ? matrix_.visited(columns)
                                                           : matrix_.resident(columns);
  }
  void wait_for(const hpcx::Event& event) {
    if (visited_)
      visited_->wait(event);
    else
      event.synchronize();
  }

  /// y := b on the process column that has b, 0 elsewhere: the partial sums start from there.
  void load_right_side() {
    const GlobalColumn b{shape_.rows.extent()};
    const MatrixView y{y_.data, y_.size, 1, std::max<std::int64_t>(1, y_.size),
                       Layout::ColumnMajor};
    if (shape_.columns.mine(b))
      stream_.device().kernels().copy(
          stream_,
          matrix_.resident({shape_.columns.to_local(b), 1}).row_range(0, shape_.local_rows), y);
    else
      stream_.device().kernels().fill(stream_, 0.0, y);
  }

  VectorView y_of(const StepGeometry& g) const { return y_.range(g.row_begin.value, g.width); }
  VectorView x_of(const StepGeometry& g) const { return x_.range(g.panel_begin.value, g.width); }
  static std::size_t bytes(const StepGeometry& g) { return static_cast<std::size_t>(8 * g.width); }
  static std::span<std::byte> as_message(double* block, const StepGeometry& g) {
    return {reinterpret_cast<std::byte*>(block), bytes(g)};
  }

  /// The owner's y becomes the sum over its process row, and over device and host. The rank that
  /// has the step before's x, next to the owner, sends to it directly.
  void collect(const StepGeometry& g) {
    const mpi::Communicator& row = grid_.row();
    const bool alone = row.size() == 1;
    // The host's part of the step before, if that is an own one, is for later steps.
    const bool with_host = visited_ && visited_->has_host_part(g.step + 2);
    if (alone && !with_host) return;
    const mpi::TreeLinks links = mpi::star_or_tree({row.rank(), g.owner_column, row.size()});
    const int tag = row.tag(g.step);
    mpi::RequestSet arrivals;
    for (const int child : links.children)
      arrivals.irecv(row, as_message(solution_.message(child), g), child, tag);
    double* const mine = solution_.message(row.rank());
    stream_.copy(mine, y_of(g).data, bytes(g));
    const hpcx::Event copied = stream_.record();
    // To catch up takes long where rows come over the link; others wait for the sums.
    const bool sends_first = visited_ && !g.on_owner_column;
    if (!alone && !sends_first) catch_up(g);  // works on while the sums travel
    wait_for(copied);
    if (with_host) {
      visited_->finish_host_part(g.step + 2);
      const VectorView by_host = solution_.visited_right_side().range(g.row_begin.value, g.width);
      for (std::int64_t i = 0; i < g.width; ++i)
        mine[i] += by_host[i];
    }
    arrivals.wait(wait_);
    for (const int child : links.children)
      for (std::int64_t i = 0; i < g.width; ++i)
        mine[i] += solution_.message(child)[i];
    if (links.parent) {
      mpi::Request sent = mpi::isend(row, as_message(mine, g), *links.parent, tag);
      catch_up(g);
      sent.wait(wait_);
    } else {
      stream_.copy(y_of(g).data, mine, bytes(g));
    }
  }

  /// x_k := U_kk^-1 y_k
  void solve(const StepGeometry& g) {
    const VectorView x = x_of(g);
    stream_.copy(x.data, y_of(g).data, bytes(g));
    const auto by = [&](MatrixView u) {
      stream_.device().blas().trsm(
          stream_, {hpcx::Triangle::Upper, hpcx::Diagonal::NonUnit, u},
          {x.data, x.size, 1, std::max<std::int64_t>(1, x.size), Layout::ColumnMajor});
    };
    if (!is_divided(g)) return by(columns_of(g).row_range(g.row_begin.value, g.width));
    by(visited_->next(stream_, g.step, VisitedBlocks::Kind::Diagonal)->block);
    visited_->give_back(stream_);
  }

  /// x_k to the other processes of the owner column, and to the hosts that read U.
  void hand_down(const StepGeometry& g) {
    const mpi::Communicator& column = grid_.column();
    const bool to_host = is_divided(g);
    if (column.size() == 1 && !to_host) return;
    double* const block = to_host
                              ? solution_.visited_view().range(g.panel_begin.value, g.width).data
                              : solution_.message(grid_.columns());
    const int tag = column.tag(g.step);
    // Down the line: the owner of the next step hears from the owner itself.
    const mpi::TreeLinks links = mpi::star_or_tree({column.rank(), g.owner_row, column.size(), -1});
    mpi::RequestSet sends;
    const auto pass_on = [&] {
      for (const int child : links.children)
        sends.isend(column, as_message(block, g), child, tag);
    };
    if (!links.parent) {
      stream_.copy(block, x_of(g).data, bytes(g));
      wait_for(stream_.record());
      pass_on();
    } else {
      // The block may still be on its way to the device from the last time.
      if (!to_host) stream_.synchronize();
      mpi::irecv(column, as_message(block, g), *links.parent, tag).wait(wait_);
      pass_on();
      stream_.copy(x_of(g).data, block, bytes(g));
    }
    sends.wait(wait_);
    if (to_host) visited_->begin_host_part(g.step);
  }

  /// y -= U(:, k) x_k: the rows that the next step needs at once, the others when there is time.
  void subtract(const StepGeometry& g) {
    const std::int64_t above = g.row_begin.value;
    const std::int64_t near = near_rows(shape_, g);
    subtract(g, above - near, near, VisitedBlocks::Kind::Near);
    subtract_deferred();
    deferred_ = g;
    deferred_rows_ = above - near;
  }

  /// Before a step that is not next to the deferred one in the same columns: else the deferred rows
  /// may come behind that step's near ones.
  void catch_up(const StepGeometry& g) {
    if (!g.on_owner_column || deferred_.step != g.step + 1) subtract_deferred();
  }
  void subtract_deferred() {
    subtract(deferred_, 0, deferred_rows_, VisitedBlocks::Kind::Far);
    deferred_rows_ = 0;
  }

  void subtract(const StepGeometry& g, std::int64_t first_row, std::int64_t rows,
                VisitedBlocks::Kind kind) {
    if (rows == 0) return;
    if (!is_divided(g)) return subtract(g, columns_of(g).row_range(first_row, rows), first_row);
    while (const auto piece = visited_->next(stream_, g.step, kind)) {
      subtract(g, piece->block, piece->rows.begin.value);
      visited_->give_back(stream_);
    }
  }
  void subtract(const StepGeometry& g, MatrixView u, std::int64_t first_row) {
    stream_.device().blas().gemv(stream_, {-1.0, u, x_of(g), 1.0, y_.range(first_row, u.rows)});
  }

  const ProcessGrid& grid_;
  const DistributedMatrix& matrix_;
  const LocalShape& shape_;
  mpi::WaitPolicy wait_;
  const DistributedSolution& solution_;
  VectorView x_, y_;
  StreamRef stream_;
  std::optional<VisitedBlocks> visited_;  // where host and device divide U
  StepGeometry deferred_;
  std::int64_t deferred_rows_ = 0;
};

namespace {

/// Bytes a second of PCI Express 5, and of a core that reads its memory, alone and among others.
constexpr double kLinkRate = 45e9, kCoreRate = 12e9, kMostOfMemory = 200e9;

}  // namespace

SubstitutionPolicy substitution_policy(bool shares_host_memory, bool reproducible,
                                       int host_threads) {
  SubstitutionPolicy policy{.over_link = !shares_host_memory};
  if (reproducible)
    policy.link_share = kLinkRate / (kLinkRate + std::min(host_threads * kCoreRate, kMostOfMemory));
  return policy;
}

BackSubstitution::BackSubstitution(const SubstitutionStreams& streams, const SystemParts& system,
                                   const mpi::WaitPolicy& wait, const SubstitutionPolicy& policy)
    : solver_(std::make_unique<Solver>(streams, system, wait, policy)) {}

BackSubstitution::~BackSubstitution() = default;

void BackSubstitution::load_ahead() {
  solver_->load_ahead();
}

void BackSubstitution::run() {
  solver_->run();
}

}  // namespace hpl
