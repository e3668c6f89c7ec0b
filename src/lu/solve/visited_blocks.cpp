#include "visited_blocks.h"

#include <algorithm>
#include <limits>

#include "hpcx/blas.h"
#include "hpl/base/error/error.h"

namespace hpl {

namespace {

/// Copies are taken when the link comes to them, so that the host can take what is left: few are
/// enqueued at a time, and they are small against a block column.
constexpr std::size_t kCopiesUnderWay = 4;
constexpr std::int64_t kCopiesOfABlock = 4;
/// Block columns whose diagonal blocks and near rows are on the device ahead of their use.
constexpr std::int64_t kColumnsAhead = 4;
/// Of the far rows of a column, one in so many is copied at most before its x is known.
constexpr std::int64_t kCopiedAhead = 2;
/// Bytes that a core reads at once: long against the time to take them, short against a block
/// column.
constexpr std::int64_t kHostPieceBytes = std::int64_t{1} << 21;
constexpr std::int64_t kFewestRows = 16;

/// Lines of the slots for diagonal blocks and near rows: their share of U, some columns ahead at
/// least; at most half unless a diagonal block needs more.
std::int64_t near_lines(const DistributedMatrix& matrix) {
  const LocalShape& shape = matrix.shape();
  std::int64_t near = 0, all = 0;
  for (std::int64_t step = 0; step < step_count(shape); ++step) {
    const StepGeometry g = step_geometry(shape, step);
    if (!g.on_owner_column || g.panel_begin.value >= matrix.visited_columns()) continue;
    near += g.top_rows + near_rows(shape, g);
    all += g.row_begin.value + g.top_rows;
  }
  const std::int64_t lines = matrix.slot_memory().rows, block = shape.columns.block();
  const std::int64_t share = all == 0 ? 0 : lines * near / all;
  const std::int64_t diagonal = shape.local_rows < block ? 0 : block;
  return std::max(std::min(std::max(2 * kColumnsAhead * block, share), lines / 2), diagonal);
}

}  // namespace

std::int64_t near_rows(const LocalShape& shape, const StepGeometry& g) {
  return g.step == 0 ? 0 : step_geometry(shape, g.step - 1).top_rows;
}

VisitedBlocks::VisitedBlocks(const SubstitutionStreams& streams, const DistributedMatrix& matrix,
                             const DistributedSolution& solution, std::optional<double> link_share)
    : load_(streams.load),
      host_(streams.host),
      matrix_(matrix),
      solution_(solution),
      piece_rows_(std::max(kFewestRows, matrix.shape().columns.block() / kCopiesOfABlock)),
      host_piece_rows_(
          std::max(kFewestRows, kHostPieceBytes / (8 * matrix.shape().columns.block()))),
      near_(matrix.slot_memory().row_range(0, near_lines(matrix))),
      far_(matrix.slot_memory().row_range(near_.memory.rows,
                                          matrix.slot_memory().rows - near_.memory.rows)) {
  const LocalShape& shape = matrix.shape();
  HPL_ASSERT(far_.memory.rows > 0 || shape.local_rows == 0);
  for (std::int64_t step = step_count(shape) - 1; step >= 0; --step) {
    const StepGeometry g = step_geometry(shape, step);
    if (!g.on_owner_column || g.panel_begin.value >= matrix.visited_columns()) continue;
    const std::int64_t above = g.row_begin.value;
    const std::int64_t far = above - near_rows(shape, g);
    std::optional<std::int64_t> border;
    if (link_share)
      border = static_cast<std::int64_t>(static_cast<double>(far) * (1 - *link_share));
    columns_.emplace_back(g, far, border);
    Column* const column = &columns_.back();
    near_.items.push_back({column, Kind::Diagonal, above, above + g.top_rows});
    near_.items.push_back({column, Kind::Near, far, above});
    far_.items.push_back({column, Kind::Far, 0, 0});
  }
  const hpcx::VectorView y = solution.visited_right_side();
  std::fill_n(y.data, y.size, 0.0);
}

VisitedBlocks::~VisitedBlocks() {
  try {
    host_.synchronize();
    load_.synchronize();
  } catch (...) {  // the failure has been reported where it arose
  }
}

/// Whether rows of an item may be copied now. Before any x is known the host has nothing to do, so
/// the link takes what it can.
bool VisitedBlocks::is_due(const Item& item) const {
  const Column& column = *item.column;
  return item.kind != Kind::Far || column.x_known || !any_x_known_ ||
         column.copied * kCopiedAhead < column.far_rows;
}

/// The next rows of an item to copy; empty where none are left.
std::optional<DividedRows::Part> VisitedBlocks::rows_to_load(Item& item, std::int64_t most) const {
  if (item.kind == Kind::Far) {
    const DividedRows::Part part = item.column->far.take_from_bottom(std::min(piece_rows_, most));
    item.column->copied += part.count;
    return part.count > 0 ? std::optional(part) : std::nullopt;
  }
  // The diagonal block is solved with as a whole.
  const std::int64_t piece = item.kind == Kind::Diagonal ? most : std::min(piece_rows_, most);
  const std::int64_t count = std::min(piece, item.end - item.begin);
  if (count == 0) return std::nullopt;
  item.end -= count;
  return DividedRows::Part{item.end, count};
}

void VisitedBlocks::load_ahead(double most_bytes) {
  const double copy = 8.0 * static_cast<double>(piece_rows_ * matrix_.shape().columns.block());
  for (double bytes = copy; bytes <= most_bytes; bytes += copy)
    if (!load_next(std::numeric_limits<std::size_t>::max())) break;
}

/// Enqueues one copy more, unless enough are under way, memory is short or nothing is due.
bool VisitedBlocks::load_next(std::size_t most_under_way) {
  while (!under_way_.empty() && under_way_.front().done())
    under_way_.pop_front();
  if (under_way_.size() >= most_under_way) return false;
  return load_next(near_) || load_next(far_);
}

bool VisitedBlocks::load_next(Queue& queue) {
  while (!queue.pending) {
    if (queue.next == queue.items.size() || !is_due(queue.items[queue.next])) return false;
    queue.pending = rows_to_load(queue.items[queue.next], queue.memory.rows);
    if (!queue.pending) ++queue.next;
  }
  const std::optional<LineRing::Taken> lines = queue.ring.take(queue.pending->count);
  if (!lines) return false;
  for (const hpcx::Event& event : lines->after)
    load_.wait(event);
  const StepGeometry& g = queue.items[queue.next].column->geometry;
  const Piece piece{{{queue.pending->begin}, queue.pending->count},
                    queue.memory.block(lines->begin, 0, queue.pending->count, g.width)};
  matrix_.load(load_, {g.panel_begin, g.width}, piece.rows, piece.block);
  queue.loaded.push_back({queue.next, piece, load_.record()});
  under_way_.push_back(queue.loaded.back().event);
  queue.pending.reset();
  return true;
}

std::optional<VisitedBlocks::Piece> VisitedBlocks::next(hpcx::StreamRef stream, std::int64_t step,
                                                        Kind kind) {
  Queue& queue = kind == Kind::Far ? far_ : near_;
  const auto is_asked_for = [&](const Item& item) {
    return item.column->geometry.step == step && item.kind == kind;
  };
  while (!is_asked_for(queue.items[queue.present]))
    ++queue.present;
  HPL_ASSERT(kind != Kind::Far || queue.items[queue.present].column->x_known);
  // Until a copy of this item or of a later one is enqueued.
  while (queue.loaded.empty() && (queue.pending || queue.next <= queue.present)) {
    if (load_next(kCopiesUnderWay) || !queue.loaded.empty()) continue;
    if (!queue.copies_left()) break;
    if (!queue.pending && queue.next > queue.present) break;  // the item had no rows left
    // The memory of this queue is free and the item is due: the link is busy.
    HPL_ASSERT(!under_way_.empty());
    under_way_.front().synchronize();
  }
  if (queue.loaded.empty() || queue.loaded.front().item != queue.present) return std::nullopt;
  const Loaded loaded = queue.loaded.front();
  queue.loaded.pop_front();
  stream.wait(loaded.event);
  in_use_ = &queue;
  return loaded.piece;
}

void VisitedBlocks::begin_host_part(std::int64_t step) {
  const auto column = std::find_if(columns_.begin(), columns_.end(),
                                   [step](const Column& c) { return c.geometry.step == step; });
  HPL_ASSERT(column != columns_.end());
  column->x_known = any_x_known_ = true;
  const ColumnRange columns{column->geometry.panel_begin, column->geometry.width};
  const hpcx::MatrixView u = matrix_.visited(columns);
  const hpcx::VectorView x = solution_.visited_view().range(columns.begin.value, columns.count);
  const hpcx::VectorView y = solution_.visited_right_side();
  hpcx::Device& cores = host_.device();
  host_.host_task([=, &cores, &far = column->far, most = host_piece_rows_] {
    cores.parallel_for(cores.properties().compute_units, [&](std::int64_t) {
      for (DividedRows::Part part = far.take_from_top(most); part.count > 0;
           part = far.take_from_top(most))
        hpcx::host::gemv(
            {-1.0, u.row_range(part.begin, part.count), x, 1.0, y.range(part.begin, part.count)});
    });
  });
  host_parts_.push_back({step, host_.record()});
}

void VisitedBlocks::finish_host_part(std::int64_t step) {
  hpcx::Event last;
  while (!host_parts_.empty() && host_parts_.front().step >= step) {
    last = host_parts_.front().done;
    host_parts_.pop_front();
  }
  wait(last);
}

void VisitedBlocks::wait(const hpcx::Event& event) {
  while (!event.done()) {
    if (load_next(kCopiesUnderWay)) continue;
    if (!copies_left() || under_way_.size() < kCopiesUnderWay) break;
    under_way_.front().synchronize();
  }
  event.synchronize();
}

}  // namespace hpl
