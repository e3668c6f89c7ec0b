#include "hpl/lu/mixed/mixed_stages.h"

#include <algorithm>
#include <array>
#include <utility>

#include "hpl/base/error/error.h"
#include "hpl/lu/mixed/inverse_product.h"
#include "hpl/lu/update/tail_chunks.h"

namespace hpl {

using hpcx::Buffer;
using hpcx::DiagonalResult;
using hpcx::Event;
using hpcx::MixedView;
using hpcx::StreamRef;

namespace {

std::int64_t panel_elements(const LocalShape& shape) {
  return panel_width(shape) * (panel_width(shape) + shape.stored_rows);
}

std::int64_t widest_chunk_of(const LocalShape& shape, const SchedulePolicy& policy) {
  return std::max(widest_chunk(shape, policy), std::min(panel_width(shape), shape.stored_columns));
}

Buffer allocate(hpcx::Device& device, std::int64_t elements, hpcx::Precision precision) {
  return device.allocate(
      static_cast<std::size_t>(round_up(elements * hpcx::bytes_of(precision), 256)));
}

}  // namespace

/// A panel that is made here or arrives: L11^-1, then s L21.
struct MixedStages::Panel {
  Buffer message;
  Buffer converted;          // A21 in the format of products
  Buffer result, host_copy;  // of DiagonalResult: on the device; on the host, the header

  DiagonalResult& header() const { return *host_copy.as<DiagonalResult>(); }
};

/// Rows of U12, and A12 in the format of products.
struct MixedStages::Chunk {
  Buffer u12, converted;
};

MixedStages::MixedStages(MixedSystem& system, const PanelColumn& panel_column,
                         const FactorizationContext& context)
    : FactorizationStages(context, system.shape, system.streams,
                          lu_schedule(system.spec, system.shape, context.settings.schedule),
                          !system.device.shares_host_memory()),
      system_(system),
      spec_(*system.spec.mixed),
      row_(context_.transports.row, system.grid.row(), system.device, system.spec.broadcast),
      column_(context_.transports.column, system.grid.column(), system.device,
              BroadcastVariant::Long),
      panel_column_(panel_column.transport, panel_column.ranks, system.device,
                    BroadcastVariant::Long),
      scales_(static_cast<std::size_t>(step_count(system.shape)), 1.0F) {
  hpcx::Device& device = system_.device;
  const LocalShape& shape = system_.shape;
  const SchedulePolicy& policy = context_.settings.schedule;
  if (schedule_.size() == 0) return;
  const std::int64_t width = panel_width(shape);
  for (int i = 0; i < panel_workspaces(policy); ++i) {
    panels_.push_back(std::make_unique<Panel>());
    Panel& panel = *panels_.back();
    panel.message = allocate(device, panel_elements(shape), spec_.operands);
    if (converts()) panel.converted = allocate(device, width * shape.stored_rows, spec_.operands);
    panel.result = device.allocate(sizeof(DiagonalResult));
    panel.host_copy = device.allocate_pinned(sizeof(DiagonalResult));
    panel.header() = {};
  }
  for (int i = 0; i < kExchangeBuffers; ++i) {
    chunks_.push_back(std::make_unique<Chunk>());
    const std::int64_t elements = width * widest_chunk_of(shape, policy);
    chunks_.back()->u12 = allocate(device, elements, spec_.operands);
    if (converts()) chunks_.back()->converted = allocate(device, elements, spec_.operands);
  }
  // A message stays as it is until the next has been sent.
  for (int i = 0; i < 2; ++i)
    upper_inverses_.push_back(allocate(device, width * width, spec_.operands));
  workspace_ = device.allocate(static_cast<std::size_t>(hpcx::diagonal_workspace_bytes(width)));
  expose_workspaces(panel_column.transport);
  touch_workspaces();
}

MemoryAccount MixedStages::memory(const LocalShape& shape, const MixedSpec& spec,
                                  const PipelineSettings& settings, bool shares_host_memory) {
  const SchedulePolicy& policy = settings.schedule;
  const std::int64_t width = panel_width(shape), element = hpcx::bytes_of(spec.operands);
  const bool converts = spec.storage != spec.operands;
  const auto header = static_cast<std::int64_t>(sizeof(DiagonalResult));
  MemoryAccount account;
  const std::int64_t panel = round_up(panel_elements(shape) * element, 256) +
                             (converts ? round_up(width * shape.stored_rows * element, 256) : 0) +
                             header;
  account.panels =
      panel_workspaces(policy) * (MemoryBytes{panel, 0} + pinned_bytes(header, shares_host_memory));
  account.exchange.device = kExchangeBuffers * (converts ? 2 : 1) *
                            round_up(width * widest_chunk_of(shape, policy) * element, 256);
  account.panel_solver.device =
      hpcx::diagonal_workspace_bytes(width) + 2 * round_up(width * width * element, 256);
  return account;
}

void MixedStages::expose_workspaces(Transport& panel_column) {
  std::vector<const Buffer*> memory;
  for (const auto& panel : panels_)
    memory.push_back(&panel->message);
  exposed_.push_back(context_.transports.row.expose(memory));
  memory.clear();
  for (const auto& chunk : chunks_)
    memory.push_back(&chunk->u12);
  exposed_.push_back(context_.transports.column.expose(memory));
  memory.clear();
  for (const Buffer& inverse : upper_inverses_)
    memory.push_back(&inverse);
  exposed_.push_back(panel_column.expose(memory));
}

/// Host memory is there after its first touch, a BLAS after its first product in a stream.
void MixedStages::touch_workspaces() {
  const StageStreams& streams = system_.streams;
  const StreamRef update = streams.update;
  hpcx::Kernels& kernels = system_.device.kernels();
  for (const auto& panel : panels_)
    for (const Buffer* memory : {&panel->message, &panel->converted})
      kernels.clear(update, *memory);
  for (const auto& chunk : chunks_)
    for (const Buffer* memory : {&chunk->u12, &chunk->converted})
      kernels.clear(update, *memory);
  for (const Buffer& inverse : upper_inverses_)
    kernels.clear(update, inverse);
  kernels.clear(update, workspace_);
  update.synchronize();
  const std::int64_t width = panel_width(system_.shape);
  const MixedView a = operand(panels_[0]->message, width, width),
                  c = operand(panels_[1]->message, width, width);
  for (const StreamRef stream : {update, streams.panel.ref(), streams.swap.ref()}) {
    system_.arithmetic.gemm(stream, {1, a, a, 0, c});
    stream.synchronize();
  }
}

MixedStages::~MixedStages() {
  synchronize();
}

MixedView MixedStages::operand(const Buffer& memory, std::int64_t rows, std::int64_t cols) const {
  return {memory.as<void>(), spec_.operands, rows, cols, cols, hpcx::Layout::RowMajor};
}

Event MixedStages::run(const Task& task, std::span<const Event> after) {
  const StreamRef stream = system_.streams.of(task.worker);
  for (const Event& event : after) {
    if (traits(task.kind).on_host)
      event.synchronize();
    else
      stream.wait(event);
  }
  if (task.kind == TaskKind::Finish) {
    finish(task);
    return {};
  }
  return record(task, stream, is_work_of_a_stream(traits(task.kind).phase), [&] {
    carry_out(task, stream);
    return stream.record();
  });
}

void MixedStages::carry_out(const Task& task, StreamRef stream) {
  switch (task.kind) {
    case TaskKind::Fetch:
      return fetch(task, stream);
    case TaskKind::Factorize:
      return factorize(task, stream);
    case TaskKind::StartBroadcast:
      return start_broadcast(task, stream);
    case TaskKind::FinishBroadcast:
      return finish_broadcast(task, stream);
    case TaskKind::Prepare:
      return prepare(task, stream);
    case TaskKind::Solve:
      return solve(task, stream);
    case TaskKind::AllGather:
      return all_gather(task, stream);
    case TaskKind::Update:
      return update(task, stream);
    case TaskKind::Swap:    // no rows change places
    case TaskKind::Finish:  // nothing for a stream, see run()
      return;
    default:
      HPL_ASSERT(!"a task of a matrix that is always on the device");
  }
}

void MixedStages::fetch(const Task& task, StreamRef stream) {
  if (!converts()) return;
  const StepGeometry g = geometry(task);
  system_.arithmetic.convert(
      stream, below(g, task.columns),
      operand(panels_[static_cast<std::size_t>(task.panel)]->converted, g.below_stored, g.width));
}

void MixedStages::factorize(const Task& task, StreamRef stream) {
  Panel& panel = *panels_[static_cast<std::size_t>(task.panel)];
  hpcx::MixedPrecision& arithmetic = system_.arithmetic;
  const StepGeometry g = geometry(task);
  const Buffer& inverse = upper_inverses_[panels_made_++ % upper_inverses_.size()];
  const MixedView upper = operand(inverse, g.width, g.width);
  if (g.on_owner_row) {
    arithmetic.factorize_diagonal(
        stream,
        {system_.local({g.row_begin, g.width}, task.columns), workspace_.as<void>(),
         operand(panel.message, g.width, g.width), upper, panel.result.as<DiagonalResult>()});
    stream.copy(panel.host_copy.as<void>(), panel.result.as<void>(), sizeof(DiagonalResult));
    mpi::await_soon(stream.record(), system_.device, message_wait_);
    DiagonalResult& header = panel.header();
    if (header.bad_column >= 0) header.bad_column += g.first;
  }
  panel_column_.start(
      stream,
      {std::as_writable_bytes(std::span(&panel.header(), 1)),
       {inverse.as<std::byte>(),
        static_cast<std::size_t>(g.width * g.width * hpcx::bytes_of(spec_.operands))}},
      g.owner_row);
  panel_column_.finish(message_wait_);

  const MixedView a21 =
      converts() ? operand(panel.converted, g.below_stored, g.width) : below(g, task.columns);
  const MixedView l21 =
      operand(panel.message, g.width + g.below_stored, g.width).row_range(g.width, g.below_stored);
  multiply_by_upper_inverse(arithmetic, stream, a21, upper, l21);
}

void MixedStages::start_broadcast(const Task& task, StreamRef stream) {
  const Panel& panel = *panels_[static_cast<std::size_t>(task.panel)];
  const StepGeometry g = geometry(task);
  // L11^-1 is for the process row that solves with it.
  const std::int64_t row_bytes = g.width * hpcx::bytes_of(spec_.operands);
  const std::int64_t first = g.on_owner_row ? 0 : g.width;
  row_.start(stream,
             {std::as_writable_bytes(std::span(&panel.header(), 1)),
              {panel.message.as<std::byte>(static_cast<std::size_t>(first * row_bytes)),
               static_cast<std::size_t>((g.width + g.below_stored - first) * row_bytes)}},
             g.owner_column);
}

void MixedStages::finish_broadcast(const Task& task, StreamRef stream) {
  row_.finish(message_wait_);
  const ProcessGrid& grid = system_.grid;
  if (!system_.device.shares_host_memory() && grid.columns() > 1) stream.synchronize();
  const DiagonalResult& header = panels_[static_cast<std::size_t>(task.panel)]->header();
  scales_[static_cast<std::size_t>(task.step)] = header.scale;
  if (header.bad_column >= 0 && !zero_pivot_column_) zero_pivot_column_ = header.bad_column;
}

void MixedStages::prepare(const Task& task, StreamRef stream) {
  const StepGeometry g = geometry(task);
  if (!g.on_owner_column || g.below_stored == 0) return;
  const Panel& panel = *panels_[static_cast<std::size_t>(task.panel)];
  system_.arithmetic.convert(
      stream,
      operand(panel.message, g.width + g.below_stored, g.width).row_range(g.width, g.below_stored),
      below(g, task.columns));
}

void MixedStages::solve(const Task& task, StreamRef stream) {
  const StepGeometry g = geometry(task);
  if (!g.on_owner_row) return;
  hpcx::MixedPrecision& arithmetic = system_.arithmetic;
  const Chunk& chunk = *chunks_[static_cast<std::size_t>(task.buffer)];
  const std::int64_t columns = task.columns.count;
  const MixedView place = system_.local({g.row_begin, g.width}, task.columns);
  MixedView a12 = place;
  if (converts()) {
    a12 = operand(chunk.converted, g.width, columns);
    arithmetic.convert(stream, place, a12);
  }
  const MixedView inverse =
      operand(panels_[static_cast<std::size_t>(task.panel)]->message, g.width, g.width);
  const MixedView u12 = operand(chunk.u12, g.width, columns);
  multiply_by_lower_inverse(arithmetic, stream, inverse, a12, u12);
  arithmetic.convert(stream, u12, place);
}

void MixedStages::all_gather(const Task& task, StreamRef stream) {
  const StepGeometry g = geometry(task);
  const Chunk& chunk = *chunks_[static_cast<std::size_t>(task.buffer)];
  column_.start(
      stream,
      {{},
       {chunk.u12.as<std::byte>(),
        static_cast<std::size_t>(g.width * task.columns.count * hpcx::bytes_of(spec_.operands))}},
      g.owner_row);
  column_.finish(message_wait_);
}

void MixedStages::update(const Task& task, StreamRef stream) {
  const StepGeometry g = geometry(task);
  if (g.below_stored == 0) return;
  // The next panel is made beside the first chunks; messages travel beside all of them. Those of
  // NCCL hold multiprocessors, copies do not.
  constexpr std::int64_t kLastChunkBesidePanel = 1;
  const StageTransports& ways = context_.transports;
  const bool beside_others =
      task.chunk <= kLastChunkBesidePanel ||
      std::ranges::any_of(std::array{&ways.row, &ways.column}, [](const Transport* way) {
        return way->size() > 1 && way->kind() == TransportKind::Nccl;
      });
  system_.arithmetic.leave_free(stream, beside_others ? context_.settings.panel_compute_units : 0);
  const MixedView l21 = operand(panels_[static_cast<std::size_t>(task.panel)]->message,
                                g.width + g.below_stored, g.width)
                            .row_range(g.width, g.below_stored);
  const MixedView u12 =
      operand(chunks_[static_cast<std::size_t>(task.buffer)]->u12, g.width, task.columns.count);
  system_.arithmetic.gemm(stream, {-1 / scales_[static_cast<std::size_t>(task.step)], l21, u12, 1,
                                   below(g, task.columns)});
}

}  // namespace hpl
