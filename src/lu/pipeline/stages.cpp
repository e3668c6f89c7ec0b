#include "hpl/lu/pipeline/stages.h"

#include "hpl/base/error/error.h"
#include "hpl/lu/update/tail_chunks.h"

namespace hpl {

using hpcx::ConstMatrixView;
using hpcx::Event;
using hpcx::MatrixView;
using hpcx::StreamRef;

namespace {

PanelWorkspace::HostPart host_part_of(const PipelineSettings& settings) {
  return settings.device_panel && !settings.schedule.host_takes_part
             ? PanelWorkspace::HostPart::Pivots
             : PanelWorkspace::HostPart::Message;
}

ProductLimits product_limits(const LocalShape& shape, const PipelineSettings& settings) {
  const SchedulePolicy& policy = settings.schedule;
  return {.panels = panel_workspaces(policy),
          .chunks = kExchangeBuffers,
          .rows = shape.stored_rows,
          .columns = widest_chunk(shape, policy),
          .depth = panel_width(shape),
          .solve_rows = settings.solve_rows};
}

Schedule schedule_of(const LinearSystem& system, const PipelineSettings& settings) {
  SchedulePolicy policy = settings.schedule;
  policy.fetcher_updates = fetcher_updates(system.spec, policy, settings.device_panel);
  return lu_schedule(system.spec, system.shape(), policy);
}

bool cores_idle(const PipelineSettings& settings) {
  return settings.device_panel && !settings.schedule.host_takes_part;
}

}  // namespace

Stages::Stages(LinearSystem& system, const FactorizationContext& context,
               std::function<void()> load_u)
    : FactorizationStages(context, system.shape(), system.streams,
                          schedule_of(system, context.settings), cores_idle(context.settings)),
      system_(system),
      load_u_(std::move(load_u)),
      pivot_column_(system_.grid.column().dup()),
      pivots_(pivot_column_, context_.pivot_wait()),
      broadcast_(context_.transports.row, system_.grid.row(), context_.device,
                 system_.spec.broadcast),
      row_exchange_(context_.transports.column, system_.spec, message_wait_) {
  if (schedule_.size() == 0) return;
  const PipelineSettings& settings = context_.settings;
  for (int i = 0; i < panel_workspaces(settings.schedule); ++i)
    panels_.push_back(
        std::make_unique<PanelWorkspace>(context_.device, shape_, host_part_of(settings)));
  inverses_.resize(panels_.size());
  for (int i = 0; i < kExchangeBuffers; ++i)
    buffers_.emplace_back(context_.device, panel_width(shape_),
                          widest_chunk(shape_, settings.schedule), shape_.rows.processes() > 1);
  expose_workspaces();
  product_ =
      make_product(context_.device, product_limits(shape_, settings), settings.emulated_moduli);
  if (settings.device_panel)
    device_panel_.emplace(context_.device, system_.grid, system_.spec, settings.panel_compute_units,
                          settings.panel_groups, PivotProxy(pivot_column_, context_.pivot_wait()));
  if (settings.schedule.host_takes_part) {
    HPL_ASSERT(!system_.checksums && settings.emulated_moduli == 0);
    division_.emplace(schedule_, settings.host_share);
    host_update_.emplace(context_.host, system_.matrix, system_.spec, system_.grid.column(),
                         visited_part(shape_, settings.schedule.visits).slot_columns,
                         message_wait_);
  }
  touch_workspaces();
  if (!system_.streams.load) return;
  // In their own stream: what a GPU's stream records after a copy may wait for later copies of
  // others, and so would the first product in the stream of updates.
  const StreamRef load = *system_.streams.load;
  for (const Task& task : schedule_.tasks())
    if (task.in_slot_at_start) system_.matrix.load(load, task.columns, task.rows, task.slot);
  load.synchronize();
}

void Stages::expose_workspaces() {
  std::vector<const hpcx::Buffer*> memory;
  for (const auto& panel : panels_)
    memory.push_back(&panel->device_memory());
  exposed_panels_ = context_.transports.row.expose(memory);
  memory.clear();
  for (const ExchangeBuffers& buffers : buffers_)
    memory.push_back(&buffers.message_memory());
  exposed_buffers_ = context_.transports.column.expose(memory);
}

void Stages::touch_workspaces() {
  const StreamRef stream = system_.streams.update;
  for (const auto& panel : panels_)
    panel->touch(stream);
  for (const ExchangeBuffers& buffer : buffers_)
    buffer.touch(stream);
  stream.synchronize();  // should the next call fail, nothing is left that uses the workspaces
  // The BLAS touches its packing buffers as far as a product needs: one of zeros, as deep and high
  // as the largest update. On other devices each stream has a BLAS of its own, and the first
  // product with it takes longer.
  const StepGeometry first = step_geometry(system_.matrix.shape(), 0);
  PanelWorkspace &a = *panels_[0], &c = *panels_[1];
  for (PanelWorkspace* panel : {&a, &c})
    panel->begin(first);
  const StageStreams& streams = system_.streams;
  const StreamRef all[] = {stream, streams.panel, streams.transfer, streams.swap};
  const MatrixView result{c.device_x().data, c.device_x().rows, first.width, first.width,
                          hpcx::Layout::RowMajor};
  for (const StreamRef each : std::span(all).first(shared_memory() ? 1 : std::size(all))) {
    context_.device.blas().gemm(each, {1.0, a.device_x(), a.l11(false), 1.0, result});
    each.synchronize();
  }
  if (shared_memory()) return touch_packed_operands(stream, a.l21());
  if (context_.settings.emulated_moduli == 0) return;
  // Loads the kernels of emulated products, and lets the device choose among them.
  const auto columns =
      std::min(first.width, product_limits(system_.matrix.shape(), context_.settings).columns);
  if (a.l21().empty() || columns == 0) return;
  product_->prepare_l21(stream, 0, a.l21());
  product_->prepare_u12(stream, 0, a.l11(false).col_range(0, columns));
  product_->subtract(
      stream, 0, 0,
      {c.device_x().data, a.l21().rows, columns, first.width, hpcx::Layout::RowMajor});
  stream.synchronize();
}

void Stages::touch_packed_operands(StreamRef stream, ConstMatrixView l21) {
  if (context_.settings.emulated_moduli > 0 || system_.matrix.visited_columns() > 0) return;
  const std::int64_t columns = widest_chunk(shape_, context_.settings.schedule);
  const ConstMatrixView u12 = buffers_[0].u(l21.cols, columns, system_.spec.transposed_u);
  const MatrixView a22 = system_.matrix.view().block(0, 0, l21.rows, columns);
  context_.device.blas().gemm(stream, {0.0, l21, u12, 1.0, a22});
  stream.synchronize();
}

MemoryAccount Stages::memory(const LocalShape& shape, const PipelineSettings& settings,
                             bool shares_host_memory) {
  const SchedulePolicy& policy = settings.schedule;
  MemoryAccount account;
  account.panels = panel_workspaces(policy) *
                   PanelWorkspace::bytes(shape, host_part_of(settings), shares_host_memory);
  account.exchange.device =
      kExchangeBuffers * ExchangeBuffers::bytes(panel_width(shape), widest_chunk(shape, policy),
                                                shape.rows.processes() > 1);
  account.product.device =
      product_bytes(product_limits(shape, settings), settings.emulated_moduli, shares_host_memory);
  if (policy.host_takes_part && shares_host_memory)
    account.exchange.device +=
        HostUpdate::bytes(shape, visited_part(shape, policy.visits).slot_columns);
  return account;
}

Event Stages::run(const Task& whole, std::span<const Event> after) {
  Task task = whole;
  if (task.visit != kNotDivided) task.columns = division_->part(task);
  if (task.kind == TaskKind::HostUpdate) {
    for (const Event& event : after)
      event.synchronize();
    update_by_host(task);
    return {};
  }
  const StreamRef stream = system_.streams.of(task.worker);
  const bool on_host = traits(task.kind).on_host || factorized_beside_device(task.kind);
  const bool is_last = task.kind == TaskKind::Finish && task.step == steps() - 1;
  for (const Event& event : after) {
    if (is_last)
      mpi::await_soon(event, context_.device, message_wait_);
    else if (on_host)
      event.synchronize();
    else
      stream.wait(event);
  }
  if (task.kind == TaskKind::Finish) {
    if (division_) division_->device_did(task.step, context_.recorder.now());
    finish(task);
    return {};
  }
  if (task.visit != kNotDivided && task.columns.count == 0) return stream.record();
  const Event end = record(task, stream, timed_by_events(task.kind), [&] {
    carry_out(task, stream);
    return ends_before_inverse(task.kind) ? inverses_[static_cast<std::size_t>(task.panel)].begin
                                          : stream.record();
  });
  if (task.kind != TaskKind::Update || !system_.checksums) return end;
  system_.checksums->updated(stream, geometry(task), task.columns, columns_of(task), task.panel);
  return stream.record();
}

bool Stages::factorized_beside_device(TaskKind kind) const {
  return kind == TaskKind::Factorize && !context_.settings.device_panel &&
         &context_.host != &context_.device;
}

bool Stages::timed_by_events(TaskKind kind) const {
  return is_work_of_a_stream(traits(kind).phase) &&
         (kind != TaskKind::Factorize || context_.settings.device_panel);
}

void Stages::carry_out(const Task& task, StreamRef stream) {
  switch (task.kind) {
    case TaskKind::Fetch:
      return fetch(task, stream);
    case TaskKind::Factorize:
      return context_.settings.device_panel ? factorize_on_device(task, stream)
                                            : factorize_on_host(task, stream);
    case TaskKind::StartBroadcast:
      return start_broadcast(task, stream);
    case TaskKind::FinishBroadcast:
      return finish_broadcast(task, stream);
    case TaskKind::Prepare:
      return prepare(task, stream);
    case TaskKind::Swap:
      return swap(task, stream);
    case TaskKind::Solve:
      return solve(task, stream);
    case TaskKind::AllGather:
      return all_gather(task, stream);
    case TaskKind::Update:
      return update(task, stream);
    case TaskKind::Load:
      if (task.in_slot_at_start) return;
      return system_.matrix.load(stream, task.columns, task.rows, task.slot);
    case TaskKind::Store:
      return system_.matrix.store(stream, task.columns, task.rows, task.slot);
    case TaskKind::StoreDiagonal:
      return store_diagonal(task, stream);
    case TaskKind::LoadU:
      return load_u_();
    case TaskKind::StorePanel:
      return store_panel(task, stream);
    case TaskKind::HostUpdate:
    case TaskKind::Finish:
      break;  // nothing for a stream, see run()
  }
}

void Stages::swap(const Task& task, StreamRef stream) {
  row_exchange_.exchange(stream, columns_of(task), panel_of(task).exchange().on_device(),
                         buffer_of(task));
}

void Stages::solve(const Task& task, StreamRef stream) {
  const PanelWorkspace& panel = panel_of(task);
  if (inverts_at_once()) stream.wait(inverses_[static_cast<std::size_t>(task.panel)].end);
  const ConstMatrixView l11 = panel.l11(system_.spec.transposed_l1);
  for (const auto& [u, u12] : row_exchange_.to_solve(
           task.columns.count, panel.exchange().on_device(), buffer_of(task), u12_of(task)))
    product_->solve(stream, task.panel, task.buffer, {l11, u, u12, context_.settings.solve_rows});
  if (row_exchange_.solve_site(task.columns.count) == SolveSite::Everywhere)
    product_->prepare_u12(stream, task.buffer, u12_of(task));
}

void Stages::all_gather(const Task& task, StreamRef stream) {
  // Of a visit that is divided, too few columns may be left to be solved in parts.
  if (row_exchange_.solve_site(task.columns.count) == SolveSite::Everywhere) return;
  row_exchange_.all_gather(stream, panel_of(task).exchange().on_device(), buffer_of(task),
                           u12_of(task));
  product_->prepare_u12(stream, task.buffer, u12_of(task));
}

MatrixView Stages::u12_of(const Task& task) const {
  const StepGeometry g = geometry(task);
  const std::int64_t columns = task.columns.count;
  if (g.on_owner_row) return columns_of(task).row_range(g.row_begin.value, g.width);
  // A product is not made in place, but over the messages, which have been read by then.
  const bool in_one_product = context_.settings.solve_rows > 0 &&
                              row_exchange_.solve_site(columns) == SolveSite::Everywhere;
  return in_one_product ? buffer_of(task).u12(g.width, columns)
                        : buffer_of(task).u(g.width, columns, system_.spec.transposed_u);
}

void Stages::update(const Task& task, StreamRef stream) {
  const StepGeometry g = geometry(task);
  product_->subtract(stream, task.panel, task.buffer,
                     columns_of(task).row_range(g.below_begin.value, g.below_stored));
}

void Stages::update_by_host(const Task& task) {
  const double begin = context_.recorder.now();
  double flops = 0;
  if (task.columns.count > 0) {
    const ScopedSpan span(context_.recorder, Track::HostWorker, Phase::HostUpdate, task.step,
                          task.visit);
    host_update_->eliminate(panel_of(task), task.columns);
    flops = update_flops(geometry(task), task.columns.count);
  }
  const double end = context_.recorder.now();
  division_->host_did(task, flops > 0 ? end - begin : 0, flops, end);
}

std::optional<HostWork> Stages::host_work() const {
  if (!division_) return std::nullopt;
  return division_->work();
}

}  // namespace hpl
