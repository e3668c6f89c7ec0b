#include "hpl/lu/update/host_update.h"

#include "hpl/lu/matrix/step_geometry.h"

namespace hpl {

using hpcx::ConstMatrixView;
using hpcx::MatrixView;

HostUpdate::HostUpdate(hpcx::Device& host, const DistributedMatrix& matrix, const RunSpec& spec,
                       const mpi::Communicator& column, std::int64_t columns, mpi::WaitPolicy wait)
    : matrix_(matrix),
      transposed_u_(spec.transposed_u),
      column_(column.dup()),
      transport_(make_mpi_device_transport(column_)),
      row_exchange_(*transport_, spec, wait),
      buffer_(host, panel_width(matrix.shape()), columns, column_.size() > 1),
      stream_(host.create_stream(hpcx::Priority::Normal)) {}

HostUpdate::~HostUpdate() {
  try {
    stream_.ref().synchronize();
  } catch (...) {  // the failure has been reported where it arose
  }
}

std::int64_t HostUpdate::bytes(const LocalShape& shape, std::int64_t columns) {
  return ExchangeBuffers::bytes(panel_width(shape), columns, shape.rows.processes() > 1);
}

void HostUpdate::eliminate(const PanelWorkspace& panel, const ColumnRange& c) {
  const StepGeometry& g = panel.geometry();
  const ExchangeLists lists = panel.exchange().on_host();
  const ConstMatrixView x = panel.host_x();
  const ConstMatrixView l11 = x.row_range(0, g.width);
  const ConstMatrixView l21 = x.row_range(g.width, g.below_stored);
  const MatrixView a = matrix_.visited(c);
  // Only the process row of the diagonal block keeps U(k, c).
  const MatrixView u12 = g.on_owner_row ? a.row_range(g.row_begin.value, g.width)
                                        : buffer_.u(g.width, c.count, transposed_u_);
  hpcx::Device& host = stream_.ref().device();

  row_exchange_.exchange(stream_, a, lists, buffer_);
  for (const auto& [u, solved] : row_exchange_.to_solve(c.count, lists, buffer_, u12)) {
    host.blas().trsm(stream_, {hpcx::Triangle::Lower, hpcx::Diagonal::Unit, l11}, u);
    if (u.data != solved.data) host.kernels().copy(stream_, u, solved);
  }
  if (row_exchange_.solve_site(c.count) == SolveSite::Divided)
    row_exchange_.all_gather(stream_, lists, buffer_, u12);
  host.blas().gemm(stream_,
                   {-1.0, l21, u12, 1.0, a.row_range(g.below_begin.value, g.below_stored)});
  stream_.ref().synchronize();
}

}  // namespace hpl
