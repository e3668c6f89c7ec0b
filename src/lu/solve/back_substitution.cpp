#include "hpl/lu/solve/back_substitution.h"

#include <algorithm>
#include <vector>

#include "hpl/comm/mpi/request.h"
#include "hpl/lu/matrix/step_geometry.h"

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

using hpcx::Layout;
using hpcx::MatrixView;
using hpcx::StreamRef;
using hpcx::VectorView;

class BackSubstitution {
 public:
  BackSubstitution(StreamRef stream, StreamRef host, const ProcessGrid& grid,
                   const DistributedMatrix& matrix, const mpi::WaitPolicy& wait,
                   const DistributedSolution& x)
      : grid_(grid),
        matrix_(matrix),
        shape_(matrix.shape()),
        wait_(wait),
        solution_(x),
        x_(x.view()),
        y_(x.right_side()),
        stream_(stream),
        host_(host) {}

  void run() {
    load_right_side();
    for (std::int64_t step = step_count(shape_) - 1; step >= 0; --step) {
      const StepGeometry g = step_geometry(shape_, step);
      if (!on_host_ && g.on_owner_column && is_visited(g)) go_on_on_host();
      if (g.on_owner_row) collect(g);
      subtract_deferred();
      if (g.on_owner_row && g.on_owner_column) solve(g);
      if (g.on_owner_column) {
        hand_down(g);
        subtract(g);
      }
    }
    subtract_deferred();
    if (on_host_) bring_back();
    stream_.synchronize();
  }

 private:
  bool is_visited(const StepGeometry& g) const {
    return g.panel_begin.value < matrix_.visited_columns();
  }
  /// The columns of a step, all stored rows, where they lie.
  MatrixView columns_of(const StepGeometry& g) const {
    const ColumnRange columns{g.panel_begin, g.width};
    return is_visited(g) ? matrix_.visited(columns) : matrix_.resident(columns);
  }
  /// All columns that are left are in host memory, so y moves there.
  void go_on_on_host() {
    subtract_deferred();
    const VectorView y = solution_.visited_right_side();
    stream_.copy(y.data, y_.data, static_cast<std::size_t>(8 * y.size));
    stream_.synchronize();
    std::swap(stream_, host_);
    x_ = solution_.visited_view();
    y_ = y;
    on_host_ = true;
  }
  void bring_back() {
    stream_.synchronize();
    std::swap(stream_, host_);
    stream_.copy(solution_.view().data, x_.data, static_cast<std::size_t>(8 * x_.size));
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

  /// The owner's y becomes the sum over its process row.
  void collect(const StepGeometry& g) {
    const mpi::Communicator& row = grid_.row();
    if (row.size() == 1) return;
    double* const mine = solution_.message(row.rank());
    stream_.copy(mine, y_of(g).data, bytes(g));
    const hpcx::Event copied = stream_.record();
    subtract_deferred();  // works on while the sums travel
    copied.synchronize();
    const int tag = row.tag(g.step);
    if (!g.on_owner_column) {
      mpi::isend(row, as_message(mine, g), g.owner_column, tag).wait(wait_);
      return;
    }
    mpi::RequestSet arrivals;
    for (int peer = 0; peer < row.size(); ++peer)
      if (peer != row.rank())
        arrivals.irecv(row, as_message(solution_.message(peer), g), peer, tag);
    arrivals.wait(wait_);
    for (int peer = 0; peer < row.size(); ++peer)
      if (peer != row.rank())
        for (std::int64_t i = 0; i < g.width; ++i)
          mine[i] += solution_.message(peer)[i];
    stream_.copy(y_of(g).data, mine, bytes(g));
  }

  /// x_k := U_kk^-1 y_k
  void solve(const StepGeometry& g) {
    const VectorView x = x_of(g);
    stream_.copy(x.data, y_of(g).data, bytes(g));
    stream_.device().blas().trsm(
        stream_, hpcx::Triangle::Upper, hpcx::Diagonal::NonUnit,
        columns_of(g).row_range(g.row_begin.value, g.width),
        {x.data, x.size, 1, std::max<std::int64_t>(1, x.size), Layout::ColumnMajor});
  }

  /// x_k to the other processes of the owner column.
  void hand_down(const StepGeometry& g) {
    const mpi::Communicator& column = grid_.column();
    if (column.size() == 1) return;
    double* const block = solution_.message(grid_.columns());
    const int tag = column.tag(g.step);
    if (g.on_owner_row) {
      stream_.copy(block, x_of(g).data, bytes(g));
      stream_.synchronize();
      mpi::RequestSet sends;
      for (int peer = 0; peer < column.size(); ++peer)
        if (peer != column.rank()) sends.isend(column, as_message(block, g), peer, tag);
      sends.wait(wait_);
    } else {
      // The block may still be on its way to the device from the last time.
      stream_.synchronize();
      mpi::irecv(column, as_message(block, g), g.owner_row, tag).wait(wait_);
      stream_.copy(x_of(g).data, block, bytes(g));
    }
  }

  /// y -= U(:, k) x_k: the rows that the next step needs at once, the others when there is time.
  void subtract(const StepGeometry& g) {
    const std::int64_t above = g.row_begin.value;
    const std::int64_t urgent = g.step == 0 ? 0 : step_geometry(shape_, g.step - 1).top_rows;
    subtract(g, above - urgent, urgent);
    deferred_ = g;
    deferred_rows_ = above - urgent;
  }

  void subtract_deferred() {
    subtract(deferred_, 0, deferred_rows_);
    deferred_rows_ = 0;
  }

  void subtract(const StepGeometry& g, std::int64_t first_row, std::int64_t rows) {
    if (rows == 0) return;
    stream_.device().blas().gemv(stream_, -1.0, columns_of(g).row_range(first_row, rows), x_of(g),
                                 1.0, y_.range(first_row, rows));
  }

  const ProcessGrid& grid_;
  const DistributedMatrix& matrix_;
  const LocalShape& shape_;
  mpi::WaitPolicy wait_;
  const DistributedSolution& solution_;
  VectorView x_, y_;  // where the present steps are made
  StreamRef stream_, host_;
  bool on_host_ = false;
  StepGeometry deferred_;
  std::int64_t deferred_rows_ = 0;
};

}  // namespace

void back_substitute(hpcx::StreamRef stream, hpcx::StreamRef host, const ProcessGrid& grid,
                     const DistributedMatrix& matrix, const mpi::WaitPolicy& wait,
                     const DistributedSolution& x) {
  BackSubstitution(stream, host, grid, matrix, wait, x).run();
}

}  // namespace hpl
