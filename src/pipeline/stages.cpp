#include "hpl/pipeline/stages.h"

#include <algorithm>

namespace hpl {

using hpcx::ConstMatrixView;
using hpcx::Event;
using hpcx::MatrixView;
using hpcx::Priority;
using hpcx::StreamRef;

namespace {

std::int64_t steps_to_make(const FactorizationContext& context) {
  const std::int64_t all = step_count(context.matrix.shape());
  const std::int64_t limit = context.settings.step_limit;
  return limit > 0 ? std::min(limit, all) : all;
}

double product_flops(const MatrixView& product, std::int64_t depth) {
  return 2.0 * static_cast<double>(product.rows) * static_cast<double>(product.cols) *
         static_cast<double>(depth);
}

}  // namespace

// The panel is the critical path and the exchange feeds the update: both go before it.
StageStreams::StageStreams(hpcx::Device& device)
    : panel(device.create_stream(Priority::High)),
      transfer(device.create_stream(Priority::High)),
      swap(device.create_stream(Priority::High)),
      update(device.create_stream(Priority::Normal)) {}

Stages::Stages(FactorizationContext context, JobControl& control, Recorder& recorder)
    : context_(std::move(context)),
      control_(control),
      recorder_(recorder),
      steps_(steps_to_make(context_)),
      panel_stream_(context_.streams.panel),
      transfer_stream_(context_.streams.transfer),
      swap_stream_(context_.streams.swap),
      update_stream_(context_.streams.update),
      pivot_column_(context_.grid.column().dup()),
      pivots_(pivot_column_, context_.settings.pivot_wait),
      broadcast_(context_.transports.row, context_.grid.row(), context_.device,
                 context_.spec.broadcast),
      row_exchange_(context_.transports.column, context_.spec, context_.settings.message_wait) {
  const LocalShape& shape = context_.matrix.shape();
  if (steps_ == 0) return;
  const PipelineSettings& settings = context_.settings;
  const auto host_part =
      settings.device_panel ? PanelWorkspace::HostPart::Pivots : PanelWorkspace::HostPart::Message;
  for (auto& slot : slots_)
    slot = std::make_unique<PanelWorkspace>(context_.device, shape, host_part);
  const std::int64_t width = std::min(shape.rows.block(), shape.rows.extent());
  for (int i = 0; i < kSpaces; ++i)
    spaces_.emplace_back(context_.device, width,
                         widest_chunk(shape, context_.settings.chunk_columns),
                         shape.rows.processes() > 1);
  if (settings.device_panel)
    device_panel_.emplace(context_.device, context_.grid, context_.spec,
                          settings.panel_compute_units, settings.panel_groups,
                          PivotRelay(pivot_column_, settings.pivot_wait));
  if (context_.device.shares_host_memory()) touch_workspaces();
}

void Stages::touch_workspaces() {
  const StreamRef stream = update_stream_;
  for (const auto& slot : slots_)
    slot->touch(stream);
  for (const ExchangeSpace& space : spaces_)
    space.touch(stream);
  stream.synchronize();  // should the next call fail, nothing is left that uses the workspaces
  // The BLAS touches its packing buffers as far as a product needs: one of zeros, as deep and high
  // as the largest update.
  PanelWorkspace &a = *slots_[0], &c = *slots_[1];
  for (PanelWorkspace* panel : {&a, &c})
    panel->begin(geometry(0));
  const std::int64_t width = geometry(0).width;
  context_.device.blas().gemm(
      stream, 1.0, a.device_x(), a.l11(false), 1.0,
      {c.device_x().data, c.device_x().rows, width, width, hpcx::Layout::RowMajor});
  stream.synchronize();
}

Stages::~Stages() {
  for (const StreamRef stream : {panel_stream_, transfer_stream_, swap_stream_, update_stream_}) {
    try {
      stream.synchronize();
    } catch (...) {  // the failure has been reported where it arose
    }
  }
}

DevicePanel::Breadth Stages::panel_breadth(std::int64_t step) const {
  // Panel k runs beside the tail update of step k - 1.
  const bool beside_a_large_tail =
      look_ahead() && step > 0 &&
      geometry(step - 1).tail_columns >= context_.settings.narrow_panel_columns;
  return beside_a_large_tail ? DevicePanel::Breadth::Narrow : DevicePanel::Breadth::Wide;
}

std::int64_t Stages::device_bytes(const LocalShape& shape, const PipelineSettings& settings) {
  const std::int64_t width = std::min(shape.rows.block(), shape.rows.extent());
  return kSlots * PanelWorkspace::device_bytes(shape) +
         kSpaces * ExchangeSpace::bytes(width, widest_chunk(shape, settings.chunk_columns),
                                        shape.rows.processes() > 1);
}

std::vector<Chunk> Stages::chunks(std::int64_t step) const {
  return tail_chunks(context_.matrix.shape(), step, look_ahead() && step + 1 < steps_,
                     context_.settings.chunk_columns);
}

Event Stages::fetch(std::int64_t step, const Event& columns_ready) {
  const ScopedSpan span(recorder_, Track::TransferWorker, Phase::PanelTransfer, step);
  PanelWorkspace& panel = slot(step);
  panel.begin(geometry(step));
  const StepGeometry& g = panel.geometry();
  const StreamRef stream = transfer_stream_;
  stream.wait(columns_ready);
  const Event begin = stream.record();
  // The rows of the diagonal block stand at the top of X, on their process row.
  const ConstMatrixView columns = context_.matrix.view().col_range(g.panel_begin.value, g.width);
  const std::int64_t rows = g.top_rows + g.below_stored;
  stream.device().kernels().copy(stream, columns.row_range(g.row_begin.value, rows),
                                 panel.device_x().row_range(g.width - g.top_rows, rows));
  if (!context_.settings.device_panel && !shared_memory())
    stream.copy(panel.host_message(), panel.device_message(),
                static_cast<std::size_t>(panel.message_bytes()));
  const Event end = stream.record();
  recorder_.add({Track::TransferStream, Phase::PanelTransfer, step, 0}, begin, end);
  return end;
}

void Stages::factorize(std::int64_t step, const Event& fetched) {
  const ScopedSpan span(recorder_, Track::PanelWorker, Phase::PanelFactorization, step);
  PanelWorkspace& panel = slot(step);
  if (context_.settings.device_panel)
    factorize_on_device(panel, fetched);
  else
    factorize_on_host(panel, fetched);
}

void Stages::factorize_on_host(PanelWorkspace& panel, const Event& fetched) {
  const bool on_device_threads = &context_.host == &context_.device;
  if (!on_device_threads) fetched.synchronize();
  const hpcx::Stream own_stream =
      on_device_threads ? hpcx::Stream(nullptr) : context_.host.create_stream(Priority::High);
  const StreamRef stream = on_device_threads ? panel_stream_ : own_stream.ref();
  if (on_device_threads) stream.wait(fetched);

  const RunSpec& spec = context_.spec;
  const std::int64_t step = panel.geometry().step;
  stream.host_task([&, this] {
    const double begin = recorder_.now();
    double exchange_seconds = 0;
    const HostPanelProblem problem{.x = panel.host_x(),
                                   .geometry = panel.geometry(),
                                   .rows = context_.matrix.shape().rows,
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
    factorize_panel(problem, sweep, team, context_.grid.rows() > 1 ? &pivots_ : nullptr,
                    &exchange_seconds);
    recorder_.add({Track::PanelStream, Phase::PanelFactorization, step, 0, begin, recorder_.now()});
    if (exchange_seconds > 0)
      recorder_.add(
          {Track::PanelWorker, Phase::PanelExchange, step, 0, begin, begin + exchange_seconds});
  });
  stream.record().synchronize();
  if (!on_device_threads)
    panel_stream_.copy(panel.device_message(), panel.host_message(),
                       static_cast<std::size_t>(panel.message_bytes()));
}

void Stages::factorize_on_device(PanelWorkspace& panel, const Event& fetched) {
  const StreamRef stream = panel_stream_;
  const StepGeometry& g = panel.geometry();
  stream.wait(fetched);
  const Event begin = stream.record();
  device_panel_->factorize(stream, panel, panel_breadth(g.step));
  const Event end = stream.record();
  recorder_.add({Track::PanelStream, Phase::PanelFactorization, g.step, 0}, begin, end);
  // The host plans the row exchange from the pivots.
  stream.copy(panel.host_message(), panel.device_message(),
              static_cast<std::size_t>(panel.header_bytes()));
  device_panel_->relay();
  stream.synchronize();
  device_panel_->translate(panel);
}

void Stages::start_broadcast(std::int64_t step) {
  PanelWorkspace& panel = slot(step);
  const StepGeometry g = geometry(step);
  if (!g.on_owner_column) panel.begin(g);
  // Where host and device share memory, header and matrix are one message.
  const std::span<std::byte> message(panel.device_message(),
                                     static_cast<std::size_t>(panel.message_bytes()));
  const std::span<std::byte> header(panel.host_message(),
                                    static_cast<std::size_t>(panel.header_bytes()));
  broadcast_.start(panel_stream_,
                   shared_memory()
                       ? PanelBroadcast::Message{{}, message}
                       : PanelBroadcast::Message{header, message.subspan(static_cast<std::size_t>(
                                                             panel.matrix_offset()))},
                   g.owner_column);
}

void Stages::finish_broadcast(std::int64_t step) {
  broadcast_.finish(context_.settings.message_wait);
  if (!shared_memory()) panel_stream_.synchronize();
  const std::int64_t zero = *slot(step).zero_column();
  if (zero >= 0 && !zero_pivot_column_) zero_pivot_column_ = zero;
}

Event Stages::place(std::int64_t step) {
  const ScopedSpan span(recorder_, Track::TransferWorker, Phase::PanelTransfer, step);
  PanelWorkspace& panel = slot(step);
  const StepGeometry& g = panel.geometry();
  const RunSpec& spec = context_.spec;
  hpcx::Kernels& kernels = context_.device.kernels();
  const StreamRef stream = transfer_stream_;
  const Event begin = stream.record();
  panel.exchange().assign(stream, plan_row_exchange(permutation_of(panel.pivots(), g.first),
                                                    context_.matrix.shape().rows, g.first));
  const ConstMatrixView square = panel.l11_u11();
  if (context_.settings.solve_rows > 0)
    kernels.invert_unit_lower(stream, square, panel.l11(spec.transposed_l1));
  else
    kernels.copy(stream, square, panel.l11(spec.transposed_l1));
  if (g.on_owner_row && g.on_owner_column)  // U11, for the back substitution
    kernels.copy(
        stream, square,
        context_.matrix.view().block(g.row_begin.value, g.panel_begin.value, g.width, g.width));
  const Event end = stream.record();
  recorder_.add({Track::TransferStream, Phase::PanelTransfer, step, 0}, begin, end);
  return end;
}

namespace {

/// C := M B for lower triangular M, which is zero above its diagonal: rows of C in parts, each the
/// product with the columns of M that are not all zero there.
void multiply_lower(StreamRef stream, ConstMatrixView m, ConstMatrixView b, MatrixView c,
                    std::int64_t part) {
  for (std::int64_t i = 0; i < m.rows; i += part) {
    const std::int64_t rows = std::min(part, m.rows - i);
    stream.device().blas().gemm(stream, 1.0, m.block(i, 0, rows, i + rows),
                                b.row_range(0, i + rows), 0.0, c.row_range(i, rows));
  }
}

}  // namespace

MatrixView Stages::solved_rows(const StepGeometry& g, const Chunk& chunk,
                               const ExchangeSpace& space) const {
  if (g.on_owner_row)
    return context_.matrix.view().block(g.row_begin.value, chunk.begin.value, g.width,
                                        chunk.columns);
  // A product is not made in place, but over the messages, which have been read by then.
  const bool in_one_product = context_.settings.solve_rows > 0 &&
                              row_exchange_.solve_place(chunk.columns) == SolvePlace::Everywhere;
  return in_one_product ? space.u12(g.width, chunk.columns)
                        : space.u(g.width, chunk.columns, context_.spec.transposed_u);
}

void Stages::solve(const PanelWorkspace& panel, MatrixView u, MatrixView u12) {
  const StreamRef stream = swap_stream_;
  const ConstMatrixView l11 = panel.l11(context_.spec.transposed_l1);
  if (context_.settings.solve_rows > 0)
    return multiply_lower(stream, l11, u, u12, context_.settings.solve_rows);
  context_.device.blas().trsm(stream, hpcx::Triangle::Lower, hpcx::Diagonal::Unit, l11, u);
  if (u.data != u12.data) context_.device.kernels().copy(stream, u, u12);
}

Event Stages::swap_and_solve(std::int64_t step, std::int64_t chunk_number, const Chunk& chunk,
                             int space_number, const std::vector<Event>& after) {
  const ScopedSpan span(recorder_, Track::SwapWorker, Phase::RowSwap, step, chunk_number);
  const PanelWorkspace& panel = slot(step);
  const StepGeometry& g = panel.geometry();
  const ExchangeSpace& space = spaces_[static_cast<std::size_t>(space_number)];
  const StreamRef stream = swap_stream_;
  for (const Event& event : after)
    stream.wait(event);

  Event last = stream.record();
  const auto end_of = [&](Phase phase) {
    const Event end = stream.record();
    recorder_.add({Track::SwapStream, phase, step, chunk_number}, last, end);
    last = end;
  };
  // U12 = L11^-1 U
  row_exchange_.run(stream, context_.matrix.view().col_range(chunk.begin.value, chunk.columns),
                    panel.exchange(), space, solved_rows(g, chunk, space),
                    [&](MatrixView u, MatrixView u12) {
                      end_of(Phase::RowSwap);
                      solve(panel, u, u12);
                      end_of(Phase::Solve);
                    });
  if (row_exchange_.solve_place(chunk.columns) == SolvePlace::Divided) end_of(Phase::RowSwap);
  return last;
}

Event Stages::update(std::int64_t step, std::int64_t chunk_number, const Chunk& chunk,
                     int space_number, const Event& solved) {
  const ScopedSpan span(recorder_, Track::UpdateWorker, Phase::Multiply, step, chunk_number);
  const PanelWorkspace& panel = slot(step);
  const StepGeometry& g = panel.geometry();
  const MatrixView below = context_.matrix.view().block(g.below_begin.value, chunk.begin.value,
                                                        g.below_stored, chunk.columns);
  const ConstMatrixView u12 =
      solved_rows(g, chunk, spaces_[static_cast<std::size_t>(space_number)]);
  const StreamRef stream = update_stream_;
  stream.wait(solved);
  const Event begin = stream.record();
  // A22 -= L21 U12
  context_.device.blas().gemm(stream, -1.0, panel.l21(), u12, 1.0, below);
  const Event end = stream.record();
  Span span_of_product{Track::UpdateStream, Phase::Multiply, step, chunk_number};
  span_of_product.flops = product_flops(below, g.width);
  recorder_.add(span_of_product, begin, end);
  if (context_.checksums == nullptr) return end;
  context_.checksums->updated(stream, g, chunk);
  return stream.record();
}

}  // namespace hpl
