#include "hpl/base/error/error.h"
#include "hpl/lu/pipeline/stages.h"

namespace hpl {

using hpcx::ConstMatrixView;
using hpcx::Event;
using hpcx::MatrixView;
using hpcx::Priority;
using hpcx::StreamRef;

// Of a panel: from the matrix, factorized, along the process row, and what follows from it.

void Stages::fetch(const Task& task, StreamRef stream) {
  PanelWorkspace& panel = panel_of(task);
  panel.begin(geometry(task));
  const StepGeometry& g = panel.geometry();
  // The rows of the diagonal block stand at the top of X, on their process row.
  const std::int64_t rows = g.top_rows + g.below_stored;
  stream.device().kernels().copy(
      stream, columns_of(task).row_range(g.row_begin.value, rows),
      panel.device_x()
          .row_range(g.width - g.top_rows, rows)
          .col_range(task.columns.begin.value - g.panel_begin.value, task.columns.count));
  const bool complete = task.columns.end() == g.panel_begin.value + g.width;
  if (complete && !context_.settings.device_panel && !shared_memory())
    stream.copy(panel.host_message(), panel.device_message(),
                static_cast<std::size_t>(panel.message_bytes()));
}

void Stages::factorize_on_host(const Task& task, StreamRef stream) {
  PanelWorkspace& panel = panel_of(task);
  const bool apart = factorized_beside_device(task.kind);
  const hpcx::Stream own_stream =
      apart ? context_.host.create_stream(Priority::High) : hpcx::Stream(nullptr);
  const StreamRef host_stream = apart ? own_stream.ref() : stream;

  const RunSpec& spec = system_.spec;
  host_stream.host_task([&, this] {
    const double begin = context_.recorder.now();
    double exchange_seconds = 0;
    const HostPanelProblem problem{.x = panel.host_x(),
                                   .geometry = panel.geometry(),
                                   .rows = system_.matrix.shape().rows,
                                   .pivots = panel.pivots(),
                                   .zero_column = panel.zero_column()};
    const PanelSweep sweep{spec.recursive_variant, spec.recursion_divisor, spec.recursion_stop,
                           spec.panel_variant};
    hpcx::Device& host = context_.host;
    const PanelTeam team{
        host.properties().compute_units,
        [&host](std::int64_t count, const std::function<void(std::int64_t)>& body) {
          host.parallel_for(count, body);
        }};
    factorize_panel(problem, sweep, team, system_.grid.rows() > 1 ? &pivots_ : nullptr,
                    &exchange_seconds);
    context_.recorder.add({Track::PanelStream, Phase::PanelFactorization, task.step, 0, begin,
                           context_.recorder.now()});
    if (exchange_seconds > 0)
      context_.recorder.add({Track::PanelWorker, Phase::PanelExchange, task.step, 0, begin,
                             begin + exchange_seconds});
  });
  host_stream.record().synchronize();
  if (apart) {
    const Event begin = stream.record();
    stream.copy(panel.device_message(), panel.host_message(),
                static_cast<std::size_t>(panel.message_bytes()));
    context_.recorder.add({Track::PanelStream, Phase::PanelFactorization, task.step}, begin,
                          stream.record());
  }
}

void Stages::factorize_on_device(const Task& task, StreamRef stream) {
  PanelWorkspace& panel = panel_of(task);
  const bool beside_a_large_tail =
      task.overlapped_columns > 0 &&
      task.overlapped_columns >= context_.settings.narrow_panel_columns;
  device_panel_->factorize(
      stream, panel,
      beside_a_large_tail ? DevicePanel::PanelWidth::Narrow : DevicePanel::PanelWidth::Wide);
  // The host plans the row exchange from the pivots.
  stream.copy(panel.host_message(), panel.device_message(),
              static_cast<std::size_t>(panel.header_bytes()));
  device_panel_->proxy();
  const Event pivots_here = stream.record();
  if (inverts_at_once()) {
    prepare_l11(task, stream);
    Inverse& inverse = inverses_[static_cast<std::size_t>(task.panel)];
    inverse = {pivots_here, stream.record()};
    context_.recorder.add({Track::PanelStream, traits(TaskKind::Prepare).phase, task.step},
                          inverse.begin, inverse.end);
  }
  mpi::await_soon(pivots_here, context_.device, message_wait_);
  device_panel_->translate(panel);
}

void Stages::start_broadcast(const Task& task, StreamRef stream) {
  PanelWorkspace& panel = panel_of(task);
  const StepGeometry g = geometry(task);
  if (!g.on_owner_column) panel.begin(g);
  const std::span<std::byte> message(panel.device_message(),
                                     static_cast<std::size_t>(panel.message_bytes()));
  // If host and device share memory, header and matrix are one message.
  if (shared_memory()) return broadcast_.start(stream, {{}, message}, g.owner_column);
  const std::span<std::byte> header(panel.host_message(),
                                    static_cast<std::size_t>(panel.header_bytes()));
  // A panel that the host has made is there already, where a way through hosts begins.
  std::byte* const on_host =
      context_.settings.device_panel ? nullptr : panel.host_message() + panel.matrix_offset();
  broadcast_.start(
      stream, {header, message.subspan(static_cast<std::size_t>(panel.matrix_offset())), on_host},
      g.owner_column);
}

void Stages::finish_broadcast(const Task& task, StreamRef stream) {
  broadcast_.finish(message_wait_);
  // Alone, nothing has been sent.
  if (!shared_memory() && system_.grid.columns() > 1) stream.synchronize();
  const std::int64_t zero = *panel_of(task).zero_column();
  if (zero >= 0 && !zero_pivot_column_) zero_pivot_column_ = zero;
}

bool Stages::inverts_at_once() const {
  return context_.settings.device_panel && system_.grid.columns() == 1;
}

bool Stages::ends_before_inverse(TaskKind kind) const {
  const bool of_panel = kind == TaskKind::Factorize || kind == TaskKind::StartBroadcast ||
                        kind == TaskKind::FinishBroadcast;
  return of_panel && inverts_at_once();
}

void Stages::prepare_l11(const Task& task, StreamRef stream) {
  const PanelWorkspace& panel = panel_of(task);
  hpcx::Kernels& kernels = context_.device.kernels();
  const MatrixView l11 = panel.l11(system_.spec.transposed_l1);
  if (context_.settings.solve_rows > 0)
    kernels.invert_unit_lower(stream, panel.l11_u11(), l11);
  else
    kernels.copy(stream, panel.l11_u11(), l11);
  product_->prepare_l11(stream, task.panel, l11);
}

void Stages::prepare(const Task& task, StreamRef stream) {
  PanelWorkspace& panel = panel_of(task);
  const StepGeometry& g = panel.geometry();
  const ConstMatrixView square = panel.l11_u11();
  if (!inverts_at_once()) prepare_l11(task, stream);
  // U11, for the back substitution; to columns in host memory by a task of its own.
  if (g.on_owner_row && g.on_owner_column &&
      g.panel_begin.value >= system_.matrix.visited_columns())
    context_.device.kernels().copy(
        stream, square,
        system_.matrix.resident(task.columns).row_range(g.row_begin.value, g.width));
  product_->prepare_l21(stream, task.panel, panel.l21());
  // Last: the host finds the exchange while the device is at work on the above.
  panel.exchange().assign(stream, plan_row_exchange(permutation_of(panel.pivots(), g.first),
                                                    system_.matrix.shape().rows, g.first));
}

void Stages::store_diagonal(const Task& task, StreamRef stream) {
  const PanelWorkspace& panel = panel_of(task);
  const StepGeometry& g = panel.geometry();
  if (g.on_owner_row)
    system_.matrix.store_diagonal(stream, task.columns, {g.row_begin, g.width}, panel.l11_u11());
}

/// For panels that the host has not made itself.
void Stages::store_panel(const Task& task, StreamRef stream) {
  const PanelWorkspace& panel = panel_of(task);
  const bool made_here = panel.geometry().on_owner_column && !context_.settings.device_panel;
  if (shared_memory() || made_here || !division_->host_needs(task.step)) return;
  const std::int64_t offset = panel.matrix_offset();
  stream.copy(panel.host_message() + offset, panel.device_message() + offset,
              static_cast<std::size_t>(panel.message_bytes() - offset));
}

}  // namespace hpl
